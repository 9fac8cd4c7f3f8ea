/** People, apps and browsers for the tests. Each test has its own, so that none depends on another. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { after } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'

export const BASE = process.env.BASE_URL
export const SCOPES = ['profile', 'sleep', 'supplements']
/** Longer than the least, and not plain ASCII. */
export const PASSWORD = 'vier graue Gänse schlafen im Gras'
/** The name of the cookie of somebody who signed in; with TLS it has a prefix. */
export const SESSION_COOKIE = 'restwell_session'

const ARGUMENTS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
]

/** One browser for the tests of a file, and the way to new windows of it. */
export function useBrowser() {
  let browser
  after(async () => (await browser)?.close())
  /** Opens a window with no cookies. No script runs unless the options say so, and nothing but `allowed` is asked. */
  return async function newWindow(options = {}, allowed = [BASE]) {
    browser ??= chromium.launch({ executablePath: process.env.CHROMIUM, args: ARGUMENTS })
    const context = await (await browser).newContext({ javaScriptEnabled: false, locale: 'en-GB', ...options })
    context.setDefaultTimeout(15_000)
    const page = await context.newPage()
    page.complaints = []
    page.on('console', (message) => {
      if (/security policy|refused to/i.test(message.text())) page.complaints.push(message.text())
    })
    page.on('request', (request) => {
      if (!allowed.some((origin) => request.url().startsWith(origin))) page.complaints.push(`asked ${request.url()}`)
    })
    return page
  }
}

/** Where no mail is set, a command prints the link that the server would mail. */
const PRINTING = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^RESTWELL__(MAIL|ACCOUNTS)__/.test(name)))

/** Runs a command of the program and returns what it printed. */
export function restwell(command, input = '') {
  return new Promise((resolve, reject) => {
    const child = execFile(process.env.RESTWELL_BIN, command, { env: PRINTING }, (error, output, complaint) =>
      error ? reject(new Error(`restwell ${command.join(' ')}: ${complaint}`)) : resolve(output))
    // A command that reads no input may have ended by now; its exit status says whether it worked.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

/** Creates a person who can sign in. */
export async function newPerson(email = `person-${randomBytes(6).toString('hex')}@example.org`) {
  const made = await restwell(
    ['user', 'create', '--email', email, '--timezone', 'Europe/Berlin', '--password-stdin', '--json'], `${PASSWORD}\n`)
  return { email, password: PASSWORD, id: JSON.parse(made).user_id }
}

/** Registers an app and listens where it wants people back. `arrivals` holds the addresses that came. */
export async function newApp(test, name = 'Night Reader') {
  const app = { arrivals: [] }
  const site = await newSite(test, (request, response) => {
    if (!request.url.startsWith('/callback')) return response.writeHead(404).end()
    app.arrivals.push(new URL(request.url, site.origin).searchParams)
    return welcome(response)
  })
  return Object.assign(app, await register(name, site.origin))
}

const welcome = (response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>App</title>Welcome back')

/** Registers an app of which nothing but the name counts, such as for a picture. */
export function registerApp(name) {
  const host = `${name.toLowerCase().replace(/[^a-z]+/g, '-').slice(0, 60)}.example`
  return register(name, `https://${host}`)
}

async function register(name, origin) {
  const redirectUri = `${origin}/callback`
  const scopes = SCOPES.flatMap((scope) => ['--scope', scope])
  const made = await restwell(['client', 'create', '--name', name, '--redirect-uri', redirectUri, ...scopes, '--json'])
  const { client_id: id, client_secret: secret } = JSON.parse(made)
  return { name, id, secret, origin, redirectUri, host: new URL(origin).host }
}

/** Plays the site of an app that is not there, in the browser of this page alone. */
export async function stage(page, app) {
  app.arrivals = []
  await page.route(`${app.origin}/**`, (route) => {
    app.arrivals.push(new URL(route.request().url()).searchParams)
    return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>App</title>Welcome back' })
  })
}

/** Listens on a port of its own until the test is over. */
export async function newSite(test, answer) {
  const server = http.createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  })
  return { origin: `http://127.0.0.1:${server.address().port}` }
}

/** Makes the address to which an app sends people, with what the app keeps for later. */
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

/** Does what opens another page, and waits until that is there. */
export const follow = (page, action) => Promise.all([page.waitForEvent('load'), action()])

/** Presses a button, or a link, that opens another page. */
export const press = (button) => follow(button.page(), () => button.click())

/** Fills in the form of the sign-in page that is open, and sends it. */
export async function signIn(page, person) {
  await page.locator('input[name=email]').fill(person.email)
  await page.locator('input[name=password]').fill(person.password)
  await press(page.locator('form:has(input[name=password]) button[type=submit]'))
}

/** Signs in without an app. */
export async function signInAt(page, person, path = '/sign-in') {
  await page.goto(BASE + path)
  await signIn(page, person)
}

export const scopeBox = (page, scope) => page.locator(`input[name=scope][value="${scope}"]`)
export const decide = (page, decision) => press(page.locator(`button[name=decision][value=${decision}]`))

/** Ticks exactly these scopes. */
export async function tick(page, scopes) {
  for (const box of await page.locator('input[name=scope]').all()) {
    await setBox(page, box, scopes.includes(await box.getAttribute('value')))
  }
}

/** Ticks or unticks a box by its label, which is what people hit. */
export async function setBox(page, box, ticked) {
  if ((await box.isChecked()) !== ticked) await page.locator(`label[for="${await box.getAttribute('id')}"]`).click()
  assert.equal(await box.isChecked(), ticked)
}

/** Connects an app: the whole way of a person who is signed in, and the app's tokens at its end. */
export async function connect(page, app, scopes = SCOPES) {
  const { url, verifier } = authorization(app)
  await page.goto(url)
  await tick(page, scopes)
  await decide(page, 'allow')
  await page.waitForURL(`${app.redirectUri}**`)
  const answer = await redeem(app, app.arrivals.at(-1), verifier)
  return answer.json()
}

/** Redeems the code that a person brought back. */
export function redeem(app, arrival, verifier) {
  return askForTokens(app, {
    grant_type: 'authorization_code',
    code: arrival.get('code'),
    redirect_uri: app.redirectUri,
    code_verifier: verifier,
  })
}

export function askForTokens(app, parameters, agent = 'app') {
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
 * Waits until something holds; what a revocation may take, and more than a flush of the sums, is two seconds. What counts
 * is when it was looked for: how long an answer was under way on a busy machine is nobody's fault.
 */
export async function soon(holds, milliseconds = 2000) {
  const deadline = Date.now() + milliseconds
  for (;;) {
    const lookedAt = Date.now()
    if (await holds()) return true
    if (lookedAt > deadline) return false
    await setTimeout(50)
  }
}

/** Makes the sign-ins of a person older than they are, by the hand of somebody who has the store. */
export async function age(person, seconds) {
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
