"""Authlib with Restwell: authorization through the pages, token, data, refresh, revocation, and errors."""

from urllib.parse import parse_qs, urlsplit

from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc6749 import MissingCodeException
from authlib.oauth2.rfc6749.parameters import parse_authorization_code_response

from harness import ALLOWED, REQUESTED, Settings, check, check_iss, check_raises, check_rejected_within_limit

app = Settings()
browser = app.browser()
TOKEN_URL = f"{app.base}/api/token"


def new_session(secret=app.client_secret):
    return OAuth2Session(
        app.client_id, secret, scope=" ".join(REQUESTED), redirect_uri=app.redirect_uri,
        code_challenge_method="S256", token_endpoint=TOKEN_URL,
    )


def authorize(session, allow):
    verifier = generate_token(48)
    url, state = session.create_authorization_url(f"{app.base}/authorize", code_verifier=verifier)
    return browser.authorize(url, app.redirect_uri, allow), state, verifier


def fetch(session, callback, state, verifier):
    return session.fetch_token(TOKEN_URL, authorization_response=callback, state=state, code_verifier=verifier)


session = new_session()
callback, state, verifier = authorize(session, ALLOWED)
check("authorize: sign-in and consent", browser.pages == ["/sign-in", "/consent"], browser.pages)
check("authorize: the page offers the requested scopes", browser.offered == REQUESTED, browser.offered)
check_iss("authorize: iss", callback, app.base)

check_raises(
    "token: a wrong secret is invalid_client", OAuthError, lambda error: error.error == "invalid_client",
    lambda: fetch(new_session("rws_wrong"), callback, state, verifier),
)
token = fetch(session, callback, state, verifier)
check("token: Bearer for an hour", (token["token_type"], token["expires_in"]) == ("Bearer", 3600), token.keys())
check("token: the granted scopes", token["scope"].split() == ALLOWED, token["scope"])
# A refresh requests the session's scopes, but the user granted fewer.
session.scope = token["scope"]

profile = session.get(app.profile_url(token["user_id"]))
check("profile: read", profile.status_code == 200 and profile.json()["data"]["scopes"] == ALLOWED, profile.text)

old = token["access_token"]
token = session.refresh_token(TOKEN_URL)
check("refresh: a new access token", token["access_token"] != old and token.get("refresh_token"))
check("refresh: the new access token is accepted", session.get(app.profile_url(token["user_id"])).status_code == 200)

revoked = session.revoke_token(f"{app.base}/oauth/revoke", token=token["refresh_token"], token_type_hint="refresh_token")
check("revoke: accepted", revoked.status_code == 200, revoked.status_code)
check_raises(
    "revoke: the refresh token is rejected", OAuthError, lambda error: error.error == "invalid_grant",
    lambda: session.refresh_token(TOKEN_URL),
)
check_rejected_within_limit("revoke: the access token is rejected", lambda: session.get(app.profile_url(token["user_id"])).status_code)

session = new_session()
callback, state, verifier = authorize(session, None)
check("deny: consent only, because the user is signed in", browser.pages == ["/consent"], browser.pages)
# Authlib's session looks for a code only; the error is there for the app to read.
check("deny: access_denied", parse_qs(urlsplit(callback).query)["error"] == ["access_denied"], callback)
check_raises(
    "deny: no code", MissingCodeException, lambda _: True, lambda: parse_authorization_code_response(callback, state)
)

session = new_session()
callback, state, verifier = authorize(session, ALLOWED)
token = fetch(session, callback, state, verifier)
check_raises(
    "replay: a used code is invalid_grant", OAuthError, lambda error: error.error == "invalid_grant",
    lambda: fetch(new_session(), callback, state, verifier),
)
check_raises(
    "replay: the grant is revoked", OAuthError, lambda error: error.error == "invalid_grant",
    lambda: session.refresh_token(TOKEN_URL, scope=token["scope"]),
)
