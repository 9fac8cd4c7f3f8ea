"""requests-oauthlib with Restwell: authorization through the pages, token, data, refresh, revocation, and errors."""

import os

# Plain http, on loopback only.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
# The user grants less than requested, which oauthlib would raise as a warning.
os.environ["OAUTHLIB_RELAX_TOKEN_SCOPE"] = "1"

from oauthlib.oauth2 import AccessDeniedError, InvalidClientError, InvalidGrantError
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

from harness import ALLOWED, REQUESTED, Settings, check, check_iss, check_raises, check_rejected_within_limit

app = Settings()
browser = app.browser()
TOKEN_URL = f"{app.base}/api/token"
basic = HTTPBasicAuth(app.client_id, app.client_secret)


def authorize(allow):
    session = OAuth2Session(app.client_id, scope=REQUESTED, redirect_uri=app.redirect_uri, pkce="S256")
    url, _ = session.authorization_url(f"{app.base}/authorize")
    return session, browser.authorize(url, app.redirect_uri, allow)


def fetch(session, callback, secret=app.client_secret):
    return session.fetch_token(TOKEN_URL, authorization_response=callback, client_secret=secret)


session, callback = authorize(ALLOWED)
check("authorize: sign-in and consent", browser.pages == ["/sign-in", "/consent"], browser.pages)
check("authorize: the page offers the requested scopes", browser.offered == REQUESTED, browser.offered)
check_iss("authorize: iss", callback, app.base)

check_raises(
    "token: a wrong secret is invalid_client", InvalidClientError, lambda _: True,
    lambda: fetch(session, callback, "rws_wrong"),
)
token = fetch(session, callback)
check("token: Bearer for an hour", (token["token_type"], token["expires_in"]) == ("Bearer", 3600), token.keys())
check("token: the granted scopes", list(token["scope"]) == ALLOWED, token["scope"])
# A refresh requests the session's scopes, but the user granted fewer.
session.scope = token["scope"]
user_id = token["user_id"]

profile = session.get(app.profile_url(user_id))
check("profile: read", profile.status_code == 200 and profile.json()["data"]["scopes"] == ALLOWED, profile.text)

old = token["access_token"]
# The secret goes into the body here; the library used Basic above.
token = session.refresh_token(TOKEN_URL, client_id=app.client_id, client_secret=app.client_secret)
check("refresh: a new access token", token["access_token"] != old and token.get("refresh_token"))
check("refresh: the new access token is accepted", session.get(app.profile_url(user_id)).status_code == 200)

url, headers, body = session._client.prepare_token_revocation_request(
    f"{app.base}/oauth/revoke", token["refresh_token"], token_type_hint="refresh_token"
)
revoked = session.post(url, data=body, headers=headers, auth=basic, withhold_token=True)
check("revoke: accepted", revoked.status_code == 200, revoked.status_code)
check_raises(
    "revoke: the refresh token is rejected", InvalidGrantError, lambda _: True,
    lambda: session.refresh_token(TOKEN_URL, client_id=app.client_id, client_secret=app.client_secret),
)
check_rejected_within_limit("revoke: the access token is rejected", lambda: session.get(app.profile_url(user_id)).status_code)

session, callback = authorize(None)
check("deny: consent only, because the user is signed in", browser.pages == ["/consent"], browser.pages)
check_raises("deny: access_denied", AccessDeniedError, lambda _: True, lambda: fetch(session, callback))

session, callback = authorize(ALLOWED)
token = fetch(session, callback)
session.scope = token["scope"]
refresh_token = token["refresh_token"]
check_raises("replay: a used code is invalid_grant", InvalidGrantError, lambda _: True, lambda: fetch(session, callback))
check_raises(
    "replay: the grant is revoked", InvalidGrantError, lambda _: True,
    lambda: session.refresh_token(TOKEN_URL, refresh_token, auth=basic),
)
