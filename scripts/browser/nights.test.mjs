/** The pages of a person's nights: layout with usual and unusual data, figures, and deletion. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import {
  BASE, importRows, mainText, newPerson, openAndSignIn, press, restwell, signIn, useBrowser,
} from './fixture.mjs'
import { NARROWEST, PHONE, checkAppearance, inEveryAppearance, overflow, takeScreenshot } from './appearance.mjs'
import { newFolder } from './server.mjs'

const SAMPLES = process.env.RESTWELL_SAMPLES
const MAX_BYTES = 100_000
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const newWindow = useBrowser()


/** The stages of one cycle, in minutes. */
const CYCLE = [['AWAKE', 8], ['LIGHT', 22], ['DEEP', 31], ['LIGHT', 14], ['REM', 21], ['LIGHT', 5], ['AWAKE', 2]]

/** Builds a session with these stages in order; `null` is a gap. */
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

/** Builds a night for each day before a time, with small differences between days. */
const nights = (last, days, options) => Array.from({ length: days }, (_, day) => session(
  new Date(Date.parse(last) - day * DAY + ((day * 37) % 90) * MINUTE).toISOString(), 400 + ((day * 53) % 110), options))

const YESTERDAY = `${new Date(Date.now() - DAY).toISOString().slice(0, 10)}T21:00:00Z`

/** Kinds of data, and the pages that show them. */
const DATA = {
  'usual': { rows: [...nights(YESTERDAY, 200), session('2026-03-14T13:10:00Z', 35, { is_nap: true })], pages: ['/', '/nights', 'night'] },
  'two-sources': {
    rows: [
      ...nights('2026-04-04T20:53:00Z', 60),
      ...nights('2026-04-04T21:00:00Z', 40, { source: 'Watch of somebody with a long name', stages: [] }),
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
  'ten-years': { rows: nights('2026-11-21T21:00:00Z', 3650), pages: ['/', '/nights', '/nights?to=2020-06-30', '/nights?to=1990-01-01'] },
  'nothing': { rows: [], pages: ['/', '/nights'] },
}

/** Opens a page; `night` is the night that is listed first. */
async function openPage(page, where) {
  if (where !== 'night') return page.goto(BASE + where)
  await page.goto(`${BASE}/nights`)
  return page.goto(BASE + await page.locator('table.nights a').first().getAttribute('href'))
}

async function checkNarrowWindows(page, name) {
  for (const viewport of [PHONE, NARROWEST]) {
    await page.setViewportSize(viewport)
    assert.ok(await overflow(page) <= 0, `${name} overflows a window of ${viewport.width} pixels`)
  }
}

for (const [name, { rows, pages }] of Object.entries(DATA)) {
  test(`pages with this data pass axe-core and do not overflow: ${name}`, async (t) => {
    const person = await newPerson()
    if (rows.length > 0) await importRows(t, person, rows)
    // Scripts are on for axe-core; the pages have none.
    const page = await newWindow({ javaScriptEnabled: true, reducedMotion: 'reduce' })
    await openAndSignIn(page, person)
    for (const [index, where] of pages.entries()) {
      const response = await openPage(page, where)
      assert.equal(response.status(), 200)
      const size = (await response.body()).length
      assert.ok(size <= MAX_BYTES, `${where} of ${name} has ${size} bytes`)
      const what = where === '/' ? 'home' : where.slice(0, 7).replace('/', '')
      const title = `nights-${name}-${what}-${index}`
      await inEveryAppearance(page, (size, colorScheme) => takeScreenshot(page, `${title}-${size}-${colorScheme}`))
      await checkNarrowWindows(page, title)
      for (const summary of await page.locator('figure details > summary').all()) await summary.click()
      await checkAppearance(page, `${title}-tables`)
      await checkNarrowWindows(page, `${title}-tables`)
    }
    assert.deepEqual(page.problems, [])
  })
}

test('a person views the nights of last week and deletes one', async (t) => {
  const person = await newPerson()
  await importRows(t, person, nights(YESTERDAY, 9))
  const page = await newWindow()
  await openAndSignIn(page, person)
  // Between midnight in Berlin and midnight UTC, the latest of these nights is not the last one.
  assert.match(await mainText(page), /(Last|Your latest) night[^]*Asleep[^]*In bed[^]*Efficiency[^]*Deep sleep[^]*REM sleep/)
  await press(page.getByRole('link', { name: 'Nights', exact: true }))
  assert.match(await mainText(page), /Nights on 9 of 2[2-8] days/)
  await page.locator('summary', { hasText: 'Open a night' }).click()
  await press(page.locator('table.nights a').first())
  assert.match(await mainText(page), /Sleep stages[^]*All measures[^]*Where it comes from[^]*data\.ndjson/)
  await page.locator('summary', { hasText: 'Delete this night' }).click()
  await press(page.getByRole('button', { name: 'Delete it' }))
  assert.match(await mainText(page), /Deleted\.[^]*Nights on 8 of 2[2-8] days/)
  assert.deepEqual(page.problems, [])
})

/** Reads the cells of a table. */
const tableCells = (page, summary) => page.locator('details', { has: page.locator('summary', { hasText: summary }) })
  .locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())))

