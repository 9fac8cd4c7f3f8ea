/** Everything by the keyboard alone: an order that makes sense, a focus that is seen, keys that do what they say. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASE, authorization, follow, newApp, newPerson, redeem, scopeBox, signInAt, useBrowser } from './fixture.mjs'

const newWindow = useBrowser()

/** What has the focus: its name in a form, or its words; and whether one can see that it has it. */
function focused(page) {
  return page.evaluate(() => {
    const element = document.activeElement
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
    const name = [element.name, element.type === 'checkbox' || element.tagName === 'BUTTON' ? element.value : '']
    return {
      what: element === document.body ? '' : name.filter(Boolean).join('=') || element.textContent.trim(),
      seen: (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || boxShadow !== 'none',
    }
  })
}

/** Presses Tab until this has the focus, and returns all that had it on the way. Each must have been seen. */
async function tabTo(page, wanted) {
  const way = []
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press('Tab')
    const { what, seen } = await focused(page)
    assert.ok(seen, `one cannot see that ${what} has the focus`)
    way.push(what)
    if (what === wanted) return way
  }
  assert.fail(`Tab leads to ${way}, not to ${wanted}`)
}

/** Hits a key that opens another page. */
const hit = (page, key) => follow(page, () => page.keyboard.press(key))

test('sign-in and consent need no mouse', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const page = await newWindow({}, [BASE, app.origin])
  const { url, verifier } = authorization(app)
  await page.goto(url)
  // The first field that is empty has the focus already.
  assert.equal((await focused(page)).what, 'email')
  await page.keyboard.type(person.email)
  assert.deepEqual(await tabTo(page, 'password'), ['password'])
  await page.keyboard.insertText(person.password)
  await hit(page, 'Enter')
  assert.equal(new URL(page.url()).pathname, '/consent')

  const way = await tabTo(page, 'scope=supplements')
  assert.deepEqual(way, ['Skip to content', 'Restwell', 'scope=profile', 'scope=sleep', 'scope=supplements'])
  const box = scopeBox(page, 'supplements')
  const before = await box.isChecked()
  await page.keyboard.press('Space')
  assert.equal(await box.isChecked(), !before)
  if (before === false) await page.keyboard.press('Space')
  assert.deepEqual(await tabTo(page, 'decision=allow'), ['remember=yes', 'decision=deny', 'decision=allow'])
  await hit(page, 'Space')
  await page.waitForURL(`${app.redirectUri}**`)
  const tokens = await (await redeem(app, app.arrivals[0], verifier)).json()
  assert.equal(tokens.scope, 'profile sleep')
})

test('denying is as near as allowing, and Enter in a box never allows', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const page = await newWindow({}, [BASE, app.origin])
  await signInAt(page, person)
  await page.goto(authorization(app).url)
  const [deny, allow] = await Promise.all(['deny', 'allow'].map((value) =>
    page.locator(`button[name=decision][value=${value}]`).evaluate((button) => {
      const { width, height } = button.getBoundingClientRect()
      const { fontSize, fontWeight, backgroundColor, color } = getComputedStyle(button)
      return { width, height, fontSize, fontWeight, backgroundColor, color }
    })))
  assert.deepEqual(deny, allow)

  await tabTo(page, 'decision=deny')
  await hit(page, 'Enter')
  await page.waitForURL(`${app.redirectUri}**`)
  assert.equal(app.arrivals[0].get('error'), 'access_denied')

  await page.goto(authorization(app).url)
  await tabTo(page, 'scope=profile')
  await hit(page, 'Enter')
  assert.equal(app.arrivals[1].get('error'), 'access_denied')
})

test('the skip link leads past the navigation', async () => {
  const person = await newPerson()
  const page = await newWindow()
  await signInAt(page, person)
  await page.goto(`${BASE}/tokens`)
  await tabTo(page, 'Skip to content')
  await page.keyboard.press('Enter')
  const next = await tabTo(page, 'name')
  assert.deepEqual(next, ['name'])
})

test('every page of a person can be reached and left by the keyboard', async () => {
  const person = await newPerson()
  const page = await newWindow()
  await signInAt(page, person)
  for (const [words, path] of [['Apps', '/apps'], ['Activity', '/activity'], ['Tokens', '/tokens'], ['Account', '/account'], ['Home', '/']]) {
    await tabTo(page, words)
    await hit(page, 'Enter')
    assert.equal(page.url(), BASE + path)
  }
  await tabTo(page, 'Sign out')
  await hit(page, 'Enter')
  assert.equal(page.url(), `${BASE}/sign-out`)
  await page.goto(`${BASE}/apps`)
  assert.equal(new URL(page.url()).pathname, '/sign-in')
})
