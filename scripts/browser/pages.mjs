/** Every page that the suites check: its name, and the steps that open it. */

import assert from 'node:assert/strict'
import {
  BASE, authorization, becomesTrue, mainText, newPerson, openAndSignIn, press, restwell, signIn, tickScopes,
} from './fixture.mjs'

/** Lists the pages. `app` is one that the person has not connected, `person` one with apps, tokens and reads. */
export async function listPages({ person, app }) {
  const go = (path) => (page) => page.goto(BASE + path)
  const authorize = (page) => page.goto(authorization(app).url)
  const output = await restwell(['user', 'reset-password', person.id])
  const resetPath = output.match(/\/set-password\?link=[\w-]+/)[0]
  return [
    { name: 'sign-in', open: authorize },
    { name: 'sign-in-without-an-app', open: go('/sign-in') },
    { name: 'sign-in-refused', open: (page) => authorize(page).then(() => signIn(page, unknownPerson)) },
    { name: 'consent', signedIn: true, open: authorize },
    { name: 'connected-apps', signedIn: true, open: go('/apps') },
    { name: 'connected-apps-disconnected', signedIn: true, open: go('/apps?done=disconnected') },
    { name: 'activity', signedIn: true, open: go('/activity') },
    { name: 'supplements-none', signedIn: true, open: go('/supplements?last=2020-01-28') },
    { name: 'supplements', signedIn: true, open: (page) => logIntakes(page) },
    { name: 'supplement-choice', signedIn: true, open: go('/supplements/add') },
    { name: 'supplement-found', signedIn: true, open: (page) => searchSupplements(page, 'vitamin') },
    { name: 'supplement-not-found', signedIn: true, open: (page) => searchSupplements(page, 'unobtainium') },
    { name: 'intake-refused', signedIn: true, open: (page) => logInvalidIntake(page) },
    { name: 'product', signedIn: true, open: go('/supplements/product') },
    { name: 'tokens', signedIn: true, open: go('/tokens') },
    { name: 'tokens-refused', signedIn: true, open: (page) => createToken(page, 'Sunday notebook', []) },
    { name: 'token-created', signedIn: true, open: (page) => createToken(page, 'Sunday notebook', ['sleep']), close: revokeToken },
    { name: 'developer', signedIn: true, open: go('/developer') },
    { name: 'developer-refused', signedIn: true, open: (page) => registerApp(page, []) },
    { name: 'app', signedIn: true, open: (page) => registerApp(page, ['sleep']), close: deleteApp },
    { name: 'own-webhooks', signedIn: true, open: createOwnWebhook, close: deleteAppOfWebhook },
    { name: 'imports', signedIn: true, open: go('/imports') },
    { name: 'import', signedIn: true, open: openImport },
    { name: 'import-profile', open: (page) => uploadProfile(page) },
    { name: 'profile', signedIn: true, open: go('/profile') },
    { name: 'profile-refused', signedIn: true, open: (page) => changeProfile(page, 'berlin') },
    { name: 'profile-preview', signedIn: true, open: (page) => changeProfile(page, 'Asia/Tokyo') },
    { name: 'account', signedIn: true, open: go('/account') },
    { name: 'account-refused', signedIn: true, open: (page) => changePassword(page, person) },
    { name: 'erase', signedIn: true, open: go('/account/erase') },
    { name: 'erase-refused', signedIn: true, open: (page) => erase(page, 'somebody.else@example.org') },
    { name: 'erased', open: eraseNewAccount },
    { name: 'signed-out', open: (page) => openAndSignIn(page, person).then(() => signOut(page)) },
    { name: 'set-password', open: go(resetPath) },
    { name: 'set-password-refused', open: (page) => choosePassword(page, resetPath) },
    { name: 'link-used-up', open: go('/set-password?link=rwl_used') },
    { name: 'forgot-password', open: go('/forgot-password') },
    { name: 'forgot-password-sent', open: (page) => requestLink(page, '/forgot-password') },
    { name: 'sign-up', open: go('/sign-up') },
    { name: 'sign-up-sent', open: (page) => requestLink(page, '/sign-up') },
    { name: 'errors', open: go('/errors') },
    { name: 'error-of-a-problem', open: go('/errors#invalid_parameter') },
    { name: 'help', open: go('/help') },
    { name: 'landing', open: go('/') },
    { name: 'not-found', open: go('/nowhere') },
    { name: 'not-authorized', open: go('/authorize?client_id=unknown') },
    { name: 'request-gone', signedIn: true, open: go('/consent?request=00000000-0000-4000-8000-000000000000') },
  ]
}

