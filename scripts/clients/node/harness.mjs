/** Settings from scripts/check-clients, and one line of output per check. */

import { setTimeout } from 'node:timers/promises'
import { Browser } from './browser.mjs'

export const REQUESTED = ['profile', 'sleep', 'supplements']
/** The user does not grant all of them. */
export const ALLOWED = ['profile', 'sleep']

const { BASE_URL, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, EMAIL, PASSWORD } = process.env

/** The server and the app. */
export const app = { base: BASE_URL, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, redirectUri: REDIRECT_URI }

export const browser = new Browser(BASE_URL, EMAIL, PASSWORD)

export const profileUrl = (userId) => new URL(`/api/v1/profile/${userId}`, BASE_URL)

/** Prints a passed check; exits after a failed one. */
export function check(what, passed, actual = '') {
  if (!passed) {
    console.log(`FAIL ${what}`, actual)
    process.exit(1)
  }
  console.log(`ok   ${what}`)
}

/** Checks that an action throws an error of the library. */
export async function checkThrows(what, errorType, isExpected, action) {
  try {
    await action()
  } catch (error) {
    check(what, error instanceof errorType && isExpected(error), error)
    return
  }
  check(what, false, 'no error')
}

/** Checks that two lists are the same. */
export const checkSame = (what, actual, expected) => check(what, actual.join() === expected.join(), actual)

/** Reads a profile, without the library. */
export async function readProfile(userId, accessToken) {
  return fetch(profileUrl(userId), { headers: { authorization: `Bearer ${accessToken}` } })
}

/** Checks that a token is rejected within the two seconds that a revocation may take. */
export async function checkRejectedWithinLimit(what, userId, accessToken) {
  const deadline = Date.now() + 2000
  let { status } = await readProfile(userId, accessToken)
  while (status !== 401 && Date.now() < deadline) {
    await setTimeout(50)
    status = (await readProfile(userId, accessToken)).status
  }
  check(what, status === 401, status)
}
