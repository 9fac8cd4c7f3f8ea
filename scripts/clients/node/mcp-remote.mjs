/** mcp-remote, used by assistants that can only start local programs. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { callTools, requestInit, url } from './mcp-tools.mjs'

const program = fileURLToPath(new URL('./node_modules/mcp-remote/dist/proxy.js', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'mcp-remote-'))
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [program, url.href, '--header', 'Authorization:${RESTWELL}'],
  env: { ...process.env, MCP_REMOTE_CONFIG_DIR: folder, RESTWELL: requestInit.headers.Authorization },
  stderr: 'ignore',
})
const client = new Client({ name: 'check-clients', version: '1.0.0' })
await client.connect(transport)
// A missing scope makes it start a new authorization, for which it tries to register itself.
await callTools('stdio', client, 'client registration')
await rm(folder, { recursive: true })
