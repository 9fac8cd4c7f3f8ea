/** Export and erasure on the pages, without scripts. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import {
  BASE, backdateSignIns, becomesTrue, connect, importRows, mainText, newApp, newPerson, openAndSignIn, press, read, restwell, useBrowser,
} from './fixture.mjs'
import { newFolder } from './server.mjs'

const newWindow = useBrowser()


/** Imports two nights and a height for a person. */
const importData = (t, person) => importRows(t, person, [
  { type: 'profile', height_cm: 171.5 },
  ...[1, 2].map((day) => ({
    type: 'sleep_session', source: 'ring',
    time_in_bed_start: `2026-02-0${day}T23:10:00+01:00`, time_in_bed_end: `2026-02-0${day + 1}T06:50:00+01:00`,
  })),
])

/** Enters the password again; the email address is already filled in. */
async function confirmPassword(page, person) {
  await page.locator('input[name=password]').fill(person.password)
  await press(page.locator('form:has(input[name=password]) button[type=submit]'))
}

/** Submits the download form unchanged, and returns the saved file. */
async function download(page) {
  const [saved] = await Promise.all([
    page.waitForEvent('download'), page.getByRole('button', { name: 'Download your data' }).click(),
  ])
  assert.equal(await saved.failure(), null)
  return { name: saved.suggestedFilename(), file: await saved.path() }
}

/** Unpacks an archive of text files. */
async function unpack(file) {
  const script = [
    'import json, sys, zipfile',
    'archive = zipfile.ZipFile(sys.argv[1])',
    'assert archive.testzip() is None',
    'print(json.dumps({name: archive.read(name).decode() for name in archive.namelist()}))',
  ]
  const { stdout } = await promisify(execFile)('python3', ['-c', script.join('\n'), file])
  return JSON.parse(stdout)
}

test('everything is downloaded as tables, and as lines that another server can import', async (t) => {
  const person = await newPerson()
  await importData(t, person)
  const page = await newWindow()
  await openAndSignIn(page, person)
  await page.goto(`${BASE}/account`)
  const tables = await download(page)
  assert.equal(tables.name, 'restwell-export.zip')
  const files = await unpack(tables.file)
  assert.match(files['README.txt'], /sleep_sessions\.csv/)
  assert.equal(files['sleep_sessions.csv'].trim().split('\n').length, 1 + 2)
  assert.match(files['profile.csv'], new RegExp(`${person.id},${person.email},.*171\\.5`))

  await page.locator('label[for=format-ndjson]').click()
  const lines = await download(page)
  assert.equal(lines.name, 'restwell-export.ndjson')
  const other = await newPerson()
  const text = (await readFile(lines.file, 'utf8')).replaceAll(person.id, other.id)
  const file = path.join(await newFolder(t), 'export.ndjson')
  await writeFile(file, text)
  const report = JSON.parse(await restwell(['import', '--user', other.id, '--json', file]))
  assert.equal(report.sessions.new, 2)
  assert.deepEqual(page.problems, [])
})

test('a download or erasure requires a recent sign-in', async (t) => {
  const person = await newPerson()
  await importData(t, person)
  const page = await newWindow()
  await openAndSignIn(page, person)
  await page.goto(`${BASE}/account`)
  await backdateSignIns(person, 301)
  await press(page.getByRole('button', { name: 'Download your data' }))
  assert.equal(new URL(page.url()).pathname, '/sign-in')
  await confirmPassword(page, person)
  assert.equal(new URL(page.url()).pathname, '/account')
  assert.equal((await download(page)).name, 'restwell-export.zip')

  await backdateSignIns(person, 301)
  await press(page.getByRole('link', { name: 'Delete your account' }))
  assert.equal(new URL(page.url()).pathname, '/sign-in')
  await confirmPassword(page, person)
  assert.equal(new URL(page.url()).pathname, '/account/erase')
})

test('the account is deleted by the keyboard alone, and only with the right address', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  await importData(t, person)
  const page = await newWindow({}, [BASE, app.origin])
  await openAndSignIn(page, person)
  const tokens = await connect(page, app)
  await page.goto(`${BASE}/account/erase`)
  const address = page.locator('input[name=email]')
  const erase = async (typed) => {
    await address.focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.type(typed)
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
  }
  await erase('somebody.else@example.org')
  assert.match(await page.title(), /^Error/)
  assert.equal(await address.getAttribute('aria-invalid'), 'true')
  assert.equal((await read('sleep', person.id, tokens.access_token)).status, 200)

  await erase(person.email)
  assert.match(await mainText(page), /Your account has been deleted[^]*Receipt[^]*[0-9a-f]{8}-[0-9a-f-]{27}/)
  assert.doesNotMatch(await page.content(), new RegExp(`${person.id}|${person.email}`))
  assert.deepEqual(await page.context().cookies(), [])
  assert.ok(await becomesTrue(async () => (await read('sleep', person.id, tokens.access_token)).status === 401))
  await assert.rejects(restwell(['user', 'show', person.id]))
  await openAndSignIn(page, person)
  assert.equal(new URL(page.url()).pathname, '/sign-in')
  assert.deepEqual(page.problems, [])
})