/** Reads the figures on the page, in the format of scripts/night-figures. */
async function figuresOnPage(page) {
  const weeks = await tableCells(page, 'Weekly medians')
  const [bedtime, wake] = (await tableCells(page, 'Regularity')).map(([, median, half, n]) => ({ median, half, n: Number(n) }))
  // An unknown figure is left out.
  const values = Object.fromEntries(await page.locator('.figures div').evaluateAll(
    (all) => all.map((one) => [one.querySelector('dt').textContent, one.querySelector('dd').firstChild.textContent.trim()])))
  const index = (await mainText(page)).match(/Index: (-?\d+) of 100, from (\d+) pairs/)
  const period = ([, n, in_bed, asleep]) => ({ n: Number(n), in_bed, asleep: asleep.replace(/ \(of .*/, '') })
  return {
    all: { n: bedtime?.n, in_bed: values['In bed'], asleep: values.Asleep ?? 'unknown' },
    bedtime, wake, index: index && Number(index[1]), pairs: index && Number(index[2]), weeks: weeks.map(period),
  }
}

/** Compares the figures on a person's pages with scripts/night-figures; returns the number of pages compared. */
async function compare(page, base, zone, exported) {
  const expected = JSON.parse(await run('scripts/night-figures', [zone], exported))
  for (const { to, source, figures, months } of expected) {
    const parameter = source === null ? 'unnamed' : `named:${source}`
    await page.goto(`${base}/nights?to=${to}&source=${encodeURIComponent(parameter)}`)
    if (figures) assert.deepEqual(await figuresOnPage(page), figures, `${to} ${source}`)
    else assert.match(await mainText(page), /only naps/)
    const caption = (await page.locator('figure', { has: page.locator('#year-title') }).locator('figcaption bdi').allInnerTexts())[0]
    if (caption === (source ?? 'Unknown source')) {
      const rows = (await tableCells(page, 'Months')).map(([month, n, in_bed, asleep]) => ({ month, n: Number(n), in_bed, asleep: asleep.replace(/ \(of .*/, '') }))
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
  // A program that reads no input may have exited already; its exit status decides.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  assert.equal(code, 0, program)
  return output
}

test('figures of the demo person match an independent calculation', async (t) => {
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

test('figures of the sample files match an independent calculation', { skip: !(SAMPLES && existsSync(SAMPLES)) && 'no sample files' }, async () => {
  const page = await newWindow()
  let comparisons = 0
  for (const folder of await readdir(SAMPLES, { withFileTypes: true })) {
    if (!folder.isDirectory() || folder.name === 'dsld') continue
    for (const name of await readdir(path.join(SAMPLES, folder.name))) {
      const person = await newPerson()
      // Rejected files have no figures.
      await restwell(['import', '--user', person.id, path.join(SAMPLES, folder.name, name)]).catch(() => '')
      const exported = await restwell(['export', '--user', person.id])
      if (!exported.includes('"sleep_session"')) continue
      await page.context().clearCookies()
      await openAndSignIn(page, person)
      comparisons += await compare(page, BASE, 'Europe/Berlin', exported)
    }
  }
  assert.ok(comparisons >= 10, `${comparisons}`)
})
