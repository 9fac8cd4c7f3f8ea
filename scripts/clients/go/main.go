// golang.org/x/oauth2 against Restwell: authorize through the pages, token, data, refresh, and the errors.
//
// The package looks at neither state nor iss, and cannot revoke. The person's browser is scripts/clients/python/walk.py.
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
	// The person leaves one out.
	allowed = []string{"profile", "sleep"}
	ctx     = context.Background()
	lines   = bufio.NewReader(os.Stdin)
)

// Prints that something holds, or ends the program.
func check(what string, holds bool, seen ...any) {
	if !holds {
		fmt.Println("FAIL", what, seen)
		os.Exit(1)
	}
	fmt.Println("ok  ", what)
}

// Ends the program after an error that no check expects.
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

// One way of the person through the pages and back.
type way struct {
	Callback       string
	Pages, Offered []string
	answer         url.Values
	verifier       string
}

// Sends the person away, who ticks scopes, or denies when there are none.
func authorize(config *oauth2.Config, scopes ...string) way {
	state, verifier := random(), random()
	hash := sha256.Sum256([]byte(verifier))
	address := config.AuthCodeURL(state,
		oauth2.SetAuthURLParam("code_challenge", base64.RawURLEncoding.EncodeToString(hash[:])),
		oauth2.SetAuthURLParam("code_challenge_method", "S256"))
	fmt.Println("@@authorize", address, strings.Join(scopes, " "))
	back := way{verifier: verifier}
	line := must(lines.ReadBytes('\n'))
	must(back, json.Unmarshal(line, &back))
	back.answer = must(url.Parse(back.Callback)).Query()
	check("authorize: state and iss", back.answer.Get("state") == state && back.answer.Get("iss") == base, back.answer)
	return back
}

func (back way) exchange(config *oauth2.Config) (*oauth2.Token, error) {
	return config.Exchange(ctx, back.answer.Get("code"), oauth2.SetAuthURLParam("code_verifier", back.verifier))
}

// Refreshes a token that the package takes for expired.
func refresh(config *oauth2.Config, token *oauth2.Token) (*oauth2.Token, error) {
	return config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken, Expiry: time.Now().Add(-time.Hour)}).Token()
}

// Tells whether an error is the package's own and holds this code of RFC 6749.
func is(err error, code string) bool {
	var failure *oauth2.RetrieveError
	var body struct{ Error string }
	return errors.As(err, &failure) && json.Unmarshal(failure.Body, &body) == nil && body.Error == code
}

func same(seen, expected []string) bool {
	return strings.Join(seen, " ") == strings.Join(expected, " ")
}

func main() {
	config := configure(os.Getenv("CLIENT_SECRET"))
	back := authorize(config, allowed...)
	check("authorize: sign-in and consent", same(back.Pages, []string{"/sign-in", "/consent"}), back.Pages)
	check("authorize: the page offers what was asked for", same(back.Offered, requested), back.Offered)

	_, err := back.exchange(configure("rws_wrong"))
	check("token: a wrong secret is invalid_client", is(err, "invalid_client"), err)
	token := must(back.exchange(config))
	check("token: Bearer for an hour", token.Type() == "Bearer" && time.Until(token.Expiry) > 59*time.Minute, token.Expiry)
	check("token: the scopes that were ticked", same(strings.Fields(token.Extra("scope").(string)), allowed))

	profile := fmt.Sprintf("%s/api/v1/profile/%s", base, token.Extra("user_id"))
	answer := must(config.Client(ctx, token).Get(profile))
	var body struct{ Data struct{ Scopes []string } }
	must(body, json.NewDecoder(answer.Body).Decode(&body))
	check("profile: read", same(body.Data.Scopes, allowed), body)

	fresh := must(refresh(config, token))
	check("refresh: a new access token", fresh.AccessToken != token.AccessToken && fresh.RefreshToken == token.RefreshToken)
	check("refresh: it reads", must(config.Client(ctx, fresh).Get(profile)).StatusCode == http.StatusOK)

	_, err = back.exchange(config)
	check("replay: a used code is invalid_grant", is(err, "invalid_grant"), err)
	_, err = refresh(config, token)
	check("replay: it ended the grant", is(err, "invalid_grant"), err)

	back = authorize(config)
	check("deny: consent alone, the person is signed in", same(back.Pages, []string{"/consent"}), back.Pages)
	check("deny: access_denied", back.answer.Get("error") == "access_denied" && !back.answer.Has("code"), back.answer)
}
