/** The interactive reference at /docs. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASE, newPerson, restwell, useBrowser } from './fixture.mjs'

const newWindow = useBrowser()

test('a token pasted under bearer authorizes requests, and no sign-in is offered whose return page is missing', async () => {
  const person = await newPerson()
  const created = await restwell(
    ['token', 'create', '--user', person.email, '--scope', 'profile', '--name', 'Reference', '--json'])
  const page = await newWindow({ javaScriptEnabled: true })
  await page.goto(`${BASE}/docs`)
  await page.locator('.scheme-container .btn.authorize').click()
  const dialog = page.locator('.dialog-ux')
  await dialog.locator('.auth-container').first().waitFor()
  assert.deepEqual(await dialog.locator('h4 code').allInnerTexts(), ['basic', 'bearer'])
  const offered = await dialog.innerText()
  assert.match(offered, /clientCredentials/)
  assert.doesNotMatch(offered, /authorizationCode/)

  await dialog.locator('#auth-bearer-value').fill(JSON.parse(created).token)
  await dialog.locator('#auth-bearer-value').press('Enter')
  await dialog.getByText('Authorized', { exact: true }).waitFor()
  await dialog.locator('.close-modal').click()
  const profile = page.locator('#operations-data-readProfile')
  await profile.locator('.opblock-summary-control').click()
  await profile.locator('input[placeholder=user_id]').fill(person.id)
  await profile.locator('button.execute').click()
  assert.equal(await profile.locator('.live-responses-table tbody .response-col_status').first().innerText(), '200')
  assert.deepEqual(page.problems, [])
})
