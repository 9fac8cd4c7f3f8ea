/** An app that runs in a browser, at an origin that the server lists: oidc-client-ts as a public client. */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { PASSWORD, decide, newSite, signIn, tickScopes, useBrowser } from './fixture.mjs'
import { startServer } from './server.mjs'

const newWindow = useBrowser()

const library = await readFile(
  path.join(path.dirname(createRequire(import.meta.url).resolve('oidc-client-ts/package.json')), 'dist/browser/oidc-client-ts.min.js'))

/** Serves the app, a page that loads the library, from its own origin. */
const newBrowserApp = (t) => newSite(t, (request, response) => {
  const isLibrary = request.url === '/oidc-client-ts.js'
  response.writeHead(200, { 'content-type': isLibrary ? 'text/javascript' : 'text/html' })
  response.end(isLibrary ? library : '<!doctype html><title>App</title><script src="/oidc-client-ts.js"></script>')
})

/** Starts a server with one person, and registers the app at its own origin. */
async function startWithApp(t, app, settings) {
  const server = await startServer(t, settings)
  const email = 'sam@example.org'
  const person = await server.run(
    ['user', 'create', '--email', email, '--timezone', 'Europe/Berlin', '--password-stdin', '--json'], `${PASSWORD}\n`)
  const client = await server.run(
    ['client', 'create', '--public', '--name', 'Browser App', '--redirect-uri', `${app.origin}/`, '--scope', 'profile', '--json'])
  const address = server.address
  return {
    email,
    userId: JSON.parse(person).user_id,
    options: {
      authority: address,
      metadataUrl: `${address}/.well-known/oauth-authorization-server`,
      client_id: JSON.parse(client).client_id,
      redirect_uri: `${app.origin}/`,
      scope: 'profile',
      automaticSilentRenew: false,
    },
  }
}

test('oidc-client-ts signs a person in, reads, refreshes and revokes from a listed origin', async (t) => {
  const app = await newBrowserApp(t)
  const { email, userId, options } = await startWithApp(t, app, { RESTWELL__CORS__ALLOWED_ORIGINS: app.origin })
  const page = await newWindow({ javaScriptEnabled: true }, [app.origin, options.authority])
  const runInApp = (task, argument) => page.evaluate(
    ([options, text, argument]) => new Function('manager', 'argument', `return (${text})(manager, argument)`)(
      new window.oidc.UserManager(options), argument),
    [options, task.toString(), argument])
  const read = (token) => runInApp(
    async (_, [url, token]) => (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status,
    [`${options.authority}/api/v1/profile/${userId}`, token])

  await page.goto(`${app.origin}/`)
  // The library's promise never settles, because the browser leaves the page.
  await Promise.all([page.waitForURL('**/sign-in**'), runInApp((manager) => void manager.signinRedirect())])
  await signIn(page, { email, password: PASSWORD })
  await tickScopes(page, ['profile'])
  await decide(page, 'allow')
  await page.waitForURL(`${app.origin}/?**`)
  const tokens = (user) => ({ access: user.access_token, refresh: user.refresh_token, scope: user.scope })
  const first = await runInApp(`async (manager) => (${tokens})(await manager.signinCallback())`)
  assert.equal(first.scope, 'profile')
  assert.equal(await read(first.access), 200)

  const second = await runInApp(`async (manager) => (${tokens})(await manager.signinSilent())`)
  assert.notEqual(second.refresh, first.refresh)
  assert.equal(await read(second.access), 200)

  await runInApp((manager) => manager.revokeTokens(['refresh_token']))
  const rejected = await runInApp(
    async (_, [url, body]) => (await fetch(url, { method: 'POST', body: new URLSearchParams(body) })).json(),
    [`${options.authority}/api/token`, { grant_type: 'refresh_token', refresh_token: second.refresh, client_id: options.client_id }])
  assert.equal(rejected.error, 'invalid_grant')
  assert.deepEqual(page.problems, [])
})

test('without allowed origins, the app cannot read even the metadata', async (t) => {
  const app = await newBrowserApp(t)
  const { options } = await startWithApp(t, app, {})
  const page = await newWindow({ javaScriptEnabled: true }, [app.origin, options.authority])
  await page.goto(`${app.origin}/`)
  const reachable = await page.evaluate(async ({ authority, metadataUrl }) => {
    const isReachable = (url, init) => fetch(url, init).then(() => true, () => false)
    return [await isReachable(metadataUrl), await isReachable(`${authority}/api/token`, { method: 'POST', body: new URLSearchParams() })]
  }, options)
  assert.deepEqual(reachable, [false, false])
})
