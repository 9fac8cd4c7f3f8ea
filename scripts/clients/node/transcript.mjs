/** What the scripts share: the settings that scripts/check-clients hands over, and a line for each check. */

import { setTimeout } from 'node:timers/promises'
import { Browser } from './browser.mjs'

export const REQUESTED = ['profile', 'sleep', 'supplements']
/** The person leaves one out. */
export const ALLOWED = ['profile', 'sleep']

const { BASE_URL, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, EMAIL, PASSWORD } = process.env

/** Where the server is and who the app is. */
export const app = { base: BASE_URL, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, redirectUri: REDIRECT_URI }

export const browser = new Browser(BASE_URL, EMAIL, PASSWORD)

export const profileUrl = (userId) => new URL(`/api/v1/profile/${userId}`, BASE_URL)

/** Prints that something holds, or ends the script. */
export function check(what, holds, seen = '') {
  if (!holds) {
    console.log(`FAIL ${what}`, seen)
    process.exit(1)
  }
  console.log(`ok   ${what}`)
}

/** Checks that an action ends in the library's own error. */
export async function checkThrows(what, kind, holds, action) {
  try {
    await action()
  } catch (error) {
    check(what, error instanceof kind && holds(error), error)
    return
  }
  check(what, false, 'no error')
}

/** Checks that two lists are the same. */
export const checkSame = (what, seen, expected) => check(what, seen.join() === expected.join(), seen)

/** Reads the profile with nothing but the token. */
export async function readProfile(userId, accessToken) {
  return fetch(profileUrl(userId), { headers: { authorization: `Bearer ${accessToken}` } })
}

/** Checks that a token becomes refused within the two seconds that a revocation may take to be seen. */
export async function checkRefusedSoon(what, userId, accessToken) {
  const deadline = Date.now() + 2000
  let { status } = await readProfile(userId, accessToken)
  while (status !== 401 && Date.now() < deadline) {
    await setTimeout(50)
    status = (await readProfile(userId, accessToken)).status
  }
  check(what, status === 401, status)
}
