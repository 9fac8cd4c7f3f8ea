/** Attacks by hostile sites and through hostile names, in a real browser (security.md T27, T28, T30, T31, T33). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BASE, SESSION_COOKIE, authorization, connect, newApp, newPerson, newSite, openAndSignIn, press, read, signIn, useBrowser,
} from './fixture.mjs'

const newWindow = useBrowser()
const html = (response, text) => response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html>${text}`)

test('t28 another site cannot frame any page', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const hostile = await newSite(t, (request, response) =>
    html(response, `<iframe src="${new URL(request.url, 'http://x').searchParams.get('page')}"></iframe>`))
  // With scripts enabled, because the protection must not depend on their absence.
  const page = await newWindow({ javaScriptEnabled: true }, [BASE, app.origin, hostile.origin, 'chrome-error:'])
  const openInFrame = async (address) => {
    await page.goto(`${hostile.origin}/?page=${encodeURIComponent(address)}`)
    return page.frames()[1]
  }
  assert.equal((await openInFrame(app.redirectUri)).url(), app.redirectUri, 'a page that allows framing is framed')
  await openAndSignIn(page, person)
  await connect(page, app)
  const request = authorization(app).url
  await page.goto(request)
  const pages = [
    page.url(), request, ...['/sign-in', '/apps', '/tokens', '/activity', '/account', '/forgot-password', '/authorize', '/consent'].map((path) => BASE + path),
  ]
  for (const framed of pages) {
    const content = await openInFrame(framed)
    assert.equal(await content.locator('form, main').count(), 0, framed)
    assert.match(content.url(), /^chrome-error:/, framed)
  }
})

test('t27 forms on other sites have no effect', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const forms = {
    disconnect: ['/apps/disconnect', { all: 'yes' }],
    out: ['/sign-out', {}],
    everywhere: ['/account/sign-out-everywhere', {}],
    token: ['/tokens', { name: 'mine', scope: 'profile', expires: '' }],
    // Otherwise the visitor would continue as another person without noticing.
    login: ['/sign-in', { email: 'mallory@example.org', password: person.password }],
  }
  const hostile = await newSite(t, (request, response) => {
    const [action, fields] = forms[new URL(request.url, 'http://x').pathname.slice(1)] ?? ['', {}]
    const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`)
    html(response, `<form method="post" action="${BASE}${action}">${inputs.join('')}<button>Win a pillow</button></form>`)
  })
  const page = await newWindow({}, [BASE, app.origin, hostile.origin])
  await openAndSignIn(page, person)
  const tokens = await connect(page, app)
  for (const name of Object.keys(forms)) {
    await page.goto(`${hostile.origin}/${name}`)
    const [response] = await Promise.all([
      page.waitForResponse((candidate) => candidate.request().method() === 'POST'),
      page.getByRole('button').click(),
    ])
    assert.equal(response.status(), 403, name)
  }
  await page.goto(`${BASE}/apps`)
  const shown = await page.locator('body').innerText()
  assert.ok(shown.includes(app.name) && shown.includes(person.email), 'still signed in, still connected')
  await page.goto(`${BASE}/tokens`)
  assert.equal(await page.locator('form[action="/tokens/revoke"]').count(), 0)
  assert.equal((await read('profile', person.id, tokens.access_token)).status, 200)
})

test('t30 and t31 cookies have the right flags, and each sign-in creates a new session', async () => {
  const person = await newPerson()
  const page = await newWindow()
  const cookies = async () => Object.fromEntries((await page.context().cookies()).map((cookie) => [cookie.name, cookie]))
  await page.goto(`${BASE}/sign-in`)
  const before = await cookies()
  assert.ok(!(SESSION_COOKIE in before))
  await signIn(page, person)
  const first = await cookies()
  for (const [name, { domain, path, httpOnly, sameSite, secure }] of Object.entries(first)) {
    assert.deepEqual(
      { domain, path, httpOnly, sameSite, secure },
      { domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Lax', secure: false }, name)
  }
  const session = first[SESSION_COOKIE]
  assert.equal(session.expires, -1, 'it ends with the browser')
  const earlier = Object.values(before).map(({ value }) => value)
  assert.ok(!earlier.some((value) => value.includes(session.value) || session.value.includes(value)))
  await page.context().clearCookies({ name: SESSION_COOKIE })
  await openAndSignIn(page, person)
  assert.notEqual((await cookies())[SESSION_COOKIE].value, session.value)
})

test('t30 a session planted in the browser is not adopted', async () => {
  const [person, attacker] = await Promise.all([newPerson(), newPerson()])
  const attackerPage = await newWindow()
  await openAndSignIn(attackerPage, attacker)
  const planted = (await attackerPage.context().cookies()).find(({ name }) => name === SESSION_COOKIE)
  const page = await newWindow()
  await page.context().addCookies([planted])
  await page.goto(`${BASE}/account`)
  await press(page.getByRole('button', { name: 'Sign out', exact: true }))
  await openAndSignIn(page, person)
  const current = (await page.context().cookies()).find(({ name }) => name === SESSION_COOKIE)
  assert.notEqual(current.value, planted.value)
  await attackerPage.goto(`${BASE}/account`)
  assert.equal(new URL(attackerPage.url()).pathname, '/sign-in', 'the planted cookie is not a session')
})

test('t33 names are always escaped', async (t) => {
  const name = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
  const [person, app] = await Promise.all([newPerson(), newApp(t, name)])
  const page = await newWindow({ javaScriptEnabled: true }, [BASE, app.origin])
  await openAndSignIn(page, person)
  const state = '"><script>document.title=3</script>'
  await page.goto(authorization(app, { state, login_hint: '"><b id=injected>' }).url)
  assert.ok((await page.locator('main').innerText()).includes(name))
  assert.equal(await page.locator('img, script, #injected').count(), 0)
  assert.ok(!(await page.content()).includes('document.title=3'), 'the page does not show the state')
  await connect(page, app)
  await page.goto(`${BASE}/apps`)
  assert.ok((await page.locator('main').innerText()).includes(name))
  assert.equal(await page.locator('img, script, #injected').count(), 0)
  await page.goto(`${BASE}/authorize?client_id=<script>alert(1)</script>&redirect_uri=javascript:alert(1)`)
  assert.ok(!(await page.content()).includes('alert(1)'), 'the error page does not repeat input')
  assert.deepEqual(page.problems, [])
})
