/** The TypeScript SDK 1.x, which begins with initialize. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { callTools, requestInit, url } from './mcp-tools.mjs'

const client = new Client({ name: 'check-clients', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
await callTools('initialize', client)
