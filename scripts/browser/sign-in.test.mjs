/** The whole way through the pages, in a browser that runs no scripts. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BASE, SCOPES, authorization, decide, newApp, newPerson, press, redeem, restwell, scopeBox, setBox, signIn, signInAt, tick, useBrowser,
} from './fixture.mjs'

const newWindow = useBrowser()

/** A window that may go to the app as well, and has taken the first steps of a way. */
async function sentBy(app, parameters) {
  const page = await newWindow({}, [BASE, app.origin])
  const way = authorization(app, parameters)
  await page.goto(way.url)
  return { page, verifier: way.verifier }
}

const pathOf = (page) => new URL(page.url()).pathname

test('a person signs in, ticks two of three, and comes back with a code for these two', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t, 'Night Reader')])
  const page = await newWindow({}, [BASE, app.origin])
  const steps = []
  page.on('response', (answer) => {
    const { pathname } = new URL(answer.url())
    if (!pathname.startsWith('/assets')) steps.push(`${answer.request().method()} ${pathname} ${answer.status()}`)
  })
  const { url, verifier } = authorization(app)
  await page.goto(url)
  assert.match(await page.locator('main').innerText(), /Night Reader/)
  await signIn(page, person)

  const shown = await page.locator('main').innerText()
  assert.match(shown, /Night Reader/)
  assert.ok(shown.includes('127.0.0.1'), 'the page names the site')
  assert.equal(await page.locator('input[name=scope]').count(), SCOPES.length)
  await tick(page, ['profile', 'sleep'])
  await decide(page, 'allow')
  await page.waitForURL(`${app.redirectUri}**`)

  assert.deepEqual(steps, [
    'GET /authorize 303', 'GET /sign-in 200', 'POST /sign-in 303', 'GET /consent 200', 'POST /consent 303', 'GET /callback 200',
  ])
  const [arrival, ...others] = app.arrivals
  assert.deepEqual(others, [])
  assert.equal(arrival.get('state'), 'a state & more')
  assert.equal(arrival.get('iss'), BASE)
  const tokens = await (await redeem(app, arrival, verifier)).json()
  assert.equal(tokens.scope, 'profile sleep')
  assert.equal(tokens.user_id, person.id)
  assert.deepEqual(page.complaints, [])
})

test('denying leads back with access_denied and nothing else', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const { page } = await sentBy(app)
  await signIn(page, person)
  await decide(page, 'deny')
  await page.waitForURL(`${app.redirectUri}**`)
  assert.deepEqual(Object.fromEntries(app.arrivals[0]), {
    ...Object.fromEntries([...app.arrivals[0]].filter(([name]) => name === 'error_description')),
    error: 'access_denied', state: 'a state & more', iss: BASE,
  })
  assert.deepEqual(page.complaints, [])
})

test('allowing nothing is denying', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const { page } = await sentBy(app)
  await signIn(page, person)
  await tick(page, [])
  await decide(page, 'allow')
  await page.waitForURL(`${app.redirectUri}**`)
  assert.equal(app.arrivals[0].get('error'), 'access_denied')
})

test('a remembered choice is not asked for again, and a wider request is', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const { page } = await sentBy(app, { scope: 'profile sleep' })
  await signIn(page, person)
  await setBox(page, page.locator('input[name=remember]'), true)
  await decide(page, 'allow')
  await page.waitForURL(`${app.redirectUri}**`)

  await page.goto(authorization(app, { scope: 'profile sleep' }).url)
  assert.equal(pathOf(page), '/callback', 'straight back')
  assert.ok(app.arrivals[1].get('code'))

  // In another browser the sign-in alone leads back to the app, over two redirects after the form.
  const { page: elsewhere } = await sentBy(app, { scope: 'sleep profile' })
  await signIn(elsewhere, person)
  await elsewhere.waitForURL(`${app.redirectUri}**`)
  assert.ok(app.arrivals[2].get('code'))
  assert.deepEqual(elsewhere.complaints, [])

  await page.goto(authorization(app).url)
  assert.equal(pathOf(page), '/consent', 'supplements are new')
})

test('without "remember" the next request is asked about again', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const { page } = await sentBy(app)
  await signIn(page, person)
  await decide(page, 'allow')
  await page.waitForURL(`${app.redirectUri}**`)
  await page.goto(authorization(app).url)
  assert.equal(pathOf(page), '/consent')
})

test('a decision is made once: going back and deciding again leads nowhere', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const { page } = await sentBy(app)
  await signIn(page, person)
  const consent = page.url()
  await decide(page, 'deny')
  await page.waitForURL(`${app.redirectUri}**`)
  await page.goto(consent)
  assert.equal(await page.locator('button[name=decision]').count(), 0)
  assert.equal(app.arrivals.length, 1)
})

test('a wrong password is said, the address stays, and the right one leads on to the app', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const { page } = await sentBy(app)
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
  assert.ok(app.arrivals[0].get('code'))
  assert.deepEqual(page.complaints, [])
})

test('the operator hands out a link, by which a person chooses a password once', async () => {
  const person = await newPerson()
  const said = await restwell(['user', 'reset-password', person.id])
  const [link] = said.match(/http:\S+\/set-password\?link=\S+/)
  const path = link.slice(link.indexOf('/set-password'))
  const page = await newWindow()
  await page.goto(BASE + path)
  // The browser itself holds back what is too short.
  assert.equal(await page.locator('input[name=password]').getAttribute('minlength'), '15')
  const password = 'seven purple owls read at night'
  await page.locator('input[name=password]').fill(password)
  await press(page.locator('main button[type=submit]'))
  assert.ok(!page.url().includes('rwl_'), 'the link is gone from the address')

  const other = await newWindow()
  await signInAt(other, { ...person, password })
  assert.equal(pathOf(other), '/')
  await other.goto(BASE + path)
  assert.equal(await other.locator('input[name=password]').count(), 0, 'the link is used up')
})
