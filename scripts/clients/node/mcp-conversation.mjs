/** What both generations of the TypeScript SDK do at /mcp: "how did I sleep last week", and what is refused. */

import { check, checkSame } from './transcript.mjs'

const { BASE_URL, ASSISTANT_TOKEN, WEEK_AGO } = process.env

export const url = new URL('/mcp', BASE_URL)
export const requestInit = { headers: { Authorization: `Bearer ${ASSISTANT_TOKEN}` } }
export const TOOLS = ['get_coverage', 'get_sleep', 'get_night', 'get_sleep_trend']

const refused = async (what, holds, action) => {
  try {
    await action()
  } catch (error) {
    check(what, holds(error), error)
    return
  }
  check(what, false, 'no error')
}

/**
 * Runs the conversation; the SDK compares each answer with the schema of its tool. The library's error about a missing
 * scope contains `refusal`.
 */
export async function converse(name, client, refusal = 'scope') {
  const { tools } = await client.listTools()
  checkSame(`${name}: the tools of the scope`, tools.map((tool) => tool.name), TOOLS)
  check(`${name}: they only read`, tools.every((tool) => tool.annotations.readOnlyHint))
  for (const tool of TOOLS) {
    const answer = await client.callTool({ name: tool, arguments: {} })
    check(`${name}: ${tool} answers`, !answer.isError && answer.structuredContent, answer)
  }
  const { structuredContent: week } = await client.callTool({ name: 'get_sleep', arguments: { from: WEEK_AGO } })
  check(`${name}: last week has its nights`, week.nights.length === 7, week)
  check(`${name}: and their medians with n`, week.medians[0].n === 7, week.medians)
  const wrong = await client.callTool({ name: 'get_sleep', arguments: { from: 'last week' } })
  check(`${name}: wrong arguments are explained`, wrong.isError && wrong.content[0].text.includes('2026-03-08'), wrong)
  await refused(`${name}: an unknown tool`, (error) => error.code === -32602, () => client.callTool({ name: 'get_all' }))
  await refused(`${name}: a tool of another scope`, (error) => String(error).includes(refusal), () =>
    client.callTool({ name: 'get_profile' }))
  await client.close()
}