const unknownPerson = { email: 'nobody@example.org', password: 'not the right password' }

/** Creates a token; the page rejects one without scopes. */
export async function createToken(page, name, scopes) {
  await page.goto(`${BASE}/tokens`)
  await page.locator('input[name=name]').fill(name)
  await tickScopes(page, scopes)
  await press(page.locator('form[action="/tokens"] button[type=submit]'))
  const [token] = (await mainText(page)).match(/rwp_\w+/) ?? []
  assert.equal(token !== undefined, scopes.length > 0)
  return token
}

/** Registers a developer app; the page rejects one without scopes. */
async function registerApp(page, scopes) {
  await page.goto(`${BASE}/developer`)
  await page.locator('input[name=name]').fill('Night Owl with a rather long name for a narrow telephone')
  await page.locator('input[name=contact]').fill('developer@owl.example')
  await page.locator('input[name=redirect_uri]').first().fill('https://owl.example/callback')
  await tickScopes(page, scopes)
  await press(page.locator('form[action="/developer"] button[type=submit]'))
  assert.equal(/rws_\w+/.test(await mainText(page)), scopes.length > 0)
}

/** Creates a webhook endpoint for a new app. Nothing listens at its URL. */
async function createOwnWebhook(page) {
  await registerApp(page, ['sleep'])
  await page.getByRole('link', { name: 'Webhook endpoints and deliveries' }).click()
  await page.locator('input[name=url]').fill('https://hooks.invalid/a/rather/long/path/for/a/narrow/telephone')
  await press(page.locator('form[action="/developer/webhooks/create"]').getByRole('button'))
  assert.match(await mainText(page), /whsec_/)
}

/** Deletes the app created for the screenshot of the webhook endpoint. */
async function deleteAppOfWebhook(page) {
  await page.getByRole('link', { name: 'Night Owl' }).click()
  await deleteApp(page)
}

/** Deletes the app registered for a screenshot. */
async function deleteApp(page) {
  await page.locator('summary', { hasText: 'Delete this app' }).click()
  await press(page.locator('form[action="/developer/delete"]').getByRole('button'))
  assert.equal(new URL(page.url()).pathname, '/developer')
}

/** Revokes the token created for a screenshot, so that the next screenshot looks the same. */
async function revokeToken(page) {
  await page.goto(`${BASE}/tokens`)
  await press(page.getByRole('button', { name: 'Sunday notebook' }))
  assert.equal(await page.getByRole('button', { name: 'Sunday notebook' }).count(), 0)
}

/** Logs a custom product, once for all screenshots, and opens its day. */
async function logIntakes(page) {
  await page.goto(`${BASE}/supplements/add`)
  if (await page.getByText('Vitamin D drops').count() === 0) {
    await page.goto(`${BASE}/supplements/product`)
    await page.getByLabel('Name').fill('Vitamin D drops')
    await page.locator('#ingredient-1').fill('Vitamin D3')
    await page.locator('#amount-1').fill('25')
    await page.locator('#unit-1').fill('mcg')
    await page.locator('#ingredient-2').fill('Sunflower oil')
    await press(page.getByRole('button', { name: 'Save product' }))
    const form = page.url()
    for (const [back, servings] of [[0, '1'], [1, '2'], [3, '1'], [4, '0.5'], [9, '1'], [20, '1']]) {
      await page.goto(form)
      await page.getByLabel('Servings').fill(servings)
      await page.getByLabel('Date').fill(new Date(Date.now() - (back + 1) * 86_400_000).toISOString().slice(0, 10))
      await page.getByLabel('Time').fill('07:30')
      await press(page.getByRole('button', { name: 'Log intake' }))
    }
  }
  await page.goto(`${BASE}/supplements`)
}

