"""The official Python SDK signs a person in by OAuth as a public app, and asks at /mcp: "how did I sleep last week?"."""

import asyncio
import base64
import json
import os
from datetime import date, timedelta
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata

from transcript import Settings, check

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


class Person:
    """The browser: sign-in and consent."""

    def __init__(self):
        self.asked = []

    async def redirect(self, url):
        self.asked.append(parse_qs(urlsplit(url).query))
        self.callback = await asyncio.to_thread(browser.authorize, url, REDIRECT_URI, ["sleep"])

    async def answer(self):
        answer = parse_qs(urlsplit(self.callback).query)
        return AuthorizationCodeResult(code=answer["code"][0], state=answer["state"][0], iss=answer["iss"][0])


def claims(token):
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


async def ask(mode, provider):
    # Without the shell's proxies.
    http = httpx2.AsyncClient(auth=provider, trust_env=False)
    async with Client(streamable_http_client(URL, http_client=http), mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        check(f"{mode}: the tools of the scope", names == ["get_coverage", "get_sleep", "get_night", "get_sleep_trend"], names)
        night = (await client.call_tool("get_sleep", {})).structured_content
        check(f"{mode}: last night is answered", "nights" in night, night)
        first = date.today() - timedelta(days=7)
        arguments = {"from": first.isoformat(), "to": (date.today() - timedelta(days=1)).isoformat()}
        week = (await client.call_tool("get_sleep", arguments)).structured_content
        check(f"{mode}: last week has nights and medians", week["nights"] and week["medians"][0]["n"] > 0, week)
        print(f"     How did I sleep last week? get_sleep {json.dumps(arguments)}")
        for night in week["nights"]:
            kind = "nap" if night["is_nap"] else "night"
            print(f"     {night['date']} {kind}: {night['asleep_minutes']} of {night['in_bed_minutes']} minutes asleep")
        print(f"     medians: {json.dumps(week['medians'])}")


async def main():
    storage, person = Storage(), Person()
    metadata = OAuthClientMetadata(
        client_name="check-clients", redirect_uris=[REDIRECT_URI], token_endpoint_auth_method="none",
    )
    provider = OAuthClientProvider(URL, metadata, storage, person.redirect, person.answer)
    await ask("2026-07-28", provider)
    check("authorize: sign-in and consent", browser.pages == ["/sign-in", "/consent"], browser.pages)
    asked = person.asked[0]
    check("authorize: for the MCP endpoint", asked["resource"] == [URL], asked)
    check("authorize: with PKCE", asked["code_challenge_method"] == ["S256"], asked)
    check("token: its audience is the MCP endpoint", claims(storage.tokens.access_token)["aud"] == URL)
    check("token: the scope that was ticked", storage.tokens.scope == "sleep", storage.tokens.scope)
    first = storage.tokens.refresh_token
    # As if an hour had passed. After a mere 401 the SDK asks the person again.
    provider.context.token_expiry_time = 1
    await ask("legacy", provider)
    check("refresh: without the person", len(person.asked) == 1, person.asked)
    check("refresh: the token rotates", storage.tokens.refresh_token != first)


asyncio.run(main())
