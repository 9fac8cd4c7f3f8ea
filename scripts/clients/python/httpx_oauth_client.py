"""httpx-oauth with Restwell: authorization through the pages, token, data, refresh, revocation, and errors.

It builds requests and reads responses of the token endpoint; state, PKCE and iss are left to the app.
"""

import asyncio
from urllib.parse import parse_qs, urlsplit

import httpx
from authlib.common.security import generate_token
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from httpx_oauth.oauth2 import GetAccessTokenError, OAuth2, RefreshTokenError

from harness import ALLOWED, REQUESTED, Settings, check, check_iss, check_raises, check_rejected_within_limit

app = Settings()
browser = app.browser()
run = asyncio.run


def new_client(secret=app.client_secret):
    return OAuth2(
        app.client_id, secret, f"{app.base}/authorize", f"{app.base}/api/token", f"{app.base}/api/token",
        f"{app.base}/oauth/revoke", revocation_endpoint_auth_method="client_secret_post",
    )


def authorize(allow):
    verifier, state = generate_token(48), generate_token(16)
    url = run(client.get_authorization_url(
        app.redirect_uri, state, REQUESTED, create_s256_code_challenge(verifier), "S256",
    ))
    callback = browser.authorize(url, app.redirect_uri, allow)
    check_iss("authorize: iss", callback, app.base)
    parameters = {name: values[0] for name, values in parse_qs(urlsplit(callback).query).items()}
    check("authorize: state", parameters["state"] == state, parameters)
    return parameters, verifier


def fetch(authorization, by=None):
    parameters, verifier = authorization
    return run((by or client).get_access_token(parameters["code"], app.redirect_uri, verifier))


def has_code(name):
    return lambda error: error.response.json()["error"] == name


def read(token):
    return httpx.get(app.profile_url(user_id), headers={"Authorization": f"Bearer {token}"}, trust_env=False)


client = new_client()
authorization = authorize(ALLOWED)
check("authorize: sign-in and consent", browser.pages == ["/sign-in", "/consent"], browser.pages)
check("authorize: the page offers the requested scopes", browser.offered == REQUESTED, browser.offered)

check_raises(
    "token: a wrong secret is invalid_client", GetAccessTokenError, has_code("invalid_client"),
    lambda: fetch(authorization, new_client("rws_wrong")),
)
token = fetch(authorization)
user_id = token["user_id"]
check("token: Bearer for an hour", token["token_type"] == "Bearer" and token["expires_in"] == 3600, token.keys())
check("token: the granted scopes", token["scope"].split() == ALLOWED, token["scope"])
check("profile: read", read(token["access_token"]).json()["data"]["scopes"] == ALLOWED)

fresh = run(client.refresh_token(token["refresh_token"]))
check("refresh: a new access token", fresh["access_token"] != token["access_token"] and not fresh.is_expired())
check("refresh: the new access token is accepted", read(fresh["access_token"]).status_code == 200)

run(client.revoke_token(token["refresh_token"], "refresh_token"))
check("revoke: accepted", True)
check_raises(
    "revoke: the refresh token is rejected", RefreshTokenError, has_code("invalid_grant"),
    lambda: run(client.refresh_token(token["refresh_token"])),
)
check_rejected_within_limit("revoke: the access token is rejected", lambda: read(fresh["access_token"]).status_code)

parameters, _ = authorize(None)
check("deny: consent only, because the user is signed in", browser.pages == ["/consent"], browser.pages)
check("deny: access_denied", parameters["error"] == "access_denied" and "code" not in parameters, parameters)

authorization = authorize(ALLOWED)
token = fetch(authorization)
check_raises("replay: a used code is invalid_grant", GetAccessTokenError, has_code("invalid_grant"), lambda: fetch(authorization))
check_raises(
    "replay: the grant is revoked", RefreshTokenError, has_code("invalid_grant"),
    lambda: run(client.refresh_token(token["refresh_token"])),
)
