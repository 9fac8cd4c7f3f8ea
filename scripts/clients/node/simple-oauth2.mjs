/** simple-oauth2 with Restwell. The app creates PKCE values and parses responses itself. */

import { createHash, randomBytes } from 'node:crypto'
import { AuthorizationCode } from 'simple-oauth2'
import {
  ALLOWED, REQUESTED, app, browser, check, checkRejectedWithinLimit, checkSame, checkThrows, readProfile,
} from './harness.mjs'

const configure = (secret) => new AuthorizationCode({
  client: { id: app.clientId, secret },
  auth: { tokenHost: app.base, tokenPath: '/api/token', revokePath: '/oauth/revoke', authorizePath: '/authorize' },
})

const client = configure(app.clientSecret)

async function authorize(allow) {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(16).toString('base64url')
  const url = client.authorizeURL({
    redirect_uri: app.redirectUri,
    scope: REQUESTED,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const { searchParams } = await browser.authorize(url, app.redirectUri, allow)
  check('authorize: state and iss', searchParams.get('state') === state && searchParams.get('iss') === app.base)
  return { parameters: searchParams, verifier }
}

const redeem = ({ parameters, verifier }, by = client) =>
  by.getToken({ code: parameters.get('code'), redirect_uri: app.redirectUri, code_verifier: verifier })

const authorization = await authorize(ALLOWED)
checkSame('authorize: sign-in and consent', browser.pages, ['/sign-in', '/consent'])
checkSame('authorize: the page offers the requested scopes', browser.offered, REQUESTED)

const isError = (name) => (error) => error.data?.payload?.error === name
await checkThrows('token: a wrong secret is invalid_client', Error, isError('invalid_client'),
  () => redeem(authorization, configure('rws_wrong')))
const accessToken = await redeem(authorization)
const { token } = accessToken
check('token: Bearer for an hour', token.token_type === 'Bearer' && token.expires_in === 3600 && !accessToken.expired())
checkSame('token: the granted scopes', token.scope.split(' '), ALLOWED)

const profile = await readProfile(token.user_id, token.access_token)
checkSame('profile: read', (await profile.json()).data.scopes, ALLOWED)

const fresh = await accessToken.refresh()
check('refresh: a new access token', fresh.token.access_token !== token.access_token && fresh.token.refresh_token)
check('refresh: the new access token is accepted', (await readProfile(token.user_id, fresh.token.access_token)).status === 200)

// The response to a revocation has no body (RFC 7009); by default the library expects JSON.
await fresh.revoke('refresh_token', { json: true })
check('revoke: accepted', true)
await checkThrows('revoke: the refresh token is rejected', Error, isError('invalid_grant'), () => fresh.refresh())
await checkRejectedWithinLimit('revoke: the access token is rejected', token.user_id, fresh.token.access_token)

const denied = await authorize(null)
checkSame('deny: consent only, because the user is signed in', browser.pages, ['/consent'])
check('deny: access_denied', denied.parameters.get('error') === 'access_denied' && !denied.parameters.has('code'))

const replayed = await authorize(ALLOWED)
const first = await redeem(replayed)
await checkThrows('replay: a used code is invalid_grant', Error, isError('invalid_grant'), () => redeem(replayed))
await checkThrows('replay: the grant is revoked', Error, isError('invalid_grant'), () => first.refresh())
