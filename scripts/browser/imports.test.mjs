/** Uploading an export on the page and undoing it, without scripts. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASE, mainText, newPerson, openAndSignIn, press, restwell, useBrowser } from './fixture.mjs'
import { uploadFile, uploadProfile } from './pages.mjs'

const newWindow = useBrowser()


const NIGHTS = [1, 2, 3].map((day) => JSON.stringify({
  type: 'sleep_session', time_in_bed_start: `2026-02-0${day}T23:10:00+01:00`, time_in_bed_end: `2026-02-0${day + 1}T06:50:00+01:00`,
})).join('\n')

async function upload(page, name, text, start = '') {
  await page.goto(`${BASE}/imports${start ? '?recording=start' : ''}`)
  if (start) await page.getByLabel('Start of the recording').fill(start)
  await uploadFile(page, name, text)
}

test('an export is uploaded, reported and undone', async () => {
  const person = await newPerson()
  const page = await newWindow()
  await openAndSignIn(page, person)
  await upload(page, 'nights.ndjson', NIGHTS)
  assert.match(await mainText(page), /3 new, 0 updated, 0 unchanged/)
  assert.match(await restwell(['export', '--user', person.id]), /sleep_session/)
  await page.locator('summary', { hasText: 'Undo' }).click()
  await press(page.locator('form[action="/imports/undo"] button'))
  await page.waitForURL(`${BASE}/imports/*done=undone`)
  assert.match(await mainText(page), /Undone/)
  assert.doesNotMatch(await restwell(['export', '--user', person.id]), /sleep_session/)
  assert.deepEqual(page.problems, [])
})

test('an unknown file is rejected with a description of its content', async () => {
  const page = await newWindow()
  await openAndSignIn(page, await newPerson())
  await upload(page, 'holiday.txt', 'we went to the sea')
  assert.match(await mainText(page), /The file was rejected\. Nothing from it was stored/)
})

test('a hypnogram is imported with its start time and rejected without it', async () => {
  const person = await newPerson()
  const page = await newWindow()
  await openAndSignIn(page, person)
  const hypnogram = '0\n2\n3\n4\n'.repeat(60)
  await upload(page, 'scored.txt', hypnogram)
  assert.match(await mainText(page), /a hypnogram does not contain its start time; upload it again and enter the start/)
  await upload(page, 'scored.txt', hypnogram, '2026-01-10T22:30')
  assert.match(await mainText(page), /1 new, 0 updated, 0 unchanged/)
  assert.match(await restwell(['export', '--user', person.id]), /"time_in_bed_start":"2026-01-10T22:30:00/)
  await upload(page, 'nights.ndjson', NIGHTS, '2026-01-10T22:30')
  assert.match(await mainText(page), /contains the start of its records/)
})

test('an import changes only the profile fields that the person ticks', async () => {
  const page = await newWindow()
  const person = await uploadProfile(page)
  assert.match(await mainText(page), /Blood type\s+AB-\s*before: not set/)
  assert.match(await mainText(page), /Your profile: 1988-01-02\. File: 1990-05-17\./)
  await page.locator('label', { hasText: 'Birth date' }).click()
  await press(page.getByRole('button', { name: 'Update selected' }))
  await page.waitForURL(`${BASE}/imports/*done=profile`)
  const shown = JSON.parse(await restwell(['user', 'show', person.id, '--json']))
  assert.deepEqual([shown.birth_date, shown.biological_sex], ['1990-05-17', 'other'])
  await press(page.getByRole('button', { name: 'Update all' }))
  assert.equal(JSON.parse(await restwell(['user', 'show', person.id, '--json'])).biological_sex, 'female')
  assert.deepEqual(page.problems, [])
})
