/** passport-oauth2 with Restwell, called as Passport does. It does not check iss; its inner client refreshes. */

import { promisify } from 'node:util'
import OAuth2Strategy from 'passport-oauth2'
import { ALLOWED, REQUESTED, app, browser, check, checkSame, checkThrows, readProfile } from './harness.mjs'

function configure(clientSecret) {
  return new OAuth2Strategy({
    authorizationURL: `${app.base}/authorize`,
    tokenURL: `${app.base}/api/token`,
    clientID: app.clientId,
    clientSecret,
    callbackURL: app.redirectUri,
    scope: REQUESTED,
    state: true,
    pkce: true,
  }, (accessToken, refreshToken, response, profile, done) => done(null, { accessToken, refreshToken, response }))
}

const strategy = configure(app.clientSecret)

/** Runs the strategy for one request; returns its redirect, its user, or its failure. */
function authenticate(session, query, by = strategy) {
  return new Promise((resolve, reject) => {
    const run = Object.create(by)
    run.redirect = (url) => resolve({ url })
    run.success = (user) => resolve({ user })
    run.fail = (challenge, status) => resolve({ challenge, status })
    run.error = reject
    run.authenticate({ query, session })
  })
}

async function authorize(allow) {
  const session = {}
  const { url } = await authenticate(session, {})
  const { searchParams } = await browser.authorize(url, app.redirectUri, allow)
  check('authorize: iss', searchParams.get('iss') === app.base)
  return [session, Object.fromEntries(searchParams)]
}

const copy = ([session, query]) => [structuredClone(session), query]
const refresh = promisify((token, done) =>
  strategy._oauth2.getOAuthAccessToken(token, { grant_type: 'refresh_token' }, (error, access, _, response) =>
    done(error, { access, response })))

const authorization = await authorize(ALLOWED)
checkSame('authorize: sign-in and consent', browser.pages, ['/sign-in', '/consent'])
checkSame('authorize: the page offers the requested scopes', browser.offered, REQUESTED)

const otherState = await authenticate(structuredClone(authorization[0]), { ...authorization[1], state: 'another' })
check('authorize: another state is rejected', otherState.status === 403, otherState)
await checkThrows('token: a wrong secret is invalid_client', OAuth2Strategy.TokenError,
  (error) => error.code === 'invalid_client', () => authenticate(...copy(authorization), configure('rws_wrong')))
const { user } = await authenticate(...copy(authorization))
const { user_id: userId, scope, expires_in: seconds } = user.response
check('token: an hour', seconds === 3600, seconds)
checkSame('token: the granted scopes', scope.split(' '), ALLOWED)
checkSame('profile: read', (await (await readProfile(userId, user.accessToken)).json()).data.scopes, ALLOWED)

const fresh = await refresh(user.refreshToken)
check('refresh: a new access token', fresh.access && fresh.access !== user.accessToken, fresh)
check('refresh: the new access token is accepted', (await readProfile(userId, fresh.access)).status === 200)

await checkThrows('replay: a used code is invalid_grant', OAuth2Strategy.TokenError,
  (error) => error.code === 'invalid_grant', () => authenticate(...copy(authorization)))
await checkThrows('replay: the grant is revoked', Object,
  (error) => JSON.parse(error.data).error === 'invalid_grant', () => refresh(user.refreshToken))

const denied = await authenticate(...await authorize(null))
checkSame('deny: consent only, because the user is signed in', browser.pages, ['/consent'])
check('deny: no user is signed in', denied.challenge && !denied.user, denied)
