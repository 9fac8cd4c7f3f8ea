/** A second factor, turned on and used by a new person on a phone. pyotp acts as the authenticator app. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  BASE, backdateSignIns, mainText, newPerson, openAndSignIn, press, restwell, signIn, useBrowser,
} from './fixture.mjs'
import { PHONE, checkAppearance } from './appearance.mjs'

const ON_PHONE = { viewport: PHONE }
const newWindow = useBrowser()

/** Returns the code some 30-second steps from now. Waits if the current step is about to end. */
async function code(uri, steps = 0) {
  const remaining = 30_000 - (Date.now() % 30_000)
  if (remaining < 8_000) await wait(remaining)
  const program = 'import pyotp, sys, time; print(pyotp.parse_uri(sys.argv[1]).at(time.time() + 30 * int(sys.argv[2])))'
  const { stdout } = await promisify(execFile)(process.env.PYTHON, ['-c', program, uri, `${steps}`])
  return stdout.trim()
}

async function enterCode(page, typed) {
  await page.locator('input[name=code]').fill(typed)
  await press(page.locator('form:has(input[name=code]) button[type=submit]'))
}

/** Turns on the second factor in a signed-in window; returns the app's address and the recovery codes. */
async function turnOn(page) {
  await page.goto(`${BASE}/account`)
  await press(page.getByRole('link', { name: 'Set up a second factor' }))
  const uri = await page.locator('a[href^="otpauth:"]').getAttribute('href')
  // The code of the previous step, so that the current one can still be used to sign in.
  await enterCode(page, await code(uri, -1))
  const codes = await page.locator('.codes code').allInnerTexts()
  assert.equal(codes.length, 10, await mainText(page))
  await press(page.getByRole('link', { name: 'I have saved them' }))
  return { uri, codes }
}

test('a new person turns on a second factor on a phone, without scripts', async () => {
  const person = await newPerson()
  const page = await newWindow(ON_PHONE)
  await openAndSignIn(page, person)
  await page.goto(`${BASE}/account`)
  assert.match(await mainText(page), /Second factor\s+Off\./)
  await press(page.getByRole('link', { name: 'Set up a second factor' }))
  const uri = await page.locator('a[href^="otpauth:"]').getAttribute('href')
  const shown = (await page.locator('code.secret').innerText()).replace(/\s/g, '')
  assert.equal(new URL(uri).searchParams.get('secret'), shown)
  assert.equal(new URL(uri).searchParams.get('issuer'), new URL(BASE).host)
  assert.equal(await page.locator('svg.qr path').count(), 1)
  await enterCode(page, '000000')
  assert.match(await mainText(page), /This code is incorrect/)
  assert.equal(await page.locator('a[href^="otpauth:"]').getAttribute('href'), uri, 'the app keeps its key after a wrong code')
  await enterCode(page, await code(uri, -1))
  const codes = await page.locator('.codes code').allInnerTexts()
  assert.equal(new Set(codes).size, 10)
  await press(page.getByRole('link', { name: 'I have saved them' }))
  assert.match(await mainText(page), /On\.[^]*10 recovery codes left/)

  await press(page.getByRole('button', { name: 'Sign out', exact: true }))
  await openAndSignIn(page, person)
  assert.match(await mainText(page), /Enter your code/)
  await page.goto(`${BASE}/account`)
  assert.match(page.url(), /sign-in/, 'the password alone opens nothing')
  await page.goto(`${BASE}/sign-in/second-factor`)
  const now = await code(uri)
  // As people type it.
  await enterCode(page, `${now.slice(0, 3)} ${now.slice(3)}`)
  assert.equal(page.url(), `${BASE}/`)

  // The same code again, in another browser; then a recovery code.
  const other = await newWindow(ON_PHONE)
  await openAndSignIn(other, person)
  await enterCode(other, now)
  assert.match(await mainText(other), /incorrect or was used before/)
  await press(other.getByRole('link', { name: 'Use a recovery code' }))
  await enterCode(other, codes[0])
  assert.equal(other.url(), `${BASE}/`)
  await other.goto(`${BASE}/account`)
  assert.match(await mainText(other), /9 recovery codes left/)
  assert.deepEqual([...page.problems, ...other.problems], [])
})

test('turning it off requires a recent sign-in with both factors', async () => {
  const person = await newPerson()
  const page = await newWindow(ON_PHONE)
  await openAndSignIn(page, person)
  const { uri } = await turnOn(page)
  await press(page.getByRole('link', { name: 'Manage second factor' }))
  await backdateSignIns(person, 301)
  await press(page.getByRole('button', { name: 'Turn off the second factor' }))
  assert.match(await mainText(page), /Confirm your password/)
  await page.locator('input[name=password]').fill(person.password)
  await press(page.locator('form:has(input[name=password]) button[type=submit]'))
  await enterCode(page, await code(uri))
  await press(page.getByRole('button', { name: 'Turn off the second factor' }))
  assert.match(await mainText(page), /Your second factor is off/)
})

test('sessions have names, and one of them or all others are signed out', async () => {
  const person = await newPerson()
  const firefox = 'Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0'
  const [page, phone, tablet] = await Promise.all([newWindow(), newWindow({ userAgent: firefox }), newWindow()])
  for (const window of [phone, tablet, page]) await openAndSignIn(window, person)
  await page.goto(`${BASE}/account`)
  assert.match(await mainText(page), /Chrome on Linux this browser[^]*127\.0\.0\.1[^]*Firefox on Android/i)
  await press(page.getByRole('button', { name: /Sign out Firefox on Android/ }))
  assert.match(await mainText(page), /That browser is signed out/)
  assert.doesNotMatch(await mainText(page), /Firefox on Android/)
  await phone.goto(`${BASE}/account`)
  assert.match(phone.url(), /sign-in/)
  await press(page.getByRole('button', { name: 'Sign out all others' }))
  assert.match(await mainText(page), /signed out of every other browser/)
  await tablet.goto(`${BASE}/account`)
  assert.match(tablet.url(), /sign-in/)
  await page.goto(`${BASE}/activity`)
  assert.match(await mainText(page), /signed in\s+Firefox on Android, 127\.0\.0\.1/)
})

test('axe-core finds nothing on the pages of the second factor, on a phone and on a desktop', async () => {
  const person = await newPerson()
  const page = await newWindow({ javaScriptEnabled: true, reducedMotion: 'reduce' })
  await openAndSignIn(page, person)
  const inspect = (name) => checkAppearance(page, `second-factor-${name}`)
  await page.goto(`${BASE}/account`)
  await inspect('account-off')
  await page.goto(`${BASE}/account/second-factor`)
  await inspect('set-up')
  const uri = await page.locator('a[href^="otpauth:"]').getAttribute('href')
  await enterCode(page, '000000')
  await inspect('set-up-refused')
  await enterCode(page, await code(uri, -1))
  assert.equal(await page.locator('.codes code').count(), 10, await mainText(page))
  await inspect('codes')
  await page.goto(`${BASE}/account`)
  await inspect('account-on')
  await page.goto(`${BASE}/account/second-factor`)
  await inspect('manage')
  await page.goto(`${BASE}/activity`)
  await inspect('activity')
  await page.context().clearCookies()
  await openAndSignIn(page, person)
  await inspect('code')
  await enterCode(page, '000000')
  await inspect('code-refused')
  await page.goto(`${BASE}/sign-in/second-factor?with=recovery-code`)
  await inspect('recovery')
  await restwell(['user', 'second-factor', 'reset', person.email])
  await page.goto(`${BASE}/sign-in`)
  await signIn(page, person)
  assert.equal(page.url(), `${BASE}/`)
})
