/** Every page on a phone and on a desktop, light and dark: axe-core and overflow. */

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import {
  BASE, becomesTrue, connect, importRows, mainText, newPerson, openAndSignIn, read, recordCallbacks, registerApp, requestTokens, useBrowser,
} from './fixture.mjs'
import { AXE_VERSION, NARROWEST, checkAppearance, overflow, takeScreenshot } from './appearance.mjs'
import { createToken, listPages } from './pages.mjs'

/** Queries of the apps, so that /activity shows date ranges. */
const QUERIES = { profile: '', sleep: '?startDate=2026-02-01&endDate=2026-02-28', supplements: '?startDate=2026-02-01' }

const newWindow = useBrowser()
const reports = []

after(() => {
  if (!process.env.SCREENSHOTS) return undefined
  const text = JSON.stringify({ 'axe-core': AXE_VERSION, pages: reports }, null, 2)
  return writeFile(path.join(process.env.SCREENSHOTS, 'axe.json'), `${text}\n`)
})

/** Returns 28 made-up nights and intakes. */
function madeUpRows() {
  const supplement = '1a2b3c4d-0000-4000-8000-000000000001'
  const rows = [{ type: 'supplement', id: supplement, name: 'Evening Capsule' }]
  for (let day = 1; day <= 28; day += 1) {
    const [evening, morning] = [day, day + 1].map((date) => `2026-02-${String(date).padStart(2, '0')}`)
    const end = day === 28 ? '2026-03-01' : morning
    rows.push({ type: 'sleep_session', time_in_bed_start: `${evening}T23:10:00+01:00`, time_in_bed_end: `${end}T06:50:00+01:00` })
    rows.push({ type: 'supplement_log', created_at: `${evening}T22:00:00Z`, supplement_id: supplement, servings: 1 })
  }
  return rows
}

/** Creates a person with data, three connected apps and a token, and an app that is not connected. */
async function createAccount(t, email, [first, second, third, unconnected]) {
  const person = await newPerson(email)
  await importRows(t, person, madeUpRows())
  const page = await newWindow({}, [''])
  await openAndSignIn(page, person)
  const scopes = [['profile', 'sleep'], ['sleep'], ['supplements']]
  for (const [index, name] of [first, second, third].entries()) {
    const app = await registerApp(name)
    recordCallbacks(page, app)
    const tokens = await connect(page, app, scopes[index])
    await requestTokens(app, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, `${app.host}/2.1`)
    for (const what of scopes[index]) await read(what, person.id, tokens.access_token, QUERIES[what])
  }
  await createToken(page, 'Spreadsheet at home', ['profile'])
  assert.ok(await becomesTrue(async () => {
    await page.goto(`${BASE}/activity`)
    return (await mainText(page)).includes(third)
  }, 3000))
  await page.context().close()
  return { person, app: await registerApp(unconnected) }
}

/** Opens every page and calls `inspect` with it. */
async function visitAll(options, account, inspect) {
  const windows = { true: await newWindow(options), false: await newWindow(options) }
  await openAndSignIn(windows.true, account.person)
  for (const { name, open, close, signedIn = false } of await listPages(account)) {
    const page = windows[signedIn]
    if (!signedIn) await page.context().clearCookies()
    await open(page)
    // An empty page would pass every check.
    assert.equal(await page.locator('main h1').count(), 1, name)
    await inspect(page, name)
    await close?.(page)
  }
  for (const page of Object.values(windows)) {
    assert.deepEqual(page.problems, [])
    await page.context().close()
  }
}

test('every page passes axe-core, in the dark theme its rules of colours, and has no overflow', async (t) => {
  const account = await createAccount(t, 'sam@example.org', ['Night Reader', 'Owl Diary', 'Supplement Shelf', 'Dream Journal'])
  // Scripts are on for axe-core; the pages have none.
  await visitAll({ javaScriptEnabled: true, reducedMotion: 'reduce' }, account, async (page, name) => {
    assert.equal(await page.locator('script').count(), 0, name)
    assert.ok((await page.title()).length > 10, name)
    reports.push(...await checkAppearance(page, name))
  })
})

test('no page overflows a window of 320 pixels, even with long names', async (t) => {
  const repeated = (word) => word.repeat(100).slice(0, 100)
  const account = await createAccount(t, `${'long'.repeat(16)}@${'many-letters-'.repeat(4)}x.example.org`, [
    repeated('Night'), repeated('Bedtime and morning diary '), repeated('WWWWW'), repeated('Reader'),
  ])
  const overflowing = []
  await visitAll({ viewport: NARROWEST }, account, async (page, name) => {
    const pixels = await overflow(page)
    if (pixels > 0) overflowing.push(`${name}: ${pixels} pixels`)
    await takeScreenshot(page, `narrow-${name}`)
  })
  assert.deepEqual(overflowing, [])
})
