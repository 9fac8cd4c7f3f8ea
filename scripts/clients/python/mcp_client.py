"""The official Python SDK at /mcp, with both protocol generations: successful and rejected tool calls."""

import asyncio
import os

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from harness import check

URL = f"{os.environ['BASE_URL']}/mcp"
TOOLS = ["get_coverage", "get_sleep", "get_night", "get_sleep_trend"]


def connect(mode, token):
    # Without the shell's proxies.
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, trust_env=False)
    return Client(streamable_http_client(URL, http_client=http), mode=mode)


async def check_rejected(what, is_expected, action):
    try:
        await action
    except MCPError as error:
        check(what, is_expected(error), repr(error))
    else:
        check(what, False, "no error")


async def call_tools(mode, version):
    async with connect(mode, os.environ["ASSISTANT_TOKEN"]) as client:
        check(f"{mode}: the version", client.protocol_version == version, client.protocol_version)
        tools = (await client.list_tools()).tools
        check(f"{mode}: the tools that the scope allows", [tool.name for tool in tools] == TOOLS, tools)
        check(f"{mode}: all tools are read-only", all(tool.annotations.read_only_hint for tool in tools))
        # The SDK compares each response with the schema of its tool.
        for tool in TOOLS:
            response = await client.call_tool(tool, {})
            check(f"{mode}: {tool} returns data", not response.is_error and response.structured_content, response)
        week = (await client.call_tool("get_sleep", {"from": os.environ["WEEK_AGO"]})).structured_content
        check(f"{mode}: last week has its nights", len(week["nights"]) == 7, week)
        check(f"{mode}: the week has medians with n", week["medians"][0]["n"] == 7, week["medians"])
        print(f"     last week: n = {week['medians'][0]['n']}, {week['medians'][0]['asleep_minutes']} minutes asleep (median)")
        wrong = await client.call_tool("get_sleep", {"from": "last week"})
        check(f"{mode}: invalid arguments are explained", wrong.is_error and "2026-03-08" in wrong.content[0].text, wrong)
        await check_rejected(f"{mode}: an unknown tool", lambda error: error.error.code == -32602, client.call_tool("get_all", {}))
        await check_rejected(
            f"{mode}: a tool that needs another scope", lambda error: error.error.code == 403 and "scope" in error.error.message,
            client.call_tool("get_profile", {}),
        )


async def check_wrong_token():
    try:
        async with connect("auto", "rwp_wrong") as client:
            await client.list_tools()
    except* MCPError:
        check("a wrong token does not connect", True)
    else:
        check("a wrong token does not connect", False, "connected")


asyncio.run(call_tools("2026-07-28", "2026-07-28"))
asyncio.run(call_tools("auto", "2026-07-28"))
asyncio.run(call_tools("legacy", "2025-11-25"))
asyncio.run(check_wrong_token())
