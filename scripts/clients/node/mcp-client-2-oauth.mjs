/**
 * The TypeScript client 2.x signs a user in with OAuth as a public app, and reads last week's nights. With
 * DOCUMENT_CERTIFICATE and DOCUMENT_KEY it is not registered, and serves a metadata document on localhost.
 */

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { app, browser, check, checkSame } from './harness.mjs'
import { TOOLS } from './mcp-tools.mjs'

const url = new URL('/mcp', app.base)
// The app registered http://127.0.0.1/callback and listens on a port that the system chose.
const redirectUri = 'http://127.0.0.1:49155/callback'
const requests = []
let callback
let tokens
let verifier
let discovered

const clientMetadata = { client_name: 'check-clients', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }

/** Serves the metadata document; returns its URL. */
async function serveDocument(cert, key) {
  const host = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ client_id: clientMetadataUrl, ...clientMetadata }))
  })
  await once(host.listen(0, '127.0.0.1'), 'listening')
  host.unref()
  return `https://localhost:${host.address().port}/client.json`
}

const { DOCUMENT_CERTIFICATE: cert, DOCUMENT_KEY: key } = process.env
const clientMetadataUrl = cert ? await serveDocument(cert, key) : undefined
let registered = cert ? undefined : { client_id: app.clientId, issuer: app.base }

const provider = {
  redirectUrl: redirectUri,
  clientMetadata,
  clientMetadataUrl,
  clientInformation: () => registered,
  saveClientInformation: (saved) => { registered = saved },
  state: () => 'state-of-this-session',
  tokens: () => tokens,
  saveTokens: (saved) => { tokens = saved },
  saveCodeVerifier: (saved) => { verifier = saved },
  codeVerifier: () => verifier,
  saveDiscoveryState: (state) => { discovered = state },
  discoveryState: () => discovered,
  async redirectToAuthorization(address) {
    requests.push(address.searchParams)
    callback = await browser.authorize(address.href, redirectUri, ['sleep'])
  },
}

const connect = async (mode) => {
  const client = new Client({ name: 'check-clients', version: '1.0.0' }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(url, { authProvider: provider })
  await client.connect(transport)
  return client
}

const day = (daysAgo) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)

async function readNights(name, client) {
  const { tools } = await client.listTools()
  checkSame(`${name}: the tools that the scope allows`, tools.map((tool) => tool.name), TOOLS)
  const { structuredContent: night } = await client.callTool({ name: 'get_sleep', arguments: {} })
  check(`${name}: last night is returned`, Array.isArray(night.nights), night)
  const range = { from: day(7), to: day(1) }
  const { structuredContent: week } = await client.callTool({ name: 'get_sleep', arguments: range })
  check(`${name}: last week has nights and medians`, week.nights.length > 0 && week.medians[0].n > 0, week)
  console.log(`     get_sleep ${JSON.stringify(range)}`)
  for (const { date, is_nap: isNap, asleep_minutes: asleep, in_bed_minutes: inBed } of week.nights) {
    console.log(`     ${date} ${isNap ? 'nap' : 'night'}: ${asleep} of ${inBed} minutes asleep`)
  }
  console.log(`     medians: ${JSON.stringify(week.medians)}`)
  await client.close()
}

try {
  await connect({ pin: '2026-07-28' })
  check('authorize: the user is asked first', false, 'connected')
} catch (error) {
  check('authorize: the user is asked first', error instanceof UnauthorizedError, error)
}
checkSame('authorize: sign-in and consent', browser.pages, ['/sign-in', '/consent'])
check('authorize: state', callback.searchParams.get('state') === 'state-of-this-session')
check('authorize: for the MCP endpoint', requests[0].get('resource') === url.href, requests[0])
check('authorize: with its own client_id', requests[0].get('client_id') === (clientMetadataUrl ?? app.clientId), requests[0])
check('authorize: with PKCE', requests[0].get('code_challenge_method') === 'S256')
await new StreamableHTTPClientTransport(url, { authProvider: provider }).finishAuth(callback.searchParams)
const { aud } = JSON.parse(Buffer.from(tokens.access_token.split('.')[1], 'base64url'))
check('token: its audience is the MCP endpoint', aud === url.href, aud)
check('token: the granted scope', tokens.scope === 'sleep', tokens.scope)
await readNights('2026-07-28', await connect({ pin: '2026-07-28' }))

const { refresh_token: first } = tokens
tokens = { ...tokens, access_token: 'rejected' }
await readNights('legacy', await connect('legacy'))
check('refresh: without user interaction', requests.length === 1, requests.length)
check('refresh: the token rotates', tokens.refresh_token !== first)
