/**
 * Auth.js (@auth/core, the core of NextAuth) against Restwell, with the provider of docs/connect-your-app.md. It checks
 * state, PKCE and iss, and reads the profile; refreshing and revoking are left to the app.
 */

import { Auth, skipCSRFCheck } from '@auth/core'
import { ALLOWED, app, browser, check, checkSame } from './transcript.mjs'

process.env.AUTH_RESTWELL_ISSUER = app.base
process.env.AUTH_RESTWELL_ID = app.clientId
process.env.AUTH_RESTWELL_SECRET = app.clientSecret
const { restwell } = await import('./restwell-provider.mjs')

const site = new URL(app.redirectUri).origin

/** What one app saw: the account that it may store, and the errors that it logged. */
function configure(provider) {
  const seen = { account: undefined, errors: [] }
  const config = {
    providers: [provider],
    secret: 'a secret of the throwaway app, 32+ letters',
    trustHost: true,
    basePath: '/auth',
    skipCSRFCheck,
    logger: { error: (error) => seen.errors.push(error), warn() {}, debug() {} },
    callbacks: {
      jwt({ token, account }) {
        seen.account ??= account
        return token
      },
    },
  }
  return { config, seen }
}

const cookies = (response) => response.headers.getSetCookie().map((line) => line.split(';')[0]).join('; ')

/** Signs in through the app, and returns what the app saw, where the person came back to, and the app's last answer. */
async function signIn(provider, allow, change = () => {}) {
  const { config, seen } = configure(provider)
  const begun = await Auth(new Request(`${site}/auth/signin/restwell`, { method: 'POST' }), config)
  const callback = await browser.authorize(begun.headers.get('location'), app.redirectUri, allow)
  change(callback.searchParams)
  const answer = await Auth(new Request(callback, { headers: { cookie: cookies(begun) } }), config)
  return { ...seen, callback, answer }
}

/** Checks that nobody was signed in, and what the library says of it: the kind of its error and the cause. */
function checkRefused(what, { account, errors }, expected) {
  const texts = errors.map(({ type, cause }) => `${type} ${cause?.err?.message}`)
  check(what, !account && texts.length === 1 && texts[0].startsWith(expected), texts)
}

const { account, answer, errors } = await signIn(restwell, ALLOWED)
checkSame('authorize: sign-in and consent', browser.pages, ['/sign-in', '/consent'])
checkSame('authorize: the page offers what was asked for', browser.offered, ALLOWED)
check('sign-in: no error, a session', errors.length === 0 && cookies(answer).includes('session-token='), errors)
check('profile: read', account.providerAccountId === account.user_id, account)
checkSame('token: the scopes that were ticked', account.scope.split(' '), ALLOWED)
check('token: a refresh token and an end', account.refresh_token && account.expires_at > Date.now() / 1000 + 3500)

const otherIssuer = 'CallbackRouteError unexpected "iss" (issuer) response parameter value'
checkRefused('iss: without issuer every answer is refused', await signIn({ ...restwell, issuer: undefined }, ALLOWED),
  otherIssuer)
const foreign = (parameters) => parameters.set('iss', 'https://other.example')
checkRefused('iss: an answer of another issuer is refused', await signIn(restwell, ALLOWED, foreign), otherIssuer)
checkRefused('token: a wrong secret is challenged', await signIn({ ...restwell, clientSecret: 'rws_wrong' }, ALLOWED),
  'CallbackRouteError server responded with a challenge')
const denied = await signIn(restwell, null)
checkSame('deny: consent alone, the person is signed in', browser.pages, ['/consent'])
check('deny: access_denied', denied.callback.searchParams.get('error') === 'access_denied')
checkRefused('deny: the library knows it for an answer', denied, 'OAuthCallbackError')
