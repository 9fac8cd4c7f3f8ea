/** Every page on a phone and on a desktop, light and dark: axe-core, overflow and a screenshot. */

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { after, test } from 'node:test'
import {
  BASE, askForTokens, connect, newPerson, read, registerApp, restwell, signInAt, soon, stage, useBrowser,
} from './fixture.mjs'
import { newFolder } from './server.mjs'
import { listPages, makeToken } from './pages.mjs'

const OUTPUT = process.env.SCREENSHOTS
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } }
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The narrowest supported window: 1280 pixels at 400 percent (WCAG 2.2, 1.4.10). */
const NARROWEST = { width: 320, height: 640 }

/** Queries of the apps, so that /activity shows more than counts. */
const READ = { profile: '', sleep: '?startDate=2026-02-01&endDate=2026-02-28', supplements: '?startDate=2026-02-01' }

const require = createRequire(import.meta.url)
const newWindow = useBrowser()
const axe = require('axe-core')
const report = []

after(() => {
  const text = JSON.stringify({ 'axe-core': axe.version, rules: RULES, pages: report }, null, 2)
  return writeFile(path.join(OUTPUT, 'axe.json'), `${text}\n`)
})

/** Imports invented nights and intakes for a person. */
async function giveData(t, person) {
  const file = path.join(await newFolder(t), 'data.ndjson')
  const supplement = '1a2b3c4d-0000-4000-8000-000000000001'
  const lines = [{ type: 'supplement', id: supplement, name: 'Evening Capsule' }]
  for (let day = 1; day <= 28; day += 1) {
    const [evening, morning] = [day, day + 1].map((date) => `2026-02-${String(date).padStart(2, '0')}`)
    const end = day === 28 ? '2026-03-01' : morning
    lines.push({ type: 'sleep_session', time_in_bed_start: `${evening}T23:10:00+01:00`, time_in_bed_end: `${end}T06:50:00+01:00` })
    lines.push({ type: 'supplement_log', created_at: `${evening}T22:00:00Z`, supplement_id: supplement, servings: 1 })
  }
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'))
  await restwell(['import', '--user', person.id, file])
}

/** Creates a person with data, three connected apps and a token, and an app to ask for consent. */
async function furnish(t, email, [first, second, third, asking]) {
  const person = await newPerson(email)
  await giveData(t, person)
  const page = await newWindow({}, [''])
  await signInAt(page, person)
  const scopes = [['profile', 'sleep'], ['sleep'], ['supplements']]
  for (const [index, name] of [first, second, third].entries()) {
    const app = await registerApp(name)
    await stage(page, app)
    const tokens = await connect(page, app, scopes[index])
    await askForTokens(app, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, `${app.host}/2.1`)
    for (const what of scopes[index]) await read(what, person.id, tokens.access_token, READ[what])
  }
  await makeToken(page, 'Spreadsheet at home', ['profile'])
  assert.ok(await soon(async () => {
    await page.goto(`${BASE}/activity`)
    return (await page.locator('main').innerText()).includes(third)
  }, 3000))
  await page.context().close()
  return { person, app: await registerApp(asking) }
}

/** Opens every page and passes it to `inspect`. */
async function visitAll(options, whose, inspect) {
  const windows = { true: await newWindow(options), false: await newWindow(options) }
  await signInAt(windows.true, whose.person)
  for (const { name, open, close, signedIn = false } of await listPages(whose)) {
    const page = windows[signedIn]
    if (!signedIn) await page.context().clearCookies()
    await open(page)
    // An empty page would pass every check.
    assert.equal(await page.locator('main h1').count(), 1, name)
    await inspect(name, page)
    await close?.(page)
  }
  for (const page of Object.values(windows)) {
    assert.deepEqual(page.complaints, [])
    await page.context().close()
  }
}

/** Pixels by which the content is wider than the window. */
const overflow = (page) => page.evaluate(() => document.scrollingElement.scrollWidth - document.documentElement.clientWidth)

async function violations(page) {
  const { violations, incomplete, passes } = await page.evaluate(
    (rules) => window.axe.run(document, { runOnly: { type: 'tag', values: rules } }), RULES)
  const brief = ({ id, impact, help, nodes }) =>
    ({ id, impact, help, where: nodes.map(({ target, failureSummary }) => ({ target: target.join(' '), failureSummary })) })
  return { violations: violations.map(brief), incomplete: incomplete.map(brief), passes: passes.map(({ id }) => id) }
}

test('axe-core finds nothing, and nothing is cut off, on every page in every look', async (t) => {
  const whose = await furnish(t, 'sam@example.org', ['Night Reader', 'Owl Diary', 'Supplement Shelf', 'Dream Journal'])
  // Scripts are on for axe-core; the pages have none.
  await visitAll({ javaScriptEnabled: true, reducedMotion: 'reduce' }, whose, async (name, page) => {
    assert.equal(await page.locator('script').count(), 0, name)
    assert.ok((await page.title()).length > 10, name)
    // Through the debugger, which the page's content security policy does not restrict.
    await page.evaluate(axe.source)
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport)
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: path.join(OUTPUT, `${name}-${size}-${colorScheme}.png`), fullPage: true })
        report.push({ page: name, size, colorScheme, ...await violations(page) })
        assert.ok((await overflow(page)) <= 0, `${name} is wider than its window: ${size}, ${colorScheme}`)
      }
    }
  })
  const bad = report.filter((entry) => entry.violations.length > 0)
  assert.deepEqual(bad.map(({ page, size, colorScheme, violations }) => ({ page, size, colorScheme, violations })), [])
})

test('nothing is wider than a window of 320 pixels, even with long names', async (t) => {
  const long = (word) => word.repeat(100).slice(0, 100)
  const whose = await furnish(t, `${'long'.repeat(16)}@${'many-letters-'.repeat(4)}x.example.org`, [
    long('Night'), long('Bedtime and morning diary '), long('WWWWW'), long('Reader'),
  ])
  const wide = []
  await visitAll({ viewport: NARROWEST }, whose, async (name, page) => {
    const pixels = await overflow(page)
    if (pixels > 0) wide.push(`${name}: ${pixels} pixels`)
    await page.screenshot({ path: path.join(OUTPUT, `narrow-${name}.png`), fullPage: true })
  })
  assert.deepEqual(wide, [])
})
