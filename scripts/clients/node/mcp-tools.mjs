/** Successful and rejected tool calls at /mcp, with either generation of the TypeScript SDK. */

import { check, checkSame } from './harness.mjs'

const { BASE_URL, ASSISTANT_TOKEN, WEEK_AGO } = process.env

export const url = new URL('/mcp', BASE_URL)
export const requestInit = { headers: { Authorization: `Bearer ${ASSISTANT_TOKEN}` } }
export const TOOLS = ['get_coverage', 'get_sleep', 'get_night', 'get_sleep_trend']

const checkRejected = async (what, isExpected, action) => {
  try {
    await action()
  } catch (error) {
    check(what, isExpected(error), error)
    return
  }
  check(what, false, 'no error')
}

/**
 * Calls every tool; the SDK validates each result against the schema of its tool. The library's error about a missing
 * scope contains `scopeError`.
 */
export async function callTools(name, client, scopeError = 'scope') {
  const { tools } = await client.listTools()
  checkSame(`${name}: the tools that the scope allows`, tools.map((tool) => tool.name), TOOLS)
  check(`${name}: all tools are read-only`, tools.every((tool) => tool.annotations.readOnlyHint))
  for (const tool of TOOLS) {
    const result = await client.callTool({ name: tool, arguments: {} })
    check(`${name}: ${tool} returns data`, !result.isError && result.structuredContent, result)
  }
  const { structuredContent: week } = await client.callTool({ name: 'get_sleep', arguments: { from: WEEK_AGO } })
  check(`${name}: last week has its nights`, week.nights.length === 7, week)
  check(`${name}: the week has medians with n`, week.medians[0].n === 7, week.medians)
  const wrong = await client.callTool({ name: 'get_sleep', arguments: { from: 'last week' } })
  check(`${name}: invalid arguments are explained`, wrong.isError && wrong.content[0].text.includes('2026-03-08'), wrong)
  await checkRejected(`${name}: an unknown tool`, (error) => error.code === -32602, () => client.callTool({ name: 'get_all' }))
  await checkRejected(`${name}: a tool that needs another scope`, (error) => String(error).includes(scopeError), () =>
    client.callTool({ name: 'get_profile' }))
  await client.close()
}
