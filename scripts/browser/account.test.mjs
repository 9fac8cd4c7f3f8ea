/** What a person does on their own pages, in a browser that runs no scripts. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BASE, age, askForTokens, connect, newApp, newPerson, press, read, signIn, signInAt, soon, tick, useBrowser,
} from './fixture.mjs'

const newWindow = useBrowser()

const main = (page) => page.locator('main').innerText()
const disconnectButton = (page, app) =>
  page.locator('form[action="/apps/disconnect"]', { has: page.locator(`[name=client][value="${app.id}"]`) }).getByRole('button')

async function signedIn(person, apps = []) {
  const page = await newWindow({}, [BASE, ...apps.map(({ origin }) => origin)])
  await signInAt(page, person)
  return page
}

const isRefused = (person, token) => async () => (await read('profile', person.id, token)).status === 401

test('disconnecting an app ends it within two seconds, and leaves the other', async (t) => {
  const [person, owl, shelf] = await Promise.all([newPerson(), newApp(t, 'Owl Diary'), newApp(t, 'Supplement Shelf')])
  const page = await signedIn(person, [owl, shelf])
  const owlTokens = await connect(page, owl)
  const shelfTokens = await connect(page, shelf, ['supplements'])
  await page.goto(`${BASE}/apps`)
  assert.match(await main(page), /Owl Diary[^]*Supplement Shelf|Supplement Shelf[^]*Owl Diary/)

  await press(disconnectButton(page, owl))
  await page.waitForURL(`${BASE}/apps**`)
  assert.doesNotMatch(await main(page), /Owl Diary/)
  assert.match(await main(page), /Supplement Shelf/)
  assert.ok(await soon(isRefused(person, owlTokens.access_token)))
  const refreshed = await askForTokens(owl, { grant_type: 'refresh_token', refresh_token: owlTokens.refresh_token })
  assert.equal((await refreshed.json()).error, 'invalid_grant')
  assert.equal((await read('supplements', person.id, shelfTokens.access_token)).status, 200)
  assert.deepEqual(page.complaints, [])
})

test('all apps are disconnected at once', async (t) => {
  const [person, owl, shelf] = await Promise.all([newPerson(), newApp(t, 'Owl Diary'), newApp(t, 'Supplement Shelf')])
  const page = await signedIn(person, [owl, shelf])
  const tokens = [await connect(page, owl), await connect(page, shelf)]
  await page.goto(`${BASE}/apps`)
  await page.locator('summary', { hasText: 'all' }).click()
  await press(page.locator('form', { has: page.locator('input[name=all]') }).getByRole('button'))
  await page.waitForURL(`${BASE}/apps**`)
  assert.doesNotMatch(await main(page), /Owl Diary|Supplement Shelf/)
  for (const { access_token: token } of tokens) assert.ok(await soon(isRefused(person, token)))
})

test('a token needs a fresh sign-in, is shown once, reads what was ticked, and is revoked', async () => {
  const person = await newPerson()
  const page = await signedIn(person)
  const makeToken = async () => {
    await page.locator('input[name=name]').fill('Sunday notebook')
    await tick(page, ['profile'])
    await page.locator('select[name=expires]').selectOption('30')
    await press(page.locator('form[action="/tokens"] button[type=submit]'))
  }
  await age(person, 6 * 60)
  await page.goto(`${BASE}/tokens`)
  await makeToken()
  assert.equal(new URL(page.url()).pathname, '/sign-in', 'the sign-in was too long ago')
  assert.doesNotMatch(await main(page), /rwp_/)
  await page.locator('input[name=password]').fill(person.password)
  await press(page.locator('main form button[type=submit]'))
  await page.waitForURL(`${BASE}/continue`)
  assert.match(await main(page), /Sunday notebook/)

  await press(page.getByRole('button', { name: 'Continue' }))
  const [token] = (await main(page)).match(/rwp_\w+/)
  await page.goto(`${BASE}/tokens`)
  assert.match(await main(page), /Sunday notebook/)
  assert.ok(!(await page.content()).includes('rwp_'), 'it is shown once')
  assert.equal((await read('profile', person.id, token)).status, 200)
  assert.equal((await read('sleep', person.id, token)).status, 403)

  await press(page.locator('form[action="/tokens/revoke"] button'))
  await page.waitForURL(`${BASE}/tokens**`)
  assert.equal(await page.locator('form[action="/tokens/revoke"]').count(), 0)
  assert.ok(await soon(isRefused(person, token)))
  assert.deepEqual(page.complaints, [])
})

test('after signing out, Back shows nothing of the person', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t, 'Owl Diary')])
  const page = await signedIn(person, [app])
  await connect(page, app)
  for (const path of ['/account', '/apps']) await page.goto(BASE + path)
  assert.match(await main(page), /Owl Diary/)
  await press(page.getByRole('button', { name: 'Sign out' }))
  await page.waitForURL(`${BASE}/sign-out`)
  for (const left of ['/apps', '/account']) {
    await page.goBack()
    assert.equal(new URL(page.url()).pathname, '/sign-in', `after ${left}`)
    const shown = await page.content()
    assert.ok(!shown.includes('Owl Diary') && !shown.includes(person.email), `${left} is still there`)
  }
})

test('signing out everywhere ends the other browsers too', async () => {
  const person = await newPerson()
  const [here, there] = [await signedIn(person), await signedIn(person)]
  await here.goto(`${BASE}/account`)
  await press(here.getByRole('button', { name: 'Sign out everywhere' }))
  for (const page of [here, there]) {
    await page.goto(`${BASE}/account`)
    assert.equal(new URL(page.url()).pathname, '/sign-in')
  }
})

test('a new password counts at once, ends the other browsers, and gives this one a new session', async () => {
  const person = await newPerson()
  const [here, there] = [await signedIn(person), await signedIn(person)]
  const session = async () => (await here.context().cookies()).find(({ name }) => name === 'restwell_session').value
  const before = await session()
  await here.goto(`${BASE}/account`)
  const change = async (current, next) => {
    await here.locator('input[name=current_password]').fill(current)
    await here.locator('input[name=new_password]').fill(next)
    await press(here.locator('form[action="/account/password"] button[type=submit]'))
  }
  const password = 'seven purple owls read at night'
  await change('not the right password', password)
  assert.match(await here.getByRole('alert').innerText(), /\w/)
  await change(person.password, password)
  assert.equal(await here.getByRole('alert').count(), 0)
  assert.notEqual(await session(), before)
  await here.goto(`${BASE}/account`)
  assert.equal(new URL(here.url()).pathname, '/account')
  await there.goto(`${BASE}/account`)
  assert.equal(new URL(there.url()).pathname, '/sign-in')
  await signIn(there, person)
  assert.equal(new URL(there.url()).pathname, '/sign-in', 'the old password')
  await signIn(there, { ...person, password })
  assert.equal(new URL(there.url()).pathname, '/account')
})

test('a person sees who read their data', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t, 'Owl Diary')])
  const page = await signedIn(person, [app])
  const tokens = await connect(page, app)
  await page.goto(`${BASE}/activity`)
  assert.doesNotMatch(await main(page), /Owl Diary/)
  assert.equal((await read('sleep', person.id, tokens.access_token)).status, 200)
  const isListed = async () => {
    await page.goto(`${BASE}/activity`)
    return /Owl Diary/.test(await main(page))
  }
  assert.ok(await soon(isListed, 3000))
})
