/**
 * Auth.js (@auth/core, the core of NextAuth) with Restwell, using the provider of docs/connect-your-app.md. It checks
 * state, PKCE and iss, and reads the profile; refreshing and revoking are left to the app.
 */

import { Auth, skipCSRFCheck } from '@auth/core'
import { ALLOWED, app, browser, check, checkSame } from './harness.mjs'

process.env.AUTH_RESTWELL_ISSUER = app.base
process.env.AUTH_RESTWELL_ID = app.clientId
process.env.AUTH_RESTWELL_SECRET = app.clientSecret
const { restwell } = await import('./restwell-provider.mjs')

const site = new URL(app.redirectUri).origin

/** Configures an app, and records the account that it receives and the errors that it logs. */
function configure(provider) {
  const recorded = { account: undefined, errors: [] }
  const config = {
    providers: [provider],
    secret: 'a secret of the throwaway app, 32+ letters',
    trustHost: true,
    basePath: '/auth',
    skipCSRFCheck,
    logger: { error: (error) => recorded.errors.push(error), warn() {}, debug() {} },
    callbacks: {
      jwt({ token, account }) {
        recorded.account ??= account
        return token
      },
    },
  }
  return { config, recorded }
}

const cookies = (response) => response.headers.getSetCookie().map((line) => line.split(';')[0]).join('; ')

/** Signs in through the app; returns what it recorded, the callback URL, and its last response. */
async function signIn(provider, allow, changeCallback = () => {}) {
  const { config, recorded } = configure(provider)
  const redirect = await Auth(new Request(`${site}/auth/signin/restwell`, { method: 'POST' }), config)
  const callback = await browser.authorize(redirect.headers.get('location'), app.redirectUri, allow)
  changeCallback(callback.searchParams)
  const response = await Auth(new Request(callback, { headers: { cookie: cookies(redirect) } }), config)
  return { ...recorded, callback, response }
}

/** Checks that no user was signed in, and the library's error with its cause. */
function checkRejected(what, { account, errors }, expected) {
  const texts = errors.map(({ type, cause }) => `${type} ${cause?.err?.message}`)
  check(what, !account && texts.length === 1 && texts[0].startsWith(expected), texts)
}

const { account, response, errors } = await signIn(restwell, ALLOWED)
checkSame('authorize: sign-in and consent', browser.pages, ['/sign-in', '/consent'])
checkSame('authorize: the page offers the requested scopes', browser.offered, ALLOWED)
check('sign-in: no error, a session', errors.length === 0 && cookies(response).includes('session-token='), errors)
check('profile: read', account.providerAccountId === account.user_id, account)
checkSame('token: the granted scopes', account.scope.split(' '), ALLOWED)
check('token: a refresh token and an expiry', account.refresh_token && account.expires_at > Date.now() / 1000 + 3500)

const otherIssuer = 'CallbackRouteError unexpected "iss" (issuer) response parameter value'
checkRejected('iss: without issuer every response is rejected', await signIn({ ...restwell, issuer: undefined }, ALLOWED),
  otherIssuer)
const setOtherIssuer = (parameters) => parameters.set('iss', 'https://other.example')
checkRejected('iss: a response from another issuer is rejected', await signIn(restwell, ALLOWED, setOtherIssuer), otherIssuer)
checkRejected('token: a wrong secret is challenged', await signIn({ ...restwell, clientSecret: 'rws_wrong' }, ALLOWED),
  'CallbackRouteError server responded with a challenge')
const denied = await signIn(restwell, null)
checkSame('deny: consent only, because the user is signed in', browser.pages, ['/consent'])
check('deny: access_denied', denied.callback.searchParams.get('error') === 'access_denied')
checkRejected('deny: the library reports a callback error', denied, 'OAuthCallbackError')
