/**
 * The TypeScript client of clients/typescript against a real server: flow.js first|later.
 *
 * In the second run the server's clock is 91 days ahead, shortly before midnight.
 */

import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { inspect } from 'node:util'
import type { Client } from 'openapi-fetch'
import {
  type App, type Copy, RestwellError, type Tokens, connect, follow, ok, type paths, records, redeem,
} from 'restwell-client'

const variable = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

const baseUrl = variable('BASE_URL')
const email = variable('EMAIL')
const redirectUri = variable('REDIRECT_URI')
const state = variable('STATE')
const confidential: App = { baseUrl, clientId: variable('CLIENT_ID'), clientSecret: variable('CLIENT_SECRET') }
const publicApp: App = { baseUrl, clientId: variable('PUBLIC_CLIENT_ID') }

/** Prints a passed check; exits after a failed one. */
function check(what: string, passed: boolean, actual: unknown = ''): void {
  if (!passed) {
    console.log(`FAIL ${what}`, actual)
    process.exit(1)
  }
  console.log(`ok   ${what}`)
}

async function checkError(what: string, status: number, code: string, action: () => Promise<unknown>) {
  try {
    await action()
  } catch (error) {
    if (!(error instanceof RestwellError)) throw error
    check(what, error.status === status && error.code === code, error)
    return error
  }
  check(what, false, 'no error')
  throw new Error('unreachable')
}

/** Node 20 has no Array.fromAsync. */
async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Runs a command of the server, which prints one JSON object. */
const restwell = (...args: string[]): Record<string, string> =>
  JSON.parse(execFileSync(variable('RESTWELL_BIN'), [...args, '--json'], { stdio: ['ignore', 'pipe', 'ignore'] }).toString())

/** Authorizes the public app through the pages. */
async function connectInBrowser(): Promise<Tokens> {
  const verifier = randomBytes(48).toString('base64url')
  const request = new URLSearchParams({
    response_type: 'code', client_id: publicApp.clientId, redirect_uri: redirectUri, scope: 'profile sleep',
    state: randomBytes(16).toString('base64url'),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256',
  })
  // scripts/clients/python/run_client.py replies with the callback.
  console.log(`@@authorize ${baseUrl}/authorize?${request} profile sleep`)
  const lines = createInterface({ input: process.stdin })
  const line = await new Promise<string>((resolve) => lines.once('line', resolve))
  lines.close()
  const parameters = new URL(JSON.parse(line).callback).searchParams
  check('public: state and iss', parameters.get('state') === request.get('state') && parameters.get('iss') === baseUrl)
  return redeem(publicApp, parameters.get('code') ?? '', redirectUri, verifier)
}

const profile = async (client: Client<paths>, userId: string) =>
  ok(await client.GET('/api/v1/profile/{user_id}', { params: { path: { user_id: userId } } })).data.home_timezone

/** Checks that an expired and a rejected access token are replaced, and how the refresh token changes. */
async function checkTokens(name: string, app: App, tokens: Tokens, rotates: boolean): Promise<Tokens> {
  let latest = tokens
  const saved: string[] = []
  const save = (fresh: Tokens) => {
    latest = fresh
    saved.push(fresh.refreshToken)
  }
  const valid = connect(app, tokens, { save })
  check(`${name}: reads`, await profile(valid, tokens.userId) === 'Europe/Berlin')
  check(`${name}: no refresh before it is due`, saved.length === 0, saved.length)
  const expired = connect(app, { ...latest, expiresAt: 0 }, { save })
  await Promise.all([profile(expired, tokens.userId), profile(expired, tokens.userId)])
  const rejected = connect(app, { ...latest, accessToken: 'rejected' }, { save })
  await Promise.all([profile(rejected, tokens.userId), profile(rejected, tokens.userId)])
  check(`${name}: two refreshes, each shared and stored`, saved.length === 2, saved.length)
  const isUnchanged = new Set([tokens.refreshToken, ...saved]).size === 1
  check(`${name}: the refresh token ${rotates ? 'rotates' : 'does not change'}`, isUnchanged !== rotates)
  return latest
}

