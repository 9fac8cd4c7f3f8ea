/** People, apps and browsers. Each test creates separate ones, so that tests are independent. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'
import { after } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { newFolder, runCommand } from './server.mjs'

export const BASE = process.env.BASE_URL
export const SCOPES = ['profile', 'sleep', 'supplements']
/** Longer than the minimum, and not plain ASCII. */
export const PASSWORD = 'vier graue Gänse schlafen im Gras'
/** Name of the session cookie without TLS. */
export const SESSION_COOKIE = 'restwell_session'

const ARGUMENTS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
]

/** Starts one browser for the tests of a file; returns a function that opens windows. */
export function useBrowser() {
  let browser
  after(async () => (await browser)?.close())
  /** Opens a window without cookies. Scripts are off by default, and only `allowed` origins may be requested. */
  return async function newWindow(options = {}, allowed = [BASE]) {
    browser ??= chromium.launch({ executablePath: process.env.CHROMIUM, args: ARGUMENTS })
    const context = await (await browser).newContext({ javaScriptEnabled: false, locale: 'en-GB', ...options })
    context.setDefaultTimeout(15_000)
    const page = await context.newPage()
    page.problems = []
    page.on('console', (message) => {
      if (/security policy|refused to/i.test(message.text())) page.problems.push(message.text())
    })
    page.on('request', (request) => {
      if (!allowed.some((origin) => request.url().startsWith(origin))) page.problems.push(`unexpected request to ${request.url()}`)
    })
    return page
  }
}

/** Without email settings, commands print the link that the server would send by email. */
const COMMAND_ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^RESTWELL__(MAIL|ACCOUNTS)__/.test(name)))

/** Runs a command of the program on the shared server's store and returns its output. */
export const restwell = (command, input = '') => runCommand(command, input, COMMAND_ENV)

/** Creates a person who can sign in. */
export async function newPerson(email = `person-${randomBytes(6).toString('hex')}@example.org`) {
  const created = await restwell(
    ['user', 'create', '--email', email, '--timezone', 'Europe/Berlin', '--password-stdin', '--json'], `${PASSWORD}\n`)
  return { email, password: PASSWORD, id: JSON.parse(created).user_id }
}

/** Imports rows of NDJSON for a person. */
export async function importRows(test, person, rows) {
  const file = path.join(await newFolder(test), 'data.ndjson')
  await writeFile(file, rows.map((row) => JSON.stringify(row)).join('\n'))
  await restwell(['import', '--user', person.id, file])
}

/** Registers an app and listens at its redirect URI. `callbacks` holds the query parameters received there. */
export async function newApp(test, name = 'Night Reader') {
  const app = { callbacks: [] }
  const site = await newSite(test, (request, response) => {
    if (!request.url.startsWith('/callback')) return response.writeHead(404).end()
    app.callbacks.push(new URL(request.url, site.origin).searchParams)
    return response.writeHead(200, { 'content-type': 'text/html' }).end(APP_PAGE)
  })
  return Object.assign(app, await register(name, site.origin))
}

const APP_PAGE = '<!doctype html><title>App</title>Welcome back'

/** Registers an app without a site, for example for a screenshot. */
export function registerApp(name) {
  const host = `${name.toLowerCase().replace(/[^a-z]+/g, '-').slice(0, 60)}.example`
  return register(name, `https://${host}`)
}

async function register(name, origin) {
  const redirectUri = `${origin}/callback`
  const scopes = SCOPES.flatMap((scope) => ['--scope', scope])
  const created = await restwell(['client', 'create', '--name', name, '--redirect-uri', redirectUri, ...scopes, '--json'])
  const { client_id: id, client_secret: secret } = JSON.parse(created)
  return { name, id, secret, origin, redirectUri, host: new URL(origin).host }
}

/** Records the redirects of a page to an app that has no site: they fail, because its host does not exist. */
export function recordCallbacks(page, app) {
  app.callbacks = []
  page.on('request', (request) => {
    if (request.url().startsWith(app.redirectUri)) app.callbacks.push(new URL(request.url()).searchParams)
  })
}

/** Serves a site on a free port until the test ends. */
export async function newSite(test, handler) {
  const server = http.createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  })
  return { origin: `http://127.0.0.1:${server.address().port}` }
}

