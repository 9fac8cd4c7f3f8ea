/** Passkeys with Chromium's virtual authenticator: adding, using, renaming, removing, and misuse. */

import assert from 'node:assert/strict'
import net from 'node:net'
import { once } from 'node:events'
import { test } from 'node:test'
import { BASE, PASSWORD, mainText, newPerson, openAndSignIn, press, useBrowser } from './fixture.mjs'
import { checkAppearance } from './appearance.mjs'
import { startServer } from './server.mjs'

const newWindow = useBrowser()
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
  return { origin, run }
}

/** Opens a window that runs scripts and has an authenticator. */
async function newWindowWithAuthenticator(origin, options = {}) {
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

const signInButton = (page) => page.getByRole('button', { name: 'Sign in with a passkey' })

/** Presses a button that fails, and returns the message on the page. */
async function failureMessage(page, button) {
  await button.click()
  const message = page.locator('form.passkey [role=status]:not(:empty)')
  await message.waitFor()
  return message.innerText()
}

test('a passkey is added, signs in without an address, is renamed, removed, and then rejected', async (t) => {
  const { origin } = await newServer(t)
  const { page, authenticator } = await newWindowWithAuthenticator(origin, { reducedMotion: 'reduce' })
  await signInWithPassword(page, origin)
  await addPasskey(page, origin, 'My phone')
  assert.match(await mainText(page), /Your passkey has been added[^]*My phone[^]*Last used\s+Never/)
  await checkAppearance(page, 'account-with-passkey')

  // The same authenticator cannot add a second one.
  await page.getByLabel('Name of the new passkey').fill('Again')
  const message = await failureMessage(page, page.getByRole('button', { name: 'Add a passkey' }))
  assert.match(message, /already has a passkey/)

  await page.context().clearCookies()
  await page.goto(`${origin}/sign-in?to=account`)
  await checkAppearance(page, 'sign-in-with-passkey')
  await press(signInButton(page))
  assert.equal(page.url(), `${origin}/account`)
  assert.doesNotMatch(await mainText(page), /Last used\s+Never/)

  await page.getByText('Rename').click()
  await page.getByLabel('New name').fill('Blue phone')
  await press(page.getByRole('button', { name: 'Save the new name' }))
  assert.match(await mainText(page), /Blue phone/)

  await press(page.getByRole('button', { name: 'Remove Blue phone' }))
  assert.match(await mainText(page), /Your passkey has been removed/)
  const { credentials } = await authenticator('getCredentials')
  assert.equal(credentials.length, 1)
  await page.context().clearCookies()
  await page.goto(`${origin}/sign-in`)
  await press(signInButton(page))
  assert.match(await mainText(page), /The passkey could not be used here/)
  assert.deepEqual(page.problems, [])
})

test('a reset keeps the passkeys that are ticked with the keyboard and confirmed, and removes the others', async (t) => {
  const { origin, run } = await newServer(t)
  const openLink = async (page) => {
    const output = await run(['user', 'reset-password', EMAIL])
    await page.goto(origin + output.match(/\/set-password\?link=[\w-]+/)[0])
    await page.locator('input[name=password]').fill('seven purple owls read at night')
  }
  const { page, authenticator } = await newWindowWithAuthenticator(origin, { reducedMotion: 'reduce' })
  await signInWithPassword(page, origin)
  await addPasskey(page, origin, 'My phone')
  await page.context().clearCookies()
  await openLink(page)
  assert.match(await mainText(page), /Passkeys that stay[^]*My phone/)
  await checkAppearance(page, 'set-password-with-passkeys')
  await page.locator('input[name=password]').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  assert.ok(await page.getByLabel('My phone').isChecked())
  await authenticator('setUserVerified', { isUserVerified: false })
  await page.keyboard.press('Enter')
  const message = page.locator('form [role=status]:not(:empty)')
  await message.waitFor()
  assert.match(await message.innerText(), /The passkey was not used/)
  await authenticator('setUserVerified', { isUserVerified: true })
  await press(page.getByRole('button', { name: 'Save password' }))
  assert.match(await mainText(page), /Your password is set/)
  await page.goto(`${origin}/sign-in`)
  await press(signInButton(page))
  assert.equal(page.url(), `${origin}/`)
  await page.context().clearCookies()
  await openLink(page)
  await press(page.getByRole('button', { name: 'Save password' }))
  await page.goto(`${origin}/sign-in`)
  await press(signInButton(page))
  assert.match(await mainText(page), /The passkey could not be used here/)
  assert.deepEqual(page.problems, [])
})

test('without user verification a passkey is neither added nor used', async (t) => {
  const { origin } = await newServer(t)
  const { page, authenticator } = await newWindowWithAuthenticator(origin)
  await signInWithPassword(page, origin)
  await authenticator('setUserVerified', { isUserVerified: false })
  await page.getByLabel('Name of the new passkey').fill('My phone')
  assert.match(await failureMessage(page, page.getByRole('button', { name: 'Add a passkey' })), /No passkey was added/)
  await authenticator('setUserVerified', { isUserVerified: true })
  await addPasskey(page, origin, 'My phone')
  await page.context().clearCookies()
  await page.goto(`${origin}/sign-in`)
  await authenticator('setUserVerified', { isUserVerified: false })
  assert.match(await failureMessage(page, signInButton(page)), /The passkey was not used/)
  assert.equal(new URL(page.url()).pathname, '/sign-in')
})

test('a cloned authenticator with an old counter is rejected', async (t) => {
  const { origin } = await newServer(t)
  const { page, authenticator } = await newWindowWithAuthenticator(origin)
  await signInWithPassword(page, origin)
  await addPasskey(page, origin, 'My phone')
  const { credentials: [clone] } = await authenticator('getCredentials')
  const signInWithPasskey = async () => {
    await page.context().clearCookies()
    await page.goto(`${origin}/sign-in?to=account`)
    await press(signInButton(page))
  }
  await signInWithPasskey()
  assert.equal(page.url(), `${origin}/account`)
  await authenticator('removeCredential', { credentialId: clone.credentialId })
  await authenticator('addCredential', { credential: clone })
  await signInWithPasskey()
  assert.match(await mainText(page), /The passkey could not be used here/)
})

test('without scripts, and at an IP address, no page offers a passkey', async (t) => {
  const { origin } = await newServer(t)
  const page = await newWindow({}, [origin])
  await page.goto(`${origin}/sign-in`)
  assert.equal(await signInButton(page).count(), 0)
  await signInWithPassword(page, origin)
  assert.match(await mainText(page), /Adding a passkey needs JavaScript/)
  assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0)

  const person = await newPerson()
  const atAddress = await newWindow({ javaScriptEnabled: true })
  await openAndSignIn(atAddress, person)
  await atAddress.goto(`${BASE}/account`)
  assert.match(await mainText(atAddress), /not an IP address/)
  assert.equal(await atAddress.locator('script').count(), 0)
})