async function first(): Promise<void> {
  const { code } = restwell('code', 'create', '--client', confidential.clientId, '--user', email,
    '--redirect-uri', redirectUri, '--scope', 'profile', '--scope', 'sleep', '--scope', 'supplements')
  const issued = await redeem(confidential, code ?? '', redirectUri)
  check('confidential: the scopes', issued.scope === 'profile sleep supplements', issued.scope)
  const printed = inspect({ issued })
  check('tokens are not printed', !printed.includes(issued.accessToken) && !printed.includes(issued.refreshToken), printed)
  check('the rest is printed', printed.includes(issued.userId), printed)
  check('tokens can be stored', JSON.parse(JSON.stringify(issued)).refreshToken === issued.refreshToken)
  const tokens = await checkTokens('confidential', confidential, issued, false)
  await checkTokens('public', publicApp, await connectInBrowser(), true)
  await checkError('an unknown code is invalid_grant', 400, 'invalid_grant', () =>
    redeem(confidential, 'rwc_unknown', redirectUri))
  const client = connect(confidential, tokens, { save: () => {} })
  await checkError('another person is other_user', 403, 'other_user', () =>
    profile(client, '00000000-0000-4000-8000-000000000000'))

  const path = { user_id: tokens.userId }
  const nights = await collect(records(async (page) => ok(await client.GET('/api/v1/sleep/{user_id}',
    { params: { path, query: { page, pageSize: 10, include_metrics: 'true' } } }))))
  check('sleep: 25 nights on three pages', nights.length === 25 && new Set(nights.map(({ id }) => id)).size === 25)
  check('sleep: with metrics', nights.every(({ sleep_metric }) => sleep_metric !== undefined && sleep_metric.length > 0))
  const supplements = await collect(records(async (page) => ok(await client.GET('/api/v1/supplements/{user_id}',
    { params: { path, query: { page, pageSize: 2 } } }))))
  check('supplements: three on two pages', supplements.length === 3, supplements.length)

  const copy: Copy = { records: new Map() }
  check('changes: the first pass starts once', !await follow(client, tokens.userId, copy, 10))
  check('changes: everything', copy.records.size === 1 + 25 + 3, copy.records.size)
  const before = [...copy.records.keys()].sort().join()
  const imported = restwell('import', '--user', email, variable('MORE'))
  await follow(client, tokens.userId, copy)
  check('changes: an import', copy.records.size === 31, copy.records.size)
  restwell('import', 'undo', imported.import_id ?? '')
  await follow(client, tokens.userId, copy)
  check('changes: its deletion', [...copy.records.keys()].sort().join() === before, copy.records.size)

  // A record whose deletion the second run can no longer see.
  const entries = [...copy.records, ['sleep gone', {}]]
  writeFileSync(state, JSON.stringify({ tokens, cursor: copy.cursor, entries }))
}

async function later(): Promise<void> {
  const { tokens, cursor, entries } = JSON.parse(readFileSync(state, 'utf8'))
  // The server rejects the access token, which is less than an hour old by this computer's clock.
  let latest: Tokens = tokens
  let refreshes = 0
  const save = (fresh: Tokens) => {
    latest = fresh
    refreshes += 1
  }
  const impatient = connect(confidential, tokens, { save, longestWait: 0 })
  for (let count = 0; count < 3; count += 1) await profile(impatient, tokens.userId)
  check('later: refreshed once', refreshes === 1, refreshes)
  const error = await checkError('later: the limit is reached', 429, 'rate_limited', () =>
    profile(impatient, tokens.userId))
  check('later: with Retry-After', error.retryAfter !== null && error.retryAfter > 0 && error.retryAfter <= 60, error.retryAfter)
  const waits: number[] = []
  const sleep = async (seconds: number) => {
    waits.push(seconds)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  }
  const patient = connect(confidential, latest, { save, sleep })
  await profile(patient, tokens.userId)
  check('later: read again after the wait', waits.length > 0, waits)

  const copy: Copy = { cursor, records: new Map(entries) }
  check('later: the expired cursor makes it start again', await follow(patient, tokens.userId, copy))
  check('later: everything, without the deleted record', copy.records.size === 29, copy.records.size)
  check('later: the new cursor is valid', !await follow(patient, tokens.userId, copy))
}

await (process.argv[2] === 'first' ? first() : later())