/** Builds an authorization URL, and returns it with the PKCE verifier. */
export function authorization(app, parameters = {}) {
  const verifier = randomBytes(32).toString('base64url')
  const url = new URL('/authorize', BASE)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: app.id,
    redirect_uri: app.redirectUri,
    scope: SCOPES.join(' '),
    state: 'a state & more',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...parameters,
  })
  return { url: url.href, verifier }
}

/** Returns the text of a page's content. */
export const mainText = (page) => page.locator('main').innerText()

/** Runs an action that opens another page, and waits until it has loaded. */
export const navigate = (page, action) => Promise.all([page.waitForEvent('load'), action()])

/** Presses a button or link that opens another page. */
export const press = (button) => navigate(button.page(), () => button.click())

/** Fills in and submits the sign-in form of the current page. */
export async function signIn(page, person) {
  await page.locator('input[name=email]').fill(person.email)
  await page.locator('input[name=password]').fill(person.password)
  await press(page.locator('form:has(input[name=password]) button[type=submit]'))
}

/** Opens the sign-in page and signs in. */
export async function openAndSignIn(page, person) {
  await page.goto(`${BASE}/sign-in`)
  await signIn(page, person)
}

export const scopeBox = (page, scope) => page.locator(`input[name=scope][value="${scope}"]`)
export const decide = (page, decision) => press(page.locator(`button[name=decision][value=${decision}]`))

/** Ticks these scopes and unticks all others. */
export async function tickScopes(page, scopes) {
  for (const box of await page.locator('input[name=scope]').all()) {
    await setBox(page, box, scopes.includes(await box.getAttribute('value')))
  }
}

/** Ticks or unticks a box by clicking its label. */
export async function setBox(page, box, ticked) {
  if ((await box.isChecked()) !== ticked) await page.locator(`label[for="${await box.getAttribute('id')}"]`).click()
  assert.equal(await box.isChecked(), ticked)
}

/** Connects an app as a signed-in person; returns the app's tokens. */
export async function connect(page, app, scopes = SCOPES) {
  const { url, verifier } = authorization(app)
  await page.goto(url)
  await tickScopes(page, scopes)
  const earlier = app.callbacks.length
  await decide(page, 'allow')
  assert.ok(await becomesTrue(() => app.callbacks.length > earlier))
  const response = await redeem(app, app.callbacks.at(-1), verifier)
  return response.json()
}

/** Redeems the code from a callback. */
export function redeem(app, callback, verifier) {
  return requestTokens(app, {
    grant_type: 'authorization_code',
    code: callback.get('code'),
    redirect_uri: app.redirectUri,
    code_verifier: verifier,
  })
}

export function requestTokens(app, parameters, agent = 'app') {
  const basic = Buffer.from(`${app.id}:${app.secret}`).toString('base64')
  return fetch(`${BASE}/api/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'user-agent': agent },
    body: new URLSearchParams(parameters),
  })
}

/** Reads data as an app does. */
export function read(what, userId, token, query = '') {
  return fetch(`${BASE}/api/v1/${what}/${userId}${query}`, { headers: { authorization: `Bearer ${token}` } })
}

/**
 * Polls until a condition is true; returns whether it is. The default timeout is the two seconds that a revocation may take.
 * It applies to the start of an attempt, because a busy machine may delay the response.
 */
export async function becomesTrue(condition, milliseconds = 2000) {
  const deadline = Date.now() + milliseconds
  for (;;) {
    const startedAt = Date.now()
    if (await condition()) return true
    if (startedAt > deadline) return false
    await setTimeout(50)
  }
}

/** Backdates a person's sign-ins, directly in the store. */
export async function backdateSignIns(person, seconds) {
  const program = [
    'import sqlite3, sys, uuid',
    'path, person, seconds = sys.argv[1:]',
    'store = sqlite3.connect(path, timeout=10)',
    'changed = store.execute(',
    "    'UPDATE session SET authenticated_at = authenticated_at - ? WHERE user_id = ?',",
    '    (int(seconds) * 1000000, uuid.UUID(person).bytes))',
    'store.commit()',
    "sys.exit(0 if changed.rowcount else 'no session')",
  ]
  await promisify(execFile)('python3', ['-c', program.join('\n'), process.env.STORE, person.id, `${seconds}`])
}
