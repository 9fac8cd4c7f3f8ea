/** Checks of what a page looks like on a phone and on a desktop, light and dark: axe-core, overflow and screenshots. */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import path from 'node:path'

const axe = createRequire(import.meta.url)('axe-core')

export const AXE_VERSION = axe.version
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
export const PHONE = { width: 390, height: 844 }
/** Rules of the dark theme: those whose outcome depends on colours, since nothing else differs from the light theme. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block']
/** The narrowest supported window: 1280 pixels at 400 percent (WCAG 2.2, 1.4.10). */
export const NARROWEST = { width: 320, height: 640 }
const SIZES = { phone: PHONE, desktop: { width: 1280, height: 800 } }

/** Returns by how many pixels the content is wider than the window. */
export const overflow = (page) => page.evaluate(() => document.scrollingElement.scrollWidth - document.documentElement.clientWidth)

/** Takes a screenshot of the whole page if a folder is named. */
export const takeScreenshot = (page, name) =>
  process.env.SCREENSHOTS && page.screenshot({ path: path.join(process.env.SCREENSHOTS, `${name}.png`), fullPage: true })

async function runAxe(page, runOnly) {
  const { violations, incomplete, passes } = await page.evaluate((only) => window.axe.run(document, { runOnly: only }), runOnly)
  const summary = ({ id, impact, help, nodes }) =>
    ({ id, impact, help, where: nodes.map(({ target, failureSummary }) => ({ target: target.join(' '), failureSummary })) })
  return { violations: violations.map(summary), incomplete: incomplete.map(summary), passes: passes.map(({ id }) => id) }
}

/** Runs an action in every size and theme, with their names. */
export async function inEveryAppearance(page, action) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      await action(size, colorScheme)
    }
  }
}

/** Checks a page in every size and theme; returns the reports of axe-core. */
export async function checkAppearance(page, name) {
  // Through the debugger, which the content security policy of the page does not restrict.
  await page.evaluate(axe.source)
  const reports = []
  await inEveryAppearance(page, async (size, colorScheme) => {
    await takeScreenshot(page, `${name}-${size}-${colorScheme}`)
    const rules = colorScheme === 'light' ? { type: 'tag', values: RULES } : { type: 'rule', values: RULES_OF_COLOURS }
    const report = { page: name, size, colorScheme, rules: rules.values, ...await runAxe(page, rules) }
    assert.deepEqual(report.violations, [], `${name} ${size} ${colorScheme}`)
    assert.ok(await overflow(page) <= 0, `${name} overflows its window: ${size}, ${colorScheme}`)
    reports.push(report)
  })
  return reports
}
