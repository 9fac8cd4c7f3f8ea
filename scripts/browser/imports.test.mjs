/** Bringing an export in by the page, without scripts, and taking it back. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASE, newPerson, press, restwell, signInAt, soon, useBrowser } from './fixture.mjs'
import { uploadProfile } from './pages.mjs'

const newWindow = useBrowser()

const main = (page) => page.locator('main').innerText()

const NIGHTS = [1, 2, 3].map((day) => JSON.stringify({
  type: 'sleep_session', time_in_bed_start: `2026-02-0${day}T23:10:00+01:00`, time_in_bed_end: `2026-02-0${day + 1}T06:50:00+01:00`,
})).join('\n')

async function upload(page, name, text, start = '') {
  await page.goto(`${BASE}/imports${start ? '?recording=start' : ''}`)
  if (start) await page.getByLabel('Start of the recording').fill(start)
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) })
  await press(page.locator('form[action="/imports"] button'))
  await page.waitForURL(`${BASE}/imports/*`)
  assert.ok(await soon(async () => {
    await page.reload()
    return await page.locator('progress').count() === 0
  }, 20_000))
}

test('an export is uploaded, reported and undone', async () => {
  const person = await newPerson()
  const page = await newWindow()
  await signInAt(page, person)
  await upload(page, 'nights.ndjson', NIGHTS)
  assert.match(await main(page), /3 new, 0 updated, 0 unchanged/)
  assert.match(await restwell(['export', '--user', person.id]), /sleep_session/)
  await page.locator('summary', { hasText: 'Undo' }).click()
  await press(page.locator('form[action="/imports/undo"] button'))
  await page.waitForURL(`${BASE}/imports/*done=undone`)
  assert.match(await main(page), /Undone/)
  assert.doesNotMatch(await restwell(['export', '--user', person.id]), /sleep_session/)
  assert.deepEqual(page.complaints, [])
})

test('a file that nobody knows is refused with what was seen', async () => {
  const page = await newWindow()
  await signInAt(page, await newPerson())
  await upload(page, 'holiday.txt', 'we went to the sea')
  assert.match(await main(page), /The file was rejected\. Nothing from it was stored/)
})

test('a hypnogram is taken with the time at which it began, and refused without', async () => {
  const person = await newPerson()
  const page = await newWindow()
  await signInAt(page, person)
  const scored = '0\n2\n3\n4\n'.repeat(60)
  await upload(page, 'scored.txt', scored)
  assert.match(await main(page), /a hypnogram does not say when it began; upload it again and enter the start/)
  await upload(page, 'scored.txt', scored, '2026-01-10T22:30')
  assert.match(await main(page), /1 new, 0 updated, 0 unchanged/)
  assert.match(await restwell(['export', '--user', person.id]), /"time_in_bed_start":"2026-01-10T22:30:00/)
  await upload(page, 'nights.ndjson', NIGHTS, '2026-01-10T22:30')
  assert.match(await main(page), /says itself when its records began/)
})

test('a profile that a file contradicts is changed only where its person ticks it', async () => {
  const page = await newWindow()
  const person = await uploadProfile(page)
  assert.match(await main(page), /Blood type\s+AB-\s*before: not set/)
  assert.match(await main(page), /Your profile: 1988-01-02\. File: 1990-05-17\./)
  await page.locator('label', { hasText: 'Birth date' }).click()
  await press(page.getByRole('button', { name: 'Update selected' }))
  await page.waitForURL(`${BASE}/imports/*done=profile`)
  const shown = JSON.parse(await restwell(['user', 'show', person.id, '--json']))
  assert.deepEqual([shown.birth_date, shown.biological_sex], ['1990-05-17', 'other'])
  await press(page.getByRole('button', { name: 'Update all' }))
  assert.equal(JSON.parse(await restwell(['user', 'show', person.id, '--json'])).biological_sex, 'female')
  assert.deepEqual(page.complaints, [])
})
