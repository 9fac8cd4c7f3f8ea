"""httpx-oauth against Restwell: authorize through the pages, token, data, refresh, revoke, and the errors.

It builds requests and reads answers of the token endpoint; state, PKCE and iss are the app's.
"""

import asyncio
from urllib.parse import parse_qs, urlsplit

import httpx
from authlib.common.security import generate_token
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from httpx_oauth.oauth2 import GetAccessTokenError, OAuth2, RefreshTokenError

from transcript import ALLOWED, REQUESTED, Settings, check, check_iss, check_raises, check_refused_soon

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
    answer = {name: values[0] for name, values in parse_qs(urlsplit(callback).query).items()}
    check("authorize: state", answer["state"] == state, answer)
    return answer, verifier


def fetch(way, by=None):
    answer, verifier = way
    return run((by or client).get_access_token(answer["code"], app.redirect_uri, verifier))


def says(name):
    return lambda error: error.response.json()["error"] == name


def read(token):
    return httpx.get(app.profile_url(user_id), headers={"Authorization": f"Bearer {token}"}, trust_env=False)


client = new_client()
way = authorize(ALLOWED)
check("authorize: sign-in and consent", browser.pages == ["/sign-in", "/consent"], browser.pages)
check("authorize: the page offers what was asked for", browser.offered == REQUESTED, browser.offered)

check_raises(
    "token: a wrong secret is invalid_client", GetAccessTokenError, says("invalid_client"),
    lambda: fetch(way, new_client("rws_wrong")),
)
token = fetch(way)
user_id = token["user_id"]
check("token: Bearer for an hour", token["token_type"] == "Bearer" and token["expires_in"] == 3600, token.keys())
check("token: the scopes that were ticked", token["scope"].split() == ALLOWED, token["scope"])
check("profile: read", read(token["access_token"]).json()["data"]["scopes"] == ALLOWED)

fresh = run(client.refresh_token(token["refresh_token"]))
check("refresh: a new access token", fresh["access_token"] != token["access_token"] and not fresh.is_expired())
check("refresh: it reads", read(fresh["access_token"]).status_code == 200)

run(client.revoke_token(token["refresh_token"], "refresh_token"))
check("revoke: taken", True)
check_raises(
    "revoke: the refresh token is dead", RefreshTokenError, says("invalid_grant"),
    lambda: run(client.refresh_token(token["refresh_token"])),
)
check_refused_soon("revoke: the access token is dead", lambda: read(fresh["access_token"]).status_code)

answer, _ = authorize(None)
check("deny: consent alone, the person is signed in", browser.pages == ["/consent"], browser.pages)
check("deny: access_denied", answer["error"] == "access_denied" and "code" not in answer, answer)

way = authorize(ALLOWED)
token = fetch(way)
check_raises("replay: a used code is invalid_grant", GetAccessTokenError, says("invalid_grant"), lambda: fetch(way))
check_raises(
    "replay: it ended the grant", RefreshTokenError, says("invalid_grant"),
    lambda: run(client.refresh_token(token["refresh_token"])),
)
