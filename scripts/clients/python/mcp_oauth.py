"""The official Python SDK signs a user in with OAuth as a public app, and reads last week's nights at /mcp."""

import asyncio
import base64
import json
from datetime import date, timedelta
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata

from harness import Settings, check

app = Settings()
browser = app.browser()
URL = f"{app.base}/mcp"
# The app registered http://127.0.0.1/callback and listens on a port that the system chose.
REDIRECT_URI = "http://127.0.0.1:49154/callback"


class Storage:
    """Tokens, and the app as the operator registered it."""

    def __init__(self):
        self.tokens = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return OAuthClientInformationFull(
            client_id=app.client_id, redirect_uris=[REDIRECT_URI], token_endpoint_auth_method="none", issuer=app.base,
        )

    async def set_client_info(self, client_info):
        raise AssertionError("a registered app does not register itself")


class UserBrowser:
    """Signs in and consents in the browser."""

    def __init__(self):
        self.requests = []

    async def redirect(self, url):
        self.requests.append(parse_qs(urlsplit(url).query))
        self.callback = await asyncio.to_thread(browser.authorize, url, REDIRECT_URI, ["sleep"])

    async def callback_result(self):
        parameters = parse_qs(urlsplit(self.callback).query)
        return AuthorizationCodeResult(code=parameters["code"][0], state=parameters["state"][0], iss=parameters["iss"][0])


def claims(token):
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


async def read_nights(mode, provider):
    # Without the shell's proxies.
    http = httpx2.AsyncClient(auth=provider, trust_env=False)
    async with Client(streamable_http_client(URL, http_client=http), mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        check(f"{mode}: the tools that the scope allows", names == ["get_coverage", "get_sleep", "get_night", "get_sleep_trend"], names)
        night = (await client.call_tool("get_sleep", {})).structured_content
        check(f"{mode}: last night is returned", "nights" in night, night)
        first = date.today() - timedelta(days=7)
        arguments = {"from": first.isoformat(), "to": (date.today() - timedelta(days=1)).isoformat()}
        week = (await client.call_tool("get_sleep", arguments)).structured_content
        check(f"{mode}: last week has nights and medians", week["nights"] and week["medians"][0]["n"] > 0, week)
        print(f"     get_sleep {json.dumps(arguments)}")
        for night in week["nights"]:
            kind = "nap" if night["is_nap"] else "night"
            print(f"     {night['date']} {kind}: {night['asleep_minutes']} of {night['in_bed_minutes']} minutes asleep")
        print(f"     medians: {json.dumps(week['medians'])}")


async def main():
    storage, user = Storage(), UserBrowser()
    metadata = OAuthClientMetadata(
        client_name="check-clients", redirect_uris=[REDIRECT_URI], token_endpoint_auth_method="none",
    )
    provider = OAuthClientProvider(URL, metadata, storage, user.redirect, user.callback_result)
    await read_nights("2026-07-28", provider)
    check("authorize: sign-in and consent", browser.pages == ["/sign-in", "/consent"], browser.pages)
    request = user.requests[0]
    check("authorize: for the MCP endpoint", request["resource"] == [URL], request)
    check("authorize: with PKCE", request["code_challenge_method"] == ["S256"], request)
    check("token: its audience is the MCP endpoint", claims(storage.tokens.access_token)["aud"] == URL)
    check("token: the granted scope", storage.tokens.scope == "sleep", storage.tokens.scope)
    first = storage.tokens.refresh_token
    # Simulates an expired token: after a plain 401 the SDK would ask the user again.
    provider.context.token_expiry_time = 1
    await read_nights("legacy", provider)
    check("refresh: without user interaction", len(user.requests) == 1, user.requests)
    check("refresh: the token rotates", storage.tokens.refresh_token != first)


asyncio.run(main())
