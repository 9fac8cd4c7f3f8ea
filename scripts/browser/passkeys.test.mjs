/** Passkeys with Chromium's virtual authenticator: adding, using, renaming and removing, and what must not work. */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import net from 'node:net'
import { once } from 'node:events'
import path from 'node:path'
import { test } from 'node:test'
import { BASE, PASSWORD, newPerson, press, signInAt, useBrowser } from './fixture.mjs'
import { startServer } from './server.mjs'

const newWindow = useBrowser()
const axe = createRequire(import.meta.url)('axe-core')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const EMAIL = 'sam@example.org'
const AUTHENTICATOR = {
  protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true,
  isUserVerified: true, automaticPresenceSimulation: true,
}

/** Starts a server that browsers reach by the name localhost, with one person. */
async function newServer(t) {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise((done) => probe.close(done))
  const origin = `http://localhost:${port}`
  const { run } = await startServer(t, { RESTWELL__SERVER__LISTEN: `127.0.0.1:${port}`, RESTWELL__SERVER__PUBLIC_URL: origin })
  await run(['user', 'create', '--email', EMAIL, '--timezone', 'Europe/Berlin', '--password-stdin'], `${PASSWORD}\n`)
  return origin
}

/** Opens a window that runs scripts and has an authenticator. */
async function newVisitor(origin, options = {}) {
  const page = await newWindow({ javaScriptEnabled: true, ...options }, [origin])
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR })
  return { page, authenticator: (command, more = {}) => devtools.send(`WebAuthn.${command}`, { authenticatorId, ...more }) }
}

async function signInWithPassword(page, origin) {
  await page.goto(`${origin}/sign-in?to=account`)
  await page.locator('input[name=email]').fill(EMAIL)
  await page.locator('input[name=password]').fill(PASSWORD)
  await press(page.locator('form:has(input[name=password]) button[type=submit]'))
}

async function addPasskey(page, origin, name) {
  await page.goto(`${origin}/account`)
  await page.getByLabel('Name of the new passkey').fill(name)
  await press(page.getByRole('button', { name: 'Add a passkey' }))
}

const main = (page) => page.locator('main').innerText()
const signInButton = (page) => page.getByRole('button', { name: 'Sign in with a passkey' })

/** Presses a button whose ceremony fails, and returns what the page says. */
async function failing(page, button) {
  await button.click()
  const message = page.locator('form.passkey [role=status]:not(:empty)')
  await message.waitFor()
  return message.innerText()
}

/** Checks a page on a phone and a desktop, light and dark. */
async function assertLooks(page, name) {
  await page.evaluate(axe.source)
  for (const [size, viewport] of Object.entries({ phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } })) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      const { violations } = await page.evaluate(
        (rules) => window.axe.run(document, { runOnly: { type: 'tag', values: rules } }), RULES)
      assert.deepEqual(violations.map(({ id, help }) => `${id}: ${help}`), [], `${name} ${size} ${colorScheme}`)
      const overflow = await page.evaluate(() => document.scrollingElement.scrollWidth - document.documentElement.clientWidth)
      assert.ok(overflow <= 0, `${name} is wider than a ${size}`)
      await page.screenshot({ path: path.join(process.env.SCREENSHOTS, `${name}-${size}-${colorScheme}.png`), fullPage: true })
    }
  }
}

test('a passkey is added, signs in without an address, is renamed, removed, and then refused', async (t) => {
  const origin = await newServer(t)
  const { page, authenticator } = await newVisitor(origin, { reducedMotion: 'reduce' })
  await signInWithPassword(page, origin)
  await addPasskey(page, origin, 'My phone')
  assert.match(await main(page), /Your passkey has been added[^]*My phone[^]*Last used\s+Never/)
  await assertLooks(page, 'account-with-passkey')

  // The same authenticator does not get a second one.
  await page.getByLabel('Name of the new passkey').fill('Again')
  const known = await failing(page, page.getByRole('button', { name: 'Add a passkey' }))
  assert.match(known, /already has a passkey/)

  await page.context().clearCookies()
  await page.goto(`${origin}/sign-in?to=account`)
  await assertLooks(page, 'sign-in-with-passkey')
  await press(signInButton(page))
  assert.equal(page.url(), `${origin}/account`)
  assert.doesNotMatch(await main(page), /Last used\s+Never/)

  await page.getByText('Rename').click()
  await page.getByLabel('New name').fill('Blue phone')
  await press(page.getByRole('button', { name: 'Save the new name' }))
  assert.match(await main(page), /Blue phone/)

  await press(page.getByRole('button', { name: 'Remove Blue phone' }))
  assert.match(await main(page), /Your passkey has been removed/)
  const { credentials } = await authenticator('getCredentials')
  assert.equal(credentials.length, 1)
  await page.context().clearCookies()
  await page.goto(`${origin}/sign-in`)
  await press(signInButton(page))
  assert.match(await main(page), /The passkey could not be used here/)
  assert.deepEqual(page.complaints, [])
})

test('without the check of a fingerprint or PIN a passkey is neither added nor used', async (t) => {
  const origin = await newServer(t)
  const { page, authenticator } = await newVisitor(origin)
  await signInWithPassword(page, origin)
  await authenticator('setUserVerified', { isUserVerified: false })
  await page.getByLabel('Name of the new passkey').fill('My phone')
  assert.match(await failing(page, page.getByRole('button', { name: 'Add a passkey' })), /No passkey was added/)
  await authenticator('setUserVerified', { isUserVerified: true })
  await addPasskey(page, origin, 'My phone')
  await page.context().clearCookies()
  await page.goto(`${origin}/sign-in`)
  await authenticator('setUserVerified', { isUserVerified: false })
  assert.match(await failing(page, signInButton(page)), /The passkey was not used/)
  assert.equal(new URL(page.url()).pathname, '/sign-in')
})

test('a cloned authenticator whose counter is behind is refused', async (t) => {
  const origin = await newServer(t)
  const { page, authenticator } = await newVisitor(origin)
  await signInWithPassword(page, origin)
  await addPasskey(page, origin, 'My phone')
  const { credentials: [clone] } = await authenticator('getCredentials')
  const enter = async () => {
    await page.context().clearCookies()
    await page.goto(`${origin}/sign-in?to=account`)
    await press(signInButton(page))
  }
  await enter()
  assert.equal(page.url(), `${origin}/account`)
  await authenticator('removeCredential', { credentialId: clone.credentialId })
  await authenticator('addCredential', { credential: clone })
  await enter()
  assert.match(await main(page), /The passkey could not be used here/)
})

test('without scripts, and at an IP address, no page offers a passkey', async (t) => {
  const origin = await newServer(t)
  const page = await newWindow({}, [origin])
  await page.goto(`${origin}/sign-in`)
  assert.equal(await signInButton(page).count(), 0)
  await signInWithPassword(page, origin)
  assert.match(await main(page), /Adding a passkey needs JavaScript/)
  assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0)

  const person = await newPerson()
  const there = await newWindow({ javaScriptEnabled: true })
  await signInAt(there, person)
  await there.goto(`${BASE}/account`)
  assert.match(await main(there), /not an IP address/)
  assert.equal(await there.locator('script').count(), 0)
})
