/** mcp-remote, through which assistants connect that only start local programs. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { converse, requestInit, url } from './mcp-conversation.mjs'

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
// It answers a missing scope by asking for a new authorization, for which it would register itself.
await converse('stdio', client, 'client registration')
await rm(folder, { recursive: true })
