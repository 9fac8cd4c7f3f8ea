"""The official Python SDK against /mcp, in both eras: "how did I sleep last week", and what is refused."""

import asyncio
import os

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from transcript import check

URL = f"{os.environ['BASE_URL']}/mcp"
EXPECTED = ["get_coverage", "get_sleep", "get_night", "get_sleep_trend"]


def connect(mode, token):
    # Without the shell's proxies.
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, trust_env=False)
    return Client(streamable_http_client(URL, http_client=http), mode=mode)


async def refused(what, holds, action):
    try:
        await action
    except MCPError as error:
        check(what, holds(error), repr(error))
    else:
        check(what, False, "no error")


async def converse(mode, version):
    async with connect(mode, os.environ["ASSISTANT_TOKEN"]) as client:
        check(f"{mode}: the version", client.protocol_version == version, client.protocol_version)
        tools = (await client.list_tools()).tools
        check(f"{mode}: the tools of the scope", [tool.name for tool in tools] == EXPECTED, tools)
        check(f"{mode}: they only read", all(tool.annotations.read_only_hint for tool in tools))
        # The SDK compares each answer with the schema of its tool.
        for tool in EXPECTED:
            answer = await client.call_tool(tool, {})
            check(f"{mode}: {tool} answers", not answer.is_error and answer.structured_content, answer)
        week = (await client.call_tool("get_sleep", {"from": os.environ["WEEK_AGO"]})).structured_content
        check(f"{mode}: last week has its nights", len(week["nights"]) == 7, week)
        check(f"{mode}: and their medians with n", week["medians"][0]["n"] == 7, week["medians"])
        print(f"     last week: n = {week['medians'][0]['n']}, {week['medians'][0]['asleep_minutes']} minutes asleep (median)")
        wrong = await client.call_tool("get_sleep", {"from": "last week"})
        check(f"{mode}: wrong arguments are explained", wrong.is_error and "2026-03-08" in wrong.content[0].text, wrong)
        await refused(f"{mode}: an unknown tool", lambda error: error.error.code == -32602, client.call_tool("get_all", {}))
        await refused(
            f"{mode}: a tool of another scope", lambda error: error.error.code == 403 and "scope" in error.error.message,
            client.call_tool("get_profile", {}),
        )


async def turned_away():
    try:
        async with connect("auto", "rwp_wrong") as client:
            await client.list_tools()
    except* MCPError:
        check("a wrong token does not connect", True)
    else:
        check("a wrong token does not connect", False, "it did")


asyncio.run(converse("2026-07-28", "2026-07-28"))
asyncio.run(converse("auto", "2026-07-28"))
asyncio.run(converse("legacy", "2025-11-25"))
asyncio.run(turned_away())
