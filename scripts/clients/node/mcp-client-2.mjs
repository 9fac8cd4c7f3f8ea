/** The TypeScript client 2.x, in both eras. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { converse, requestInit, url } from './mcp-conversation.mjs'

for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) {
  const client = new Client({ name: 'check-clients', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  await converse(mode.pin ?? mode, client)
}
