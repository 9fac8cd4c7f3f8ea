"""Authlib as a public app: no secret, PKCE, a loopback port and rotating refresh tokens."""

from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

from harness import ALLOWED, REQUESTED, Settings, check, check_raises, check_rejected_within_limit

app = Settings()
browser = app.browser()
TOKEN_URL = f"{app.base}/api/token"
# The app registered http://127.0.0.1/callback and listens on a port that the system chose.
REDIRECT_URI = "http://127.0.0.1:49153/callback"

session = OAuth2Session(
    app.client_id, scope=" ".join(REQUESTED), redirect_uri=REDIRECT_URI, code_challenge_method="S256",
    token_endpoint=TOKEN_URL, token_endpoint_auth_method="none",
)
verifier = generate_token(48)
url, state = session.create_authorization_url(f"{app.base}/authorize", code_verifier=verifier, resource=app.base)
callback = browser.authorize(url, REDIRECT_URI, ALLOWED)
token = session.fetch_token(TOKEN_URL, authorization_response=callback, state=state, code_verifier=verifier)
check("token: without a secret", (token["token_type"], token["expires_in"]) == ("Bearer", 3600), token.keys())
session.scope = token["scope"]
profile = session.get(app.profile_url(token["user_id"]))
check("profile: read", profile.status_code == 200 and profile.json()["data"]["scopes"] == ALLOWED, profile.text)

first = token["refresh_token"]
second = session.refresh_token(TOKEN_URL, refresh_token=first)["refresh_token"]
check("refresh: another refresh token", second != first)
third = session.refresh_token(TOKEN_URL, refresh_token=second)["refresh_token"]
check("refresh: and another", third not in (first, second))
check("refresh: the new access token is accepted", session.get(app.profile_url(token["user_id"])).status_code == 200)
for name, used in (("the first token", first), ("the newest token", third)):
    check_raises(
        f"reuse: {name} is invalid_grant", OAuthError, lambda error: error.error == "invalid_grant",
        lambda used=used: session.refresh_token(TOKEN_URL, refresh_token=used),
    )
check_rejected_within_limit("reuse: the access token is rejected", lambda: session.get(app.profile_url(token["user_id"])).status_code)
