/** The complete authorization flow, in a browser with scripts disabled. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BASE, SCOPES, authorization, decide, newApp, newPerson, openAndSignIn, press, redeem, restwell, scopeBox, setBox, signIn, tickScopes, useBrowser,
} from './fixture.mjs'

const newWindow = useBrowser()

/** Opens an authorization URL of an app in a new window. */
async function openAuthorization(app, parameters) {
  const page = await newWindow({}, [BASE, app.origin])
  await page.goto(authorization(app, parameters).url)
  return page
}

const pathOf = (page) => new URL(page.url()).pathname

test('a person signs in, ticks two of three scopes, and returns with a code for these two', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t, 'Night Reader')])
  const page = await newWindow({}, [BASE, app.origin])
  const steps = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (!pathname.startsWith('/assets')) steps.push(`${response.request().method()} ${pathname} ${response.status()}`)
  })
  const { url, verifier } = authorization(app)
  await page.goto(url)
  assert.match(await page.locator('main').innerText(), /Night Reader/)
  await signIn(page, person)

  const shown = await page.locator('main').innerText()
  assert.match(shown, /Night Reader/)
  assert.ok(shown.includes('127.0.0.1'), 'the page names the site')
  assert.equal(await page.locator('input[name=scope]').count(), SCOPES.length)
  await tickScopes(page, ['profile', 'sleep'])
  await decide(page, 'allow')
  await page.waitForURL(`${app.redirectUri}**`)

  assert.deepEqual(steps, [
    'GET /authorize 303', 'GET /sign-in 200', 'POST /sign-in 303', 'GET /consent 200', 'POST /consent 303', 'GET /callback 200',
  ])
  const [callback, ...others] = app.callbacks
  assert.deepEqual(others, [])
  assert.equal(callback.get('state'), 'a state & more')
  assert.equal(callback.get('iss'), BASE)
  const tokens = await (await redeem(app, callback, verifier)).json()
  assert.equal(tokens.scope, 'profile sleep')
  assert.equal(tokens.user_id, person.id)
  assert.deepEqual(page.problems, [])
})

test('denying returns to the app with access_denied and nothing else', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const page = await openAuthorization(app)
  await signIn(page, person)
  await decide(page, 'deny')
  await page.waitForURL(`${app.redirectUri}**`)
  assert.deepEqual(Object.fromEntries(app.callbacks[0]), {
    ...Object.fromEntries([...app.callbacks[0]].filter(([name]) => name === 'error_description')),
    error: 'access_denied', state: 'a state & more', iss: BASE,
  })
  assert.deepEqual(page.problems, [])
})

test('allowing no scope is a denial', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const page = await openAuthorization(app)
  await signIn(page, person)
  await tickScopes(page, [])
  await decide(page, 'allow')
  await page.waitForURL(`${app.redirectUri}**`)
  assert.equal(app.callbacks[0].get('error'), 'access_denied')
})

test('a remembered choice is not asked again, but a wider request is', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const page = await openAuthorization(app, { scope: 'profile sleep' })
  await signIn(page, person)
  await setBox(page, page.locator('input[name=remember]'), true)
  await decide(page, 'allow')
  await page.waitForURL(`${app.redirectUri}**`)

  await page.goto(authorization(app, { scope: 'profile sleep' }).url)
  assert.equal(pathOf(page), '/callback', 'straight back')
  assert.ok(app.callbacks[1].get('code'))

  // In another browser, signing in leads straight back to the app: two redirects after the form.
  const elsewhere = await openAuthorization(app, { scope: 'sleep profile' })
  await signIn(elsewhere, person)
  await elsewhere.waitForURL(`${app.redirectUri}**`)
  assert.ok(app.callbacks[2].get('code'))
  assert.deepEqual(elsewhere.problems, [])

  await page.goto(authorization(app).url)
  assert.equal(pathOf(page), '/consent', 'supplements are new')
})

test('without "remember" the next request asks again', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const page = await openAuthorization(app)
  await signIn(page, person)
  await decide(page, 'allow')
  await page.waitForURL(`${app.redirectUri}**`)
  await page.goto(authorization(app).url)
  assert.equal(pathOf(page), '/consent')
})

test('a decision is final: going back and deciding again has no effect', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const page = await openAuthorization(app)
  await signIn(page, person)
  const consent = page.url()
  await decide(page, 'deny')
  await page.waitForURL(`${app.redirectUri}**`)
  await page.goto(consent)
  assert.equal(await page.locator('button[name=decision]').count(), 0)
  assert.equal(app.callbacks.length, 1)
})

test('a wrong password shows an error and keeps the address; the right one continues to the app', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const page = await openAuthorization(app)
  await signIn(page, { ...person, password: 'not the right password' })
  assert.equal(pathOf(page), '/sign-in')
  assert.match(await page.getByRole('alert').innerText(), /incorrect/)
  assert.match(await page.title(), /^Error/)
  assert.equal(await page.locator('input[name=email]').inputValue(), person.email)
  assert.equal(await page.locator('input[name=password]').inputValue(), '')
  await signIn(page, person)
  assert.equal(pathOf(page), '/consent')
  await setBox(page, scopeBox(page, 'supplements'), false)
  await decide(page, 'allow')
  await page.waitForURL(`${app.redirectUri}**`)
  assert.ok(app.callbacks[0].get('code'))
  assert.deepEqual(page.problems, [])
})

test('a link from the operator lets a person choose a password once', async () => {
  const person = await newPerson()
  const output = await restwell(['user', 'reset-password', person.id])
  const [link] = output.match(/http:\S+\/set-password\?link=\S+/)
  const path = link.slice(link.indexOf('/set-password'))
  const page = await newWindow()
  await page.goto(BASE + path)
  // The browser itself rejects a password that is too short.
  assert.equal(await page.locator('input[name=password]').getAttribute('minlength'), '15')
  const password = 'seven purple owls read at night'
  await page.locator('input[name=password]').fill(password)
  await press(page.locator('main button[type=submit]'))
  assert.ok(!page.url().includes('rwl_'), 'the link is gone from the address')

  const other = await newWindow()
  await openAndSignIn(other, { ...person, password })
  assert.equal(pathOf(other), '/')
  await other.goto(BASE + path)
  assert.equal(await other.locator('input[name=password]').count(), 0, 'the link is used up')
})
