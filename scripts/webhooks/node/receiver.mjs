/** A webhook receiver that verifies every message with two libraries; prints one line per check. */

import { execFile } from 'node:child_process'
import { on } from 'node:events'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import * as standard from 'standardwebhooks'
import * as svix from 'svix'

const LIBRARIES = [standard, svix]
const { RESTWELL_BIN, CLIENT_ID, EMAIL } = process.env

function check(what, passed, actual = '') {
  if (!passed) {
    console.log(`FAIL ${what}`, actual)
    process.exit(1)
  }
  console.log(`ok   ${what}`)
}

/** Runs a command, and returns its JSON. */
async function restwell(...command) {
  const { stdout } = await promisify(execFile)(RESTWELL_BIN, [...command, '--json'])
  return JSON.parse(stdout)
}

function accepts({ Webhook, WebhookVerificationError }, secret, body, headers) {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false
    throw error
  }
}

/** Echoes challenges, and accepts all other messages. */
const server = createServer(async (request, response) => {
  const parts = []
  for await (const part of request) parts.push(part)
  const body = Buffer.concat(parts).toString()
  const { challenge } = JSON.parse(body).data
  response.writeHead(challenge ? 200 : 204).end(challenge && JSON.stringify({ challenge }))
  server.emit('message', body, request.headers)
})
const messages = on(server, 'message')

/** Waits for a message of this type, and verifies it with each secret and library. */
async function receive(kind, secrets) {
  const [body, headers] = (await messages.next()).value
  check(`${kind} is received`, JSON.parse(body).type === kind, body)
  const isVerified = LIBRARIES.every((library) => secrets.every((secret) => accepts(library, secret, body, headers)))
  check(`${kind} is verified by standardwebhooks and svix with ${secrets.length} secret(s)`, isVerified, headers)
  return { body, headers }
}

await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${server.address().port}/hooks`
const { endpoint_id: endpoint, secret } = await restwell('webhook', 'create', '--client', CLIENT_ID, '--url', url)
await receive('endpoint.challenge', [secret])

await restwell('user', 'update', EMAIL, '--height-cm', '172')
const { body, headers } = await receive('records.changed', [secret])
const { data } = JSON.parse(body)
check('a change has the person, kinds and cursor', data.kinds.join() === 'profile' && Object.keys(data).length === 3, data)
for (const library of LIBRARIES) {
  check('a modified body is rejected', !accepts(library, secret, body.replace('profile', 'sleep'), headers))
  check('another id is rejected', !accepts(library, secret, body, { ...headers, 'webhook-id': 'msg_0' }))
  check('an old message is rejected', !accepts(library, secret, body, { ...headers, 'webhook-timestamp': '1' }))
}

const { secret: rotated } = await restwell('webhook', 'rotate', endpoint)
await restwell('webhook', 'test', endpoint)
await receive('endpoint.test', [secret, rotated])
await restwell('grant', 'revoke', '--client', CLIENT_ID, '--user', EMAIL)
await receive('grant.revoked', [secret, rotated])
process.exit(0)
