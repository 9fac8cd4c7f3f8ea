/** @badgateway/oauth2-client with Restwell, configured from its metadata (RFC 8414). It does not check iss. */

import { randomBytes } from 'node:crypto'
import { OAuth2Client, OAuth2Error, OAuth2HttpError, generateCodeVerifier } from '@badgateway/oauth2-client'
import {
  ALLOWED, REQUESTED, app, browser, check, checkRejectedWithinLimit, checkSame, checkThrows, readProfile,
} from './harness.mjs'

const configure = (clientSecret) => new OAuth2Client({ server: app.base, clientId: app.clientId, clientSecret })
const client = configure(app.clientSecret)

async function authorize(allow) {
  const codeVerifier = await generateCodeVerifier()
  const state = randomBytes(16).toString('base64url')
  const { redirectUri } = app
  const request = { redirectUri, state, codeVerifier, scope: REQUESTED }
  const url = await client.authorizationCode.getAuthorizeUri(request)
  const callback = await browser.authorize(url, redirectUri, allow)
  check('authorize: iss', callback.searchParams.get('iss') === app.base)
  return [callback, request]
}

const redeem = ([callback, request], by = client) => by.authorizationCode.getTokenFromCodeRedirect(callback, request)
const isError = (name) => (error) => error.oauth2Code === name

const authorization = await authorize(ALLOWED)
check('discovery: the endpoints', client.settings.tokenEndpoint === `${app.base}/api/token`, client.settings)
checkSame('authorize: sign-in and consent', browser.pages, ['/sign-in', '/consent'])
checkSame('authorize: the page offers the requested scopes', browser.offered, REQUESTED)

await checkThrows('token: a wrong secret is invalid_client', OAuth2HttpError, isError('invalid_client'),
  () => redeem(authorization, configure('rws_wrong')))
const token = await redeem(authorization)
const { user_id: userId } = token.extraParams
check('token: an hour', Math.abs(token.expiresAt - Date.now() - 3_600_000) < 60_000, token.expiresAt)
checkSame('token: the granted scopes', token.scope, ALLOWED)
checkSame('profile: read', (await (await readProfile(userId, token.accessToken)).json()).data.scopes, ALLOWED)

const fresh = await client.refreshToken(token)
check('refresh: a new access token', fresh.accessToken !== token.accessToken && fresh.refreshToken)
check('refresh: the new access token is accepted', (await readProfile(userId, fresh.accessToken)).status === 200)

const introspected = await client.introspect(fresh)
check('introspect: active, Bearer', introspected.active === true && introspected.token_type === 'Bearer', introspected)
const asAccess = await client.introspect({ ...fresh, accessToken: fresh.refreshToken })
check('introspect: a refresh token is no access token', JSON.stringify(asAccess) === '{"active":false}', asAccess)

await client.revoke(fresh, 'refresh_token')
check('revoke: accepted', true)
await checkThrows('revoke: the refresh token is rejected', OAuth2HttpError, isError('invalid_grant'),
  () => client.refreshToken(fresh))
await checkRejectedWithinLimit('revoke: the access token is rejected', userId, fresh.accessToken)

const denied = await authorize(null)
checkSame('deny: consent only, because the user is signed in', browser.pages, ['/consent'])
await checkThrows('deny: access_denied', OAuth2Error, isError('access_denied'), () => redeem(denied))

const replayed = await authorize(ALLOWED)
const first = await redeem(replayed)
await checkThrows('replay: a used code is invalid_grant', OAuth2HttpError, isError('invalid_grant'),
  () => redeem(replayed))
await checkThrows('replay: the grant is revoked', OAuth2HttpError, isError('invalid_grant'),
  () => client.refreshToken(first))
