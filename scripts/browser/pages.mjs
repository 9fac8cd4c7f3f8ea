/** Every page that the suite looks at: its name, and what a person does to have it open. */

import assert from 'node:assert/strict'
import { BASE, authorization, newPerson, press, restwell, signIn, signInAt, soon, tick } from './fixture.mjs'

/** Lists the pages. `app` is one that the person has not connected, `person` one with apps, tokens and reads. */
export async function listPages({ person, app }) {
  const go = (where) => (page) => page.goto(BASE + where)
  const authorize = (page) => page.goto(authorization(app).url)
  const said = await restwell(['user', 'reset-password', person.id])
  const reset = said.match(/\/set-password\?link=[\w-]+/)[0]
  return [
    { name: 'sign-in', open: authorize },
    { name: 'sign-in-without-an-app', open: go('/sign-in') },
    { name: 'sign-in-refused', open: (page) => authorize(page).then(() => signIn(page, nobody)) },
    { name: 'consent', signedIn: true, open: authorize },
    { name: 'connected-apps', signedIn: true, open: go('/apps') },
    { name: 'connected-apps-disconnected', signedIn: true, open: go('/apps?done=disconnected') },
    { name: 'activity', signedIn: true, open: go('/activity') },
    { name: 'supplements-none', signedIn: true, open: go('/supplements?last=2020-01-28') },
    { name: 'supplements', signedIn: true, open: (page) => logIntakes(page) },
    { name: 'supplement-choice', signedIn: true, open: go('/supplements/add') },
    { name: 'supplement-found', signedIn: true, open: (page) => searchSupplements(page, 'vitamin') },
    { name: 'supplement-not-found', signedIn: true, open: (page) => searchSupplements(page, 'unobtainium') },
    { name: 'intake-refused', signedIn: true, open: (page) => refuseIntake(page) },
    { name: 'product', signedIn: true, open: go('/supplements/product') },
    { name: 'tokens', signedIn: true, open: go('/tokens') },
    { name: 'tokens-refused', signedIn: true, open: (page) => makeToken(page, 'Sunday notebook', []) },
    { name: 'token-made', signedIn: true, open: (page) => makeToken(page, 'Sunday notebook', ['sleep']), close: revokeToken },
    { name: 'developer', signedIn: true, open: go('/developer') },
    { name: 'developer-refused', signedIn: true, open: (page) => registerOwnApp(page, []) },
    { name: 'own-app', signedIn: true, open: (page) => registerOwnApp(page, ['sleep']), close: deleteOwnApp },
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
    { name: 'erased', open: eraseSomebody },
    { name: 'signed-out', open: (page) => signInAt(page, person).then(() => signOut(page)) },
    { name: 'set-password', open: go(reset) },
    { name: 'set-password-refused', open: (page) => choosePassword(page, reset) },
    { name: 'link-used-up', open: go('/set-password?link=rwl_used') },
    { name: 'forgot-password', open: go('/forgot-password') },
    { name: 'forgot-password-sent', open: (page) => askForLink(page, '/forgot-password') },
    { name: 'sign-up', open: go('/sign-up') },
    { name: 'sign-up-sent', open: (page) => askForLink(page, '/sign-up') },
    { name: 'errors', open: go('/errors') },
    { name: 'error-of-a-problem', open: go('/errors#invalid_parameter') },
    { name: 'help', open: go('/help') },
    { name: 'landing', open: go('/') },
    { name: 'not-found', open: go('/nowhere') },
    { name: 'not-authorized', open: go('/authorize?client_id=unknown') },
    { name: 'request-gone', signedIn: true, open: go('/consent?request=00000000-0000-4000-8000-000000000000') },
  ]
}

const nobody = { email: 'nobody@example.org', password: 'not the right password' }

/** Makes a token, or is refused when no scope is ticked. */
export async function makeToken(page, name, scopes) {
  await page.goto(`${BASE}/tokens`)
  await page.locator('input[name=name]').fill(name)
  await tick(page, scopes)
  await press(page.locator('form[action="/tokens"] button[type=submit]'))
  const [token] = (await page.locator('main').innerText()).match(/rwp_\w+/) ?? []
  assert.equal(token !== undefined, scopes.length > 0)
  return token
}

/** Registers an app of one's own, or is refused when no scope is ticked. */
async function registerOwnApp(page, scopes) {
  await page.goto(`${BASE}/developer`)
  await page.locator('input[name=name]').fill('Night Owl with a rather long name for a narrow telephone')
  await page.locator('input[name=contact]').fill('developer@owl.example')
  await page.locator('input[name=redirect_uri]').first().fill('https://owl.example/callback')
  await tick(page, scopes)
  await press(page.locator('form[action="/developer"] button[type=submit]'))
  assert.equal(/rws_\w+/.test(await page.locator('main').innerText()), scopes.length > 0)
}

