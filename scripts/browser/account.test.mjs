/** A person's account pages, in a browser with scripts disabled. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BASE, backdateSignIns, becomesTrue, connect, mainText, newApp, newPerson, openAndSignIn, press, read, requestTokens, signIn, tickScopes, useBrowser,
} from './fixture.mjs'

const newWindow = useBrowser()

const disconnectButton = (page, app) =>
  page.locator('form[action="/apps/disconnect"]', { has: page.locator(`[name=client][value="${app.id}"]`) }).getByRole('button')

async function newSignedInWindow(person, apps = []) {
  const page = await newWindow({}, [BASE, ...apps.map(({ origin }) => origin)])
  await openAndSignIn(page, person)
  return page
}

const isRejected = (person, token) => async () => (await read('profile', person.id, token)).status === 401

test('disconnecting an app revokes its access within two seconds and leaves the other app connected', async (t) => {
  const [person, owl, shelf] = await Promise.all([newPerson(), newApp(t, 'Owl Diary'), newApp(t, 'Supplement Shelf')])
  const page = await newSignedInWindow(person, [owl, shelf])
  const owlTokens = await connect(page, owl)
  const shelfTokens = await connect(page, shelf, ['supplements'])
  await page.goto(`${BASE}/apps`)
  assert.match(await mainText(page), /Owl Diary[^]*Supplement Shelf|Supplement Shelf[^]*Owl Diary/)

  await press(disconnectButton(page, owl))
  await page.waitForURL(`${BASE}/apps**`)
  assert.doesNotMatch(await mainText(page), /Owl Diary/)
  assert.match(await mainText(page), /Supplement Shelf/)
  assert.ok(await becomesTrue(isRejected(person, owlTokens.access_token)))
  const refreshed = await requestTokens(owl, { grant_type: 'refresh_token', refresh_token: owlTokens.refresh_token })
  assert.equal((await refreshed.json()).error, 'invalid_grant')
  assert.equal((await read('supplements', person.id, shelfTokens.access_token)).status, 200)
  assert.deepEqual(page.problems, [])
})

test('all apps are disconnected at once', async (t) => {
  const [person, owl, shelf] = await Promise.all([newPerson(), newApp(t, 'Owl Diary'), newApp(t, 'Supplement Shelf')])
  const page = await newSignedInWindow(person, [owl, shelf])
  const tokens = [await connect(page, owl), await connect(page, shelf)]
  await page.goto(`${BASE}/apps`)
  await page.locator('summary', { hasText: 'all' }).click()
  await press(page.locator('form', { has: page.locator('input[name=all]') }).getByRole('button'))
  await page.waitForURL(`${BASE}/apps**`)
  assert.doesNotMatch(await mainText(page), /Owl Diary|Supplement Shelf/)
  for (const { access_token: token } of tokens) assert.ok(await becomesTrue(isRejected(person, token)))
})

test('a token needs a recent sign-in, is shown once, reads only the ticked data, and can be revoked', async () => {
  const person = await newPerson()
  const page = await newSignedInWindow(person)
  const createToken = async () => {
    await page.locator('input[name=name]').fill('Sunday notebook')
    await tickScopes(page, ['profile'])
    await page.locator('select[name=expires]').selectOption('30')
    await press(page.locator('form[action="/tokens"] button[type=submit]'))
  }
  await backdateSignIns(person, 6 * 60)
  await page.goto(`${BASE}/tokens`)
  await createToken()
  assert.equal(new URL(page.url()).pathname, '/sign-in', 'the sign-in was too long ago')
  assert.doesNotMatch(await mainText(page), /rwp_/)
  await page.locator('input[name=password]').fill(person.password)
  await press(page.locator('main form button[type=submit]'))
  await page.waitForURL(`${BASE}/continue`)
  assert.match(await mainText(page), /Sunday notebook/)

  await press(page.getByRole('button', { name: 'Continue' }))
  const [token] = (await mainText(page)).match(/rwp_\w+/)
  await page.goto(`${BASE}/tokens`)
  assert.match(await mainText(page), /Sunday notebook/)
  assert.ok(!(await page.content()).includes('rwp_'), 'it is shown once')
  assert.equal((await read('profile', person.id, token)).status, 200)
  assert.equal((await read('sleep', person.id, token)).status, 403)

  await press(page.locator('form[action="/tokens/revoke"] button'))
  await page.waitForURL(`${BASE}/tokens**`)
  assert.equal(await page.locator('form[action="/tokens/revoke"]').count(), 0)
  assert.ok(await becomesTrue(isRejected(person, token)))
  assert.deepEqual(page.problems, [])
})

test('after signing out, the Back button shows no personal data', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t, 'Owl Diary')])
  const page = await newSignedInWindow(person, [app])
  await connect(page, app)
  for (const path of ['/account', '/apps']) await page.goto(BASE + path)
  assert.match(await mainText(page), /Owl Diary/)
  await press(page.getByRole('button', { name: 'Sign out' }))
  await page.waitForURL(`${BASE}/sign-out`)
  for (const left of ['/apps', '/account']) {
    await page.goBack()
    assert.equal(new URL(page.url()).pathname, '/sign-in', `after ${left}`)
    const shown = await page.content()
    assert.ok(!shown.includes('Owl Diary') && !shown.includes(person.email), `${left} is still shown`)
  }
})

test('signing out everywhere ends the other browsers too', async () => {
  const person = await newPerson()
  const [first, second] = [await newSignedInWindow(person), await newSignedInWindow(person)]
  await first.goto(`${BASE}/account`)
  await press(first.getByRole('button', { name: 'Sign out everywhere' }))
  for (const page of [first, second]) {
    await page.goto(`${BASE}/account`)
    assert.equal(new URL(page.url()).pathname, '/sign-in')
  }
})

test('a new password takes effect at once, signs out the other browsers, and renews this session', async () => {
  const person = await newPerson()
  const [first, second] = [await newSignedInWindow(person), await newSignedInWindow(person)]
  const session = async () => (await first.context().cookies()).find(({ name }) => name === 'restwell_session').value
  const before = await session()
  await first.goto(`${BASE}/account`)
  const change = async (current, next) => {
    await first.locator('input[name=current_password]').fill(current)
    await first.locator('input[name=new_password]').fill(next)
    await press(first.locator('form[action="/account/password"] button[type=submit]'))
  }
  const password = 'seven purple owls read at night'
  await change('not the right password', password)
  assert.match(await first.getByRole('alert').innerText(), /\w/)
  await change(person.password, password)
  assert.equal(await first.getByRole('alert').count(), 0)
  assert.notEqual(await session(), before)
  await first.goto(`${BASE}/account`)
  assert.equal(new URL(first.url()).pathname, '/account')
  await second.goto(`${BASE}/account`)
  assert.equal(new URL(second.url()).pathname, '/sign-in')
  await signIn(second, person)
  assert.equal(new URL(second.url()).pathname, '/sign-in', 'the old password')
  await signIn(second, { ...person, password })
  assert.equal(new URL(second.url()).pathname, '/account')
})

test('a person sees who read their data', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t, 'Owl Diary')])
  const page = await newSignedInWindow(person, [app])
  const tokens = await connect(page, app)
  await page.goto(`${BASE}/activity`)
  assert.doesNotMatch(await mainText(page), /Owl Diary/)
  assert.equal((await read('sleep', person.id, tokens.access_token)).status, 200)
  const isListed = async () => {
    await page.goto(`${BASE}/activity`)
    return /Owl Diary/.test(await mainText(page))
  }
  assert.ok(await becomesTrue(isListed, 3000))
})
