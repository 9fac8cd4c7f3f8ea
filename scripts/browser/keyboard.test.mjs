/** Keyboard-only use: logical focus order, visible focus, and keys that work. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BASE, authorization, navigate, newApp, newPerson, openAndSignIn, redeem, scopeBox, useBrowser,
} from './fixture.mjs'

const newWindow = useBrowser()

/** Returns the focused element (its name in a form, or its text) and whether the focus is visible. */
function focusedElement(page) {
  return page.evaluate(() => {
    const element = document.activeElement
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
    const name = [element.name, element.type === 'checkbox' || element.tagName === 'BUTTON' ? element.value : '']
    return {
      what: element === document.body ? '' : name.filter(Boolean).join('=') || element.textContent.trim(),
      isVisible: (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || boxShadow !== 'none',
    }
  })
}

/** Presses Tab until this element has focus; returns the elements that had focus. Each focus must be visible. */
async function tabTo(page, target) {
  const path = []
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press('Tab')
    const { what, isVisible } = await focusedElement(page)
    assert.ok(isVisible, `the focus on ${what} is not visible`)
    path.push(what)
    if (what === target) return path
  }
  assert.fail(`Tab reached ${path}, but not ${target}`)
}

/** Presses a key that opens another page. */
const pressKey = (page, key) => navigate(page, () => page.keyboard.press(key))

test('sign-in and consent need no mouse', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const page = await newWindow({}, [BASE, app.origin])
  const { url, verifier } = authorization(app)
  await page.goto(url)
  // The first empty field has focus.
  assert.equal((await focusedElement(page)).what, 'email')
  await page.keyboard.type(person.email)
  assert.deepEqual(await tabTo(page, 'password'), ['password'])
  await page.keyboard.insertText(person.password)
  await pressKey(page, 'Enter')
  assert.equal(new URL(page.url()).pathname, '/consent')

  const path = await tabTo(page, 'scope=supplements')
  assert.deepEqual(path, ['Skip to content', 'Restwell', 'scope=profile', 'scope=sleep', 'scope=supplements'])
  const box = scopeBox(page, 'supplements')
  const before = await box.isChecked()
  await page.keyboard.press('Space')
  assert.equal(await box.isChecked(), !before)
  if (before === false) await page.keyboard.press('Space')
  assert.deepEqual(await tabTo(page, 'decision=allow'), ['remember=yes', 'decision=deny', 'decision=allow'])
  await pressKey(page, 'Space')
  await page.waitForURL(`${app.redirectUri}**`)
  const tokens = await (await redeem(app, app.callbacks[0], verifier)).json()
  assert.equal(tokens.scope, 'profile sleep')
})

test('deny is as easy to reach as allow, and Enter in a checkbox never allows', async (t) => {
  const [person, app] = await Promise.all([newPerson(), newApp(t)])
  const page = await newWindow({}, [BASE, app.origin])
  await openAndSignIn(page, person)
  await page.goto(authorization(app).url)
  const [deny, allow] = await Promise.all(['deny', 'allow'].map((value) =>
    page.locator(`button[name=decision][value=${value}]`).evaluate((button) => {
      const { width, height } = button.getBoundingClientRect()
      const { fontSize, fontWeight, backgroundColor, color } = getComputedStyle(button)
      return { width, height, fontSize, fontWeight, backgroundColor, color }
    })))
  assert.deepEqual(deny, allow)

  await tabTo(page, 'decision=deny')
  await pressKey(page, 'Enter')
  await page.waitForURL(`${app.redirectUri}**`)
  assert.equal(app.callbacks[0].get('error'), 'access_denied')

  await page.goto(authorization(app).url)
  await tabTo(page, 'scope=profile')
  await pressKey(page, 'Enter')
  assert.equal(app.callbacks[1].get('error'), 'access_denied')
})

test('the skip link jumps past the navigation', async () => {
  const person = await newPerson()
  const page = await newWindow()
  await openAndSignIn(page, person)
  await page.goto(`${BASE}/tokens`)
  await tabTo(page, 'Skip to content')
  await page.keyboard.press('Enter')
  const next = await tabTo(page, 'name')
  assert.deepEqual(next, ['name'])
})

test('every page of a person can be reached and left by the keyboard', async () => {
  const person = await newPerson()
  const page = await newWindow()
  await openAndSignIn(page, person)
  for (const [text, path] of [['Apps', '/apps'], ['Activity', '/activity'], ['Tokens', '/tokens'], ['Your own apps', '/developer'], ['Account', '/account'], ['Home', '/']]) {
    await tabTo(page, text)
    await pressKey(page, 'Enter')
    assert.equal(page.url(), BASE + path)
  }
  await tabTo(page, 'Sign out')
  await pressKey(page, 'Enter')
  assert.equal(page.url(), `${BASE}/sign-out`)
  await page.goto(`${BASE}/apps`)
  assert.equal(new URL(page.url()).pathname, '/sign-in')
})
