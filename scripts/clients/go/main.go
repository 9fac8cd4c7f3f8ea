// golang.org/x/oauth2 with Restwell: authorization through the pages, token, data, refresh, and errors.
//
// The package checks neither state nor iss, and cannot revoke. scripts/clients/python/run_client.py acts as the user's browser.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

var (
	base      = os.Getenv("BASE_URL")
	requested = []string{"profile", "sleep", "supplements"}
	// The user does not grant all of them.
	allowed = []string{"profile", "sleep"}
	ctx     = context.Background()
	lines   = bufio.NewReader(os.Stdin)
)

// Prints a passed check; exits after a failed one.
func check(what string, passed bool, actual ...any) {
	if !passed {
		fmt.Println("FAIL", what, actual)
		os.Exit(1)
	}
	fmt.Println("ok  ", what)
}

// Exits after an error that no check expects.
func must[T any](value T, err error) T {
	if err != nil {
		fmt.Println("FAIL", err)
		os.Exit(1)
	}
	return value
}

func configure(secret string) *oauth2.Config {
	return &oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: secret,
		RedirectURL:  os.Getenv("REDIRECT_URI"),
		Scopes:       requested,
		Endpoint:     oauth2.Endpoint{AuthURL: base + "/authorize", TokenURL: base + "/api/token"},
	}
}

func random() string {
	bytes := make([]byte, 32)
	must(rand.Read(bytes))
	return base64.RawURLEncoding.EncodeToString(bytes)
}

// One authorization through the pages.
type authorization struct {
	Callback       string
	Pages, Offered []string
	parameters     url.Values
	verifier       string
}

// Authorizes in the browser, which grants the scopes, or denies access if there are none.
func authorize(config *oauth2.Config, scopes ...string) authorization {
	state, verifier := random(), random()
	hash := sha256.Sum256([]byte(verifier))
	address := config.AuthCodeURL(state,
		oauth2.SetAuthURLParam("code_challenge", base64.RawURLEncoding.EncodeToString(hash[:])),
		oauth2.SetAuthURLParam("code_challenge_method", "S256"))
	fmt.Println("@@authorize", address, strings.Join(scopes, " "))
	result := authorization{verifier: verifier}
	line := must(lines.ReadBytes('\n'))
	must(result, json.Unmarshal(line, &result))
	result.parameters = must(url.Parse(result.Callback)).Query()
	check("authorize: state and iss", result.parameters.Get("state") == state && result.parameters.Get("iss") == base, result.parameters)
	return result
}

func (result authorization) exchange(config *oauth2.Config) (*oauth2.Token, error) {
	return config.Exchange(ctx, result.parameters.Get("code"), oauth2.SetAuthURLParam("code_verifier", result.verifier))
}

// Refreshes a token by presenting it to the package as expired.
func refresh(config *oauth2.Config, token *oauth2.Token) (*oauth2.Token, error) {
	return config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken, Expiry: time.Now().Add(-time.Hour)}).Token()
}

// Reports whether an error is the package's error with this code of RFC 6749.
func hasCode(err error, code string) bool {
	var failure *oauth2.RetrieveError
	var body struct{ Error string }
	return errors.As(err, &failure) && json.Unmarshal(failure.Body, &body) == nil && body.Error == code
}

func same(actual, expected []string) bool {
	return strings.Join(actual, " ") == strings.Join(expected, " ")
}

func main() {
	config := configure(os.Getenv("CLIENT_SECRET"))
	result := authorize(config, allowed...)
	check("authorize: sign-in and consent", same(result.Pages, []string{"/sign-in", "/consent"}), result.Pages)
	check("authorize: the page offers the requested scopes", same(result.Offered, requested), result.Offered)

	_, err := result.exchange(configure("rws_wrong"))
	check("token: a wrong secret is invalid_client", hasCode(err, "invalid_client"), err)
	token := must(result.exchange(config))
	check("token: Bearer for an hour", token.Type() == "Bearer" && time.Until(token.Expiry) > 59*time.Minute, token.Expiry)
	check("token: the granted scopes", same(strings.Fields(token.Extra("scope").(string)), allowed))

	profile := fmt.Sprintf("%s/api/v1/profile/%s", base, token.Extra("user_id"))
	response := must(config.Client(ctx, token).Get(profile))
	var body struct{ Data struct{ Scopes []string } }
	must(body, json.NewDecoder(response.Body).Decode(&body))
	check("profile: read", same(body.Data.Scopes, allowed), body)

	fresh := must(refresh(config, token))
	check("refresh: a new access token", fresh.AccessToken != token.AccessToken && fresh.RefreshToken == token.RefreshToken)
	check("refresh: the new access token is accepted", must(config.Client(ctx, fresh).Get(profile)).StatusCode == http.StatusOK)

	_, err = result.exchange(config)
	check("replay: a used code is invalid_grant", hasCode(err, "invalid_grant"), err)
	_, err = refresh(config, token)
	check("replay: the grant is revoked", hasCode(err, "invalid_grant"), err)

	result = authorize(config)
	check("deny: consent only, because the user is signed in", same(result.Pages, []string{"/consent"}), result.Pages)
	check("deny: access_denied", result.parameters.Get("error") == "access_denied" && !result.parameters.Has("code"), result.parameters)
}
