/** What a hostile site, or a hostile name, tries in a real browser (security.md T27, T28, T30, T31, T33). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BASE, SESSION_COOKIE, authorization, connect, newApp, newPerson, newSite, press, read, signIn, signInAt, useBrowser,
} from './fixture.mjs'

const newWindow = useBrowser()
const html = (response, text) => response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html>${text}`)

test('t28 no page shows in a frame of another site', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const evil = await newSite(t, (request, response) =>
    html(response, `<iframe src="${new URL(request.url, 'http://x').searchParams.get('page')}"></iframe>`))
  // Scripts may run: nothing of the answer rests on their absence.
  const page = await newWindow({ javaScriptEnabled: true }, [BASE, app.origin, evil.origin, 'chrome-error:'])
  const frame = async (address) => {
    await page.goto(`${evil.origin}/?page=${encodeURIComponent(address)}`)
    return page.frames()[1]
  }
  assert.equal((await frame(app.redirectUri)).url(), app.redirectUri, 'a page that may be framed is')
  await signInAt(page, person)
  await connect(page, app)
  const request = authorization(app).url
  await page.goto(request)
  const pages = [
    page.url(), request, ...['/sign-in', '/apps', '/tokens', '/activity', '/account', '/forgot-password', '/authorize', '/consent'].map((path) => BASE + path),
  ]
  for (const framed of pages) {
    const inside = await frame(framed)
    assert.equal(await inside.locator('form, main').count(), 0, framed)
    assert.match(inside.url(), /^chrome-error:/, framed)
  }
})

test('t27 a form of another site changes nothing', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const forms = {
    disconnect: ['/apps/disconnect', { all: 'yes' }],
    out: ['/sign-out', {}],
    everywhere: ['/account/sign-out-everywhere', {}],
    token: ['/tokens', { name: 'mine', scope: 'profile', expires: '' }],
    // The visitor would go on as somebody else, and not notice.
    login: ['/sign-in', { email: 'mallory@example.org', password: person.password }],
  }
  const evil = await newSite(t, (request, response) => {
    const [action, fields] = forms[new URL(request.url, 'http://x').pathname.slice(1)] ?? ['', {}]
    const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`)
    html(response, `<form method="post" action="${BASE}${action}">${inputs.join('')}<button>Win a pillow</button></form>`)
  })
  const page = await newWindow({}, [BASE, app.origin, evil.origin])
  await signInAt(page, person)
  const tokens = await connect(page, app)
  for (const name of Object.keys(forms)) {
    await page.goto(`${evil.origin}/${name}`)
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      page.getByRole('button').click(),
    ])
    assert.equal(answer.status(), 403, name)
  }
  await page.goto(`${BASE}/apps`)
  const shown = await page.locator('body').innerText()
  assert.ok(shown.includes(app.name) && shown.includes(person.email), 'still signed in, still connected')
  await page.goto(`${BASE}/tokens`)
  assert.equal(await page.locator('form[action="/tokens/revoke"]').count(), 0)
  assert.equal((await read('profile', person.id, tokens.access_token)).status, 200)
})

test('t30 and t31 cookies: flags as the browser has them, and a new session for each sign-in', async () => {
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
  await signInAt(page, person)
  assert.notEqual((await cookies())[SESSION_COOKIE].value, session.value)
})

test('t30 a session that somebody else put into the browser is not taken over', async () => {
  const [person, mallory] = await Promise.all([newPerson(), newPerson()])
  const theirs = await newWindow()
  await signInAt(theirs, mallory)
  const planted = (await theirs.context().cookies()).find(({ name }) => name === SESSION_COOKIE)
  const page = await newWindow()
  await page.context().addCookies([planted])
  await page.goto(`${BASE}/account`)
  await press(page.getByRole('button', { name: 'Sign out', exact: true }))
  await signInAt(page, person)
  const now = (await page.context().cookies()).find(({ name }) => name === SESSION_COOKIE)
  assert.notEqual(now.value, planted.value)
  await theirs.goto(`${BASE}/account`)
  assert.equal(new URL(theirs.url()).pathname, '/sign-in', 'what was planted is worth nothing')
})

test('t33 names are text, whatever they hold', async (t) => {
  const name = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
  const [person, app] = await Promise.all([newPerson(), newApp(t, name)])
  const page = await newWindow({ javaScriptEnabled: true }, [BASE, app.origin])
  await signInAt(page, person)
  const state = '"><script>document.title=3</script>'
  await page.goto(authorization(app, { state, login_hint: '"><b id=injected>' }).url)
  assert.ok((await page.locator('main').innerText()).includes(name))
  assert.equal(await page.locator('img, script, #injected').count(), 0)
  assert.ok(!(await page.content()).includes('document.title=3'), 'the state is nobody else\'s business')
  await connect(page, app)
  await page.goto(`${BASE}/apps`)
  assert.ok((await page.locator('main').innerText()).includes(name))
  assert.equal(await page.locator('img, script, #injected').count(), 0)
  await page.goto(`${BASE}/authorize?client_id=<script>alert(1)</script>&redirect_uri=javascript:alert(1)`)
  assert.ok(!(await page.content()).includes('alert(1)'), 'an error page repeats nothing')
  assert.deepEqual(page.complaints, [])
})
