/** @badgateway/oauth2-client against Restwell, set up by its metadata (RFC 8414). It does not look at iss. */

import { randomBytes } from 'node:crypto'
import { OAuth2Client, OAuth2Error, OAuth2HttpError, generateCodeVerifier } from '@badgateway/oauth2-client'
import {
  ALLOWED, REQUESTED, app, browser, check, checkRefusedSoon, checkSame, checkThrows, readProfile,
} from './transcript.mjs'

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

const way = await authorize(ALLOWED)
check('discovery: the endpoints', client.settings.tokenEndpoint === `${app.base}/api/token`, client.settings)
checkSame('authorize: sign-in and consent', browser.pages, ['/sign-in', '/consent'])
checkSame('authorize: the page offers what was asked for', browser.offered, REQUESTED)

await checkThrows('token: a wrong secret is invalid_client', OAuth2HttpError, isError('invalid_client'),
  () => redeem(way, configure('rws_wrong')))
const token = await redeem(way)
const { user_id: userId } = token.extraParams
check('token: an hour', Math.abs(token.expiresAt - Date.now() - 3_600_000) < 60_000, token.expiresAt)
checkSame('token: the scopes that were ticked', token.scope, ALLOWED)
checkSame('profile: read', (await (await readProfile(userId, token.accessToken)).json()).data.scopes, ALLOWED)

const fresh = await client.refreshToken(token)
check('refresh: a new access token', fresh.accessToken !== token.accessToken && fresh.refreshToken)
check('refresh: it reads', (await readProfile(userId, fresh.accessToken)).status === 200)

const told = await client.introspect(fresh)
check('introspect: active, Bearer', told.active === true && told.token_type === 'Bearer', told)
const asAccess = await client.introspect({ ...fresh, accessToken: fresh.refreshToken })
check('introspect: a refresh token is no access token', JSON.stringify(asAccess) === '{"active":false}', asAccess)

await client.revoke(fresh, 'refresh_token')
check('revoke: taken', true)
await checkThrows('revoke: the refresh token is dead', OAuth2HttpError, isError('invalid_grant'),
  () => client.refreshToken(fresh))
await checkRefusedSoon('revoke: the access token is dead', userId, fresh.accessToken)

const denied = await authorize(null)
checkSame('deny: consent alone, the person is signed in', browser.pages, ['/consent'])
await checkThrows('deny: access_denied', OAuth2Error, isError('access_denied'), () => redeem(denied))

const replayed = await authorize(ALLOWED)
const first = await redeem(replayed)
await checkThrows('replay: a used code is invalid_grant', OAuth2HttpError, isError('invalid_grant'),
  () => redeem(replayed))
await checkThrows('replay: it ended the grant', OAuth2HttpError, isError('invalid_grant'),
  () => client.refreshToken(first))
