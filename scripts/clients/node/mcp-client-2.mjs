/** The TypeScript client 2.x, with both protocol generations. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { callTools, requestInit, url } from './mcp-tools.mjs'

for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) {
  const client = new Client({ name: 'check-clients', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  await callTools(mode.pin ?? mode, client)
}
