/** A person's own nights: how the pages look with usual and unusual data, what they say, and deletion. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { BASE, newPerson, press, restwell, signIn, signInAt, useBrowser } from './fixture.mjs'
import { newFolder } from './server.mjs'

const OUTPUT = process.env.SCREENSHOTS
const SAMPLES = process.env.RESTWELL_SAMPLES
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } }
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const MOST_BYTES = 100_000
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const require = createRequire(import.meta.url)
const newWindow = useBrowser()
const axe = require('axe-core')

const main = (page) => page.locator('main').innerText()

/** The stages of one cycle, in minutes. */
const CYCLE = [['AWAKE', 8], ['LIGHT', 22], ['DEEP', 31], ['LIGHT', 14], ['REM', 21], ['LIGHT', 5], ['AWAKE', 2]]

/** Makes a session with these stages in turn; `null` is a gap. */
function session(start, minutes, { stages = CYCLE, ...rest } = {}) {
  const [from, to] = [Date.parse(start), Date.parse(start) + minutes * MINUTE]
  const hypnogram = []
  let at = from
  for (let turn = 0; at < to && stages.length > 0; turn += 1) {
    const [stage, length] = stages[turn % stages.length]
    const end = Math.min(to, at + length * MINUTE)
    if (stage) hypnogram.push({ stage, start: new Date(at).toISOString(), end: new Date(end).toISOString() })
    at = end
  }
  return {
    type: 'sleep_session', source: 'ring', is_nap: false, ...rest, raw_sleep: hypnogram,
    time_in_bed_start: new Date(from).toISOString(), time_in_bed_end: new Date(to).toISOString(),
  }
}

/** Makes one night for each of the days before a time, somewhat different every day. */
const nightly = (last, days, options) => Array.from({ length: days }, (_, day) => session(
  new Date(Date.parse(last) - day * DAY + ((day * 37) % 90) * MINUTE).toISOString(), 400 + ((day * 53) % 110), options))

const YESTERDAY = `${new Date(Date.now() - DAY).toISOString().slice(0, 10)}T21:00:00Z`

/** What people may have, and the pages at which it shows. */
const PEOPLE = {
  'usual': { rows: [...nightly(YESTERDAY, 200), session('2026-03-14T13:10:00Z', 35, { is_nap: true })], pages: ['/', '/nights', 'night'] },
  'two-sources': {
    rows: [
      ...nightly('2026-04-04T20:53:00Z', 60),
      ...nightly('2026-04-04T21:00:00Z', 40, { source: 'Watch of somebody with a long name', stages: [] }),
      session('2026-03-14T13:10:00Z', 35, { is_nap: true }), session('2026-03-29T12:00:00Z', 50, { is_nap: true }),
    ],
    pages: ['/nights', '/nights?to=2026-04-05', 'night'],
  },
  'no-stages': { rows: [session('2026-03-30T20:53:00Z', 435, { stages: [] })], pages: ['/', 'night'] },
  'one-stage': { rows: [session('2026-03-30T20:53:00Z', 435, { stages: [['ASLEEP', 1000]] })], pages: ['night'] },
  'gaps': {
    rows: [session('2026-03-30T20:53:00Z', 435, { stages: [['AWAKE', 10], ['LIGHT', 50], [null, 40], ['DEEP', 30], ['UNKNOWN', 20], ['ASLEEP', 30]] })],
    pages: ['night'],
  },
  '20-hours': { rows: [session('2026-03-30T14:00:00Z', 1200)], pages: ['night', '/nights'] },
  'clocks-forward': { rows: [session('2026-03-28T22:00:00Z', 420)], pages: ['night', '/nights'] },
  'clocks-back': { rows: [session('2026-10-24T21:00:00Z', 540)], pages: ['night', '/nights'] },
  '14-in-a-day': {
    rows: Array.from({ length: 14 }, (_, hour) => session(new Date(Date.parse('2026-03-31T00:00:00Z') + hour * 95 * MINUTE).toISOString(), 45, { is_nap: null })),
    pages: ['/', '/nights', 'night'],
  },
  'ten-years': { rows: nightly('2026-11-21T21:00:00Z', 3650), pages: ['/', '/nights', '/nights?to=2020-06-30', '/nights?to=1990-01-01'] },
  'nothing': { rows: [], pages: ['/', '/nights'] },
}