async function searchSupplements(page, query) {
  await page.goto(`${BASE}/supplements/add`)
  await page.getByLabel('Search').fill(query)
  await press(page.getByRole('button', { name: 'Search' }))
}

async function logInvalidIntake(page) {
  await page.goto(`${BASE}/supplements/add`)
  await page.locator('.picks a').first().click()
  await page.getByLabel('Servings').fill('0')
  await press(page.getByRole('button', { name: 'Log intake' }))
  assert.match(await mainText(page), /Enter a number above 0/)
}

/** Enters another time zone and previews the change. */
async function changeProfile(page, zone) {
  await page.goto(`${BASE}/profile`)
  await page.getByLabel('Home time zone').fill(zone)
  await press(page.getByRole('button', { name: 'Preview the change' }))
}

/** Opens the latest import. */
async function openImport(page) {
  await page.goto(`${BASE}/imports`)
  await page.locator('.record a').first().click()
  assert.match(page.url(), /imports\/[0-9a-f-]{36}$/)
}

const APPLE = `<?xml version="1.0" encoding="UTF-8"?>
<HealthData locale="en_GB">
 <Me HKCharacteristicTypeIdentifierDateOfBirth="1990-05-17" HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale"
  HKCharacteristicTypeIdentifierBloodType="HKBloodTypeABNegative"/>
</HealthData>
`

/** Uploads a file on the current page, and waits until it is imported. */
export async function uploadFile(page, name, text) {
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) })
  await press(page.locator('form[action="/imports"] button'))
  await page.waitForURL(`${BASE}/imports/*`)
  assert.ok(await becomesTrue(async () => {
    await page.reload()
    return await page.locator('progress').count() === 0
  }, 20_000))
}

/** Signs a new person in and uploads a file that differs from their profile in two fields and fills a third. */
export async function uploadProfile(page) {
  const person = await newPerson()
  await restwell(['user', 'update', person.id, '--birth-date', '1988-01-02', '--biological-sex', 'other'])
  await openAndSignIn(page, person)
  await page.goto(`${BASE}/imports`)
  await uploadFile(page, 'export.xml', APPLE)
  return person
}

async function changePassword(page, person) {
  await page.goto(`${BASE}/account`)
  await page.locator('input[name=current_password]').fill(person.password)
  await page.locator('input[name=new_password]').fill('passwordpassword')
  await press(page.locator('form[action="/account/password"] button[type=submit]'))
  assert.match(await page.title(), /^Error/)
}

/** Enters an address on the page that erases the account, and confirms. */
async function erase(page, email) {
  await page.goto(`${BASE}/account/erase`)
  await page.locator('input[name=email]').fill(email)
  await press(page.locator('form[action="/account/erase"] button[type=submit]'))
}

/** Creates an account and erases it. */
async function eraseNewAccount(page) {
  const person = await newPerson()
  await openAndSignIn(page, person)
  await erase(page, person.email)
  assert.match(await page.title(), /deleted/)
}

async function choosePassword(page, path) {
  await page.goto(BASE + path)
  await page.locator('input[name=password]').fill('passwordpassword')
  await press(page.locator('main button[type=submit]'))
  assert.match(await page.title(), /^Error/)
}

async function requestLink(page, path) {
  await page.goto(BASE + path)
  await page.locator('input[name=email]').fill('nobody@example.org')
  await press(page.locator('main button[type=submit]'))
  assert.equal(await page.locator('input[name=email]').count(), 0)
}

async function signOut(page) {
  await press(page.getByRole('button', { name: 'Sign out', exact: true }))
  assert.match(await page.title(), /out/)
}