/** Creates a webhook endpoint of a new app. No server answers at its address. */
async function createOwnWebhook(page) {
  await registerOwnApp(page, ['sleep'])
  await page.getByRole('link', { name: 'Webhook endpoints and deliveries' }).click()
  await page.locator('input[name=url]').fill('https://hooks.invalid/a/rather/long/path/for/a/narrow/telephone')
  await press(page.locator('form[action="/developer/webhooks/create"]').getByRole('button'))
  assert.match(await page.locator('main').innerText(), /whsec_/)
}

/** Deletes the app of the webhook endpoint that was created for a picture. */
async function deleteAppOfWebhook(page) {
  await page.getByRole('link', { name: 'Night Owl' }).click()
  await deleteOwnApp(page)
}

/** Deletes the app that was registered for a picture. */
async function deleteOwnApp(page) {
  await page.locator('summary', { hasText: 'Delete this app' }).click()
  await press(page.locator('form[action="/developer/delete"]').getByRole('button'))
  assert.equal(new URL(page.url()).pathname, '/developer')
}

/** Takes back the token that was made for a picture, so that the next one looks the same. */
async function revokeToken(page) {
  await page.goto(`${BASE}/tokens`)
  await press(page.getByRole('button', { name: 'Sunday notebook' }))
  assert.equal(await page.getByRole('button', { name: 'Sunday notebook' }).count(), 0)
}

/** Logs a product of one's own, once for all pictures, and opens its day. */
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

async function refuseIntake(page) {
  await page.goto(`${BASE}/supplements/add`)
  await page.locator('.picks a').first().click()
  await page.getByLabel('Servings').fill('0')
  await press(page.getByRole('button', { name: 'Log intake' }))
  assert.match(await page.locator('main').innerText(), /Enter a number above 0/)
}

/** Types another zone, and looks at what it would change. */
async function changeProfile(page, zone) {
  await page.goto(`${BASE}/profile`)
  await page.getByLabel('Home time zone').fill(zone)
  await press(page.getByRole('button', { name: 'Preview the change' }))
}

/** Opens what was imported last. */
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

/** Signs a new person in and uploads a file that differs from their profile in two fields and fills a third. */
export async function uploadProfile(page) {
  const person = await newPerson()
  await restwell(['user', 'update', person.id, '--birth-date', '1988-01-02', '--biological-sex', 'other'])
  await signInAt(page, person)
  await page.goto(`${BASE}/imports`)
  await page.locator('input[type=file]').setInputFiles({ name: 'export.xml', mimeType: 'text/xml', buffer: Buffer.from(APPLE) })
  await press(page.locator('form[action="/imports"] button'))
  await page.waitForURL(`${BASE}/imports/*`)
  assert.ok(await soon(async () => {
    await page.reload()
    return await page.locator('progress').count() === 0
  }, 20_000))
  return person
}

async function changePassword(page, person) {
  await page.goto(`${BASE}/account`)
  await page.locator('input[name=current_password]').fill(person.password)
  await page.locator('input[name=new_password]').fill('passwordpassword')
  await press(page.locator('form[action="/account/password"] button[type=submit]'))
  assert.match(await page.title(), /^Error/)
}

/** Types an address on the page that erases everything, and means it. */
async function erase(page, email) {
  await page.goto(`${BASE}/account/erase`)
  await page.locator('input[name=email]').fill(email)
  await press(page.locator('form[action="/account/erase"] button[type=submit]'))
}

/** Erases somebody who is there for nothing else. */
async function eraseSomebody(page) {
  const person = await newPerson()
  await signInAt(page, person)
  await erase(page, person.email)
  assert.match(await page.title(), /deleted/)
}

async function choosePassword(page, path) {
  await page.goto(BASE + path)
  await page.locator('input[name=password]').fill('passwordpassword')
  await press(page.locator('main button[type=submit]'))
  assert.match(await page.title(), /^Error/)
}

async function askForLink(page, path) {
  await page.goto(BASE + path)
  await page.locator('input[name=email]').fill('nobody@example.org')
  await press(page.locator('main button[type=submit]'))
  assert.equal(await page.locator('input[name=email]').count(), 0)
}

async function signOut(page) {
  await press(page.getByRole('button', { name: 'Sign out', exact: true }))
  assert.match(await page.title(), /out/)
}