async function bringIn(t, person, rows) {
  if (rows.length === 0) return
  const file = path.join(await newFolder(t), 'data.ndjson')
  await writeFile(file, rows.map((row) => JSON.stringify(row)).join('\n'))
  await restwell(['import', '--user', person.id, file])
}

/** Opens a page; `night` is the night that is listed first. */
async function open(page, where) {
  if (where !== 'night') return page.goto(BASE + where)
  await page.goto(`${BASE}/nights`)
  return page.goto(BASE + await page.locator('table.nights a').first().getAttribute('href'))
}

/** Takes pictures of a page, and checks it with axe-core where that is asked for. */
async function inspect(page, name, isChecked = true) {
  if (isChecked) await page.evaluate(axe.source)
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: path.join(OUTPUT, `${name}-${size}-${colorScheme}.png`), fullPage: true })
      if (!isChecked) continue
      const { violations } = await page.evaluate(
        (rules) => window.axe.run(document, { runOnly: { type: 'tag', values: rules } }), RULES)
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' '))}`)
      assert.deepEqual(found, [], `${name}, ${size}, ${colorScheme}`)
    }
  }
  for (const viewport of [SIZES.phone, { width: 320, height: 640 }]) {
    await page.setViewportSize(viewport)
    const pixels = await page.evaluate(() => document.scrollingElement.scrollWidth - document.documentElement.clientWidth)
    assert.ok(pixels <= 0, `${name} is wider than a window of ${viewport.width} pixels`)
  }
}

for (const [name, { rows, pages }] of Object.entries(PEOPLE)) {
  test(`pages of a person with ${name} look right`, async (t) => {
    const person = await newPerson()
    await bringIn(t, person, rows)
    // Scripts are on for axe-core; the pages have none.
    const page = await newWindow({ javaScriptEnabled: true, reducedMotion: 'reduce' })
    await signInAt(page, person)
    for (const [index, where] of pages.entries()) {
      const answer = await open(page, where)
      assert.equal(answer.status(), 200)
      const size = (await answer.body()).length
      assert.ok(size <= MOST_BYTES, `${where} of ${name} has ${size} bytes`)
      const what = where === '/' ? 'home' : where.slice(0, 7).replace('/', '')
      await inspect(page, `nights-${name}-${what}-${index}`, false)
      for (const summary of await page.locator('figure details > summary').all()) await summary.click()
      await inspect(page, `nights-${name}-${what}-${index}-tables`)
    }
    assert.deepEqual(page.complaints, [])
  })
}

test('somebody finds out how they slept last week, and deletes a night', async (t) => {
  const person = await newPerson()
  await bringIn(t, person, nightly(YESTERDAY, 9))
  const page = await newWindow()
  await signInAt(page, person)
  assert.match(await main(page), /Last night[^]*Asleep[^]*In bed[^]*Efficiency[^]*Deep sleep[^]*REM sleep/)
  await press(page.getByRole('link', { name: 'Nights', exact: true }))
  assert.match(await main(page), /Nights on 9 of 28 days/)
  await page.locator('summary', { hasText: 'Open a night' }).click()
  await press(page.locator('table.nights a').first())
  assert.match(await main(page), /Sleep stages[^]*All measures[^]*Where it comes from[^]*data\.ndjson/)
  await page.locator('summary', { hasText: 'Delete this night' }).click()
  await press(page.getByRole('button', { name: 'Delete it' }))
  assert.match(await main(page), /Deleted\.[^]*Nights on 8 of 28 days/)
  assert.deepEqual(page.complaints, [])
})

/** Reads the cells of a table's rows. */
const table = (page, summary) => page.locator('details', { has: page.locator('summary', { hasText: summary }) })
  .locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())))

/** What the page says, in the form of scripts/night-figures. */
async function shown(page) {
  const weeks = await table(page, 'Weekly medians')
  const [bedtime, wake] = (await table(page, 'Regularity')).map(([, median, half, n]) => ({ median, half, n: Number(n) }))
  // An unknown figure is left out.
  const values = Object.fromEntries(await page.locator('.figures div').evaluateAll(
    (all) => all.map((one) => [one.querySelector('dt').textContent, one.querySelector('dd').firstChild.textContent.trim()])))
  const index = (await main(page)).match(/Index: (-?\d+) of 100, from (\d+) pairs/)
  const period = ([, n, in_bed, asleep]) => ({ n: Number(n), in_bed, asleep: asleep.replace(/ \(of .*/, '') })
  return {
    all: { n: bedtime?.n, in_bed: values['In bed'], asleep: values.Asleep ?? 'unknown' },
    bedtime, wake, index: index && Number(index[1]), pairs: index && Number(index[2]), weeks: weeks.map(period),
  }
}

/** Compares what the pages say of a person with the independent program; returns how many pages it compared. */
async function compare(page, base, zone, exported) {
  const expected = JSON.parse(await run('scripts/night-figures', [zone], exported))
  for (const { to, source, figures, months } of expected) {
    const chosen = source === null ? 'unnamed' : `named:${source}`
    await page.goto(`${base}/nights?to=${to}&source=${encodeURIComponent(chosen)}`)
    if (figures) assert.deepEqual(await shown(page), figures, `${to} ${source}`)
    else assert.match(await main(page), /only naps/)
    const drawn = (await page.locator('figure', { has: page.locator('#year-title') }).locator('figcaption bdi').allInnerTexts())[0]
    if (drawn === (source ?? 'Unknown source')) {
      const rows = (await table(page, 'Months')).map(([month, n, in_bed, asleep]) => ({ month, n: Number(n), in_bed, asleep: asleep.replace(/ \(of .*/, '') }))
      assert.deepEqual(rows, months, `${to} ${source}`)
    }
  }
  return expected.length
}

/** Runs a program with this input and returns its output. */
async function run(program, options, input, env = process.env) {
  const child = spawn(program, options, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => { output += text })
  // A program that reads no input may have ended by now; its exit status says whether it worked.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  assert.equal(code, 0, program)
  return output
}

test('figures of the demo person are those of an independent calculation', async (t) => {
  const folder = await newFolder(t)
  const demo = spawn(process.env.RESTWELL_BIN, ['demo', '--listen', '127.0.0.1:0', '--data-dir', folder, '--json'], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => demo.kill())
  const [line] = await once(createInterface(demo.stdout), 'line')
  const { base_url: base, user_id: id, email, password } = JSON.parse(line)
  const env = { ...process.env, RESTWELL__STORAGE__URL: `sqlite://${folder}/restwell.db` }
  const exported = await run(process.env.RESTWELL_BIN, ['export', '--user', id], '', env)
  const zone = JSON.parse(exported.split('\n')[0]).home_timezone
  const page = await newWindow({}, [base])
  await page.goto(`${base}/sign-in`)
  await signIn(page, { email, password })
  assert.ok(await compare(page, base, zone, exported) >= 4)
})

test('figures of the sample files are those of an independent calculation', { skip: !(SAMPLES && existsSync(SAMPLES)) && 'no sample files' }, async () => {
  const page = await newWindow()
  let compared = 0
  for (const folder of await readdir(SAMPLES, { withFileTypes: true })) {
    if (!folder.isDirectory() || folder.name === 'dsld') continue
    for (const name of await readdir(path.join(SAMPLES, folder.name))) {
      const person = await newPerson()
      // Some of the files are rejected; those have nothing to compare.
      await restwell(['import', '--user', person.id, path.join(SAMPLES, folder.name, name)]).catch(() => '')
      const exported = await restwell(['export', '--user', person.id])
      if (!exported.includes('"sleep_session"')) continue
      await page.context().clearCookies()
      await signInAt(page, person)
      compared += await compare(page, BASE, 'Europe/Berlin', exported)
    }
  }
  assert.ok(compared >= 10, `${compared}`)
})
