/** openid-client with Restwell, configured from its metadata (RFC 8414), with issuer check (RFC 9207). */

import * as client from 'openid-client'
import {
  ALLOWED, REQUESTED, app, browser, check, checkRejectedWithinLimit, checkSame, checkThrows, profileUrl,
} from './harness.mjs'

function configure(secret) {
  return client.discovery(new URL(app.base), app.clientId, secret, undefined, {
    algorithm: 'oauth2',
    execute: [client.allowInsecureRequests], // plain http, on loopback only
  })
}

async function authorize(config, allow) {
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: app.redirectUri,
    scope: REQUESTED.join(' '),
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  })
  const callback = await browser.authorize(url, app.redirectUri, allow)
  return [callback, { pkceCodeVerifier: verifier, expectedState: state }]
}

const config = await configure(app.clientSecret)
const metadata = config.serverMetadata()
check('discovery: the issuer', metadata.issuer === app.base, metadata)
check('discovery: PKCE by S256', metadata.supportsPKCE(), metadata)
check('discovery: iss is advertised', metadata.authorization_response_iss_parameter_supported === true, metadata)

const [callback, checks] = await authorize(config, ALLOWED)
checkSame('authorize: sign-in and consent', browser.pages, ['/sign-in', '/consent'])
checkSame('authorize: the page offers the requested scopes', browser.offered, REQUESTED)

const withoutIssuer = new URL(callback)
withoutIssuer.searchParams.delete('iss')
await checkThrows('authorize: a response without iss is rejected', client.ClientError, () => true, () =>
  client.authorizationCodeGrant(config, withoutIssuer, checks))
const fromOtherIssuer = new URL(callback)
fromOtherIssuer.searchParams.set('iss', 'https://other.example')
await checkThrows('authorize: a response from another issuer is rejected', client.ClientError, () => true, () =>
  client.authorizationCodeGrant(config, fromOtherIssuer, checks))

const isError = (name) => (error) => error.error === name
await checkThrows('token: a wrong secret is invalid_client', client.ResponseBodyError, isError('invalid_client'),
  async () => client.authorizationCodeGrant(await configure('rws_wrong'), callback, checks))
const tokens = await client.authorizationCodeGrant(config, callback, checks)
check('token: Bearer for an hour, iss verified', tokens.token_type === 'bearer' && tokens.expiresIn() > 3590)
checkSame('token: the granted scopes', tokens.scope.split(' '), ALLOWED)

const url = profileUrl(tokens.user_id)
const profile = await client.fetchProtectedResource(config, tokens.access_token, url, 'GET')
checkSame('profile: read', (await profile.json()).data.scopes, ALLOWED)

const fresh = await client.refreshTokenGrant(config, tokens.refresh_token)
check('refresh: a new access token', fresh.access_token !== tokens.access_token)
const again = await client.fetchProtectedResource(config, fresh.access_token, url, 'GET')
check('refresh: the new access token is accepted', again.status === 200, again.status)

await client.tokenRevocation(config, tokens.refresh_token, { token_type_hint: 'refresh_token' })
check('revoke: accepted', true)
await checkThrows('revoke: the refresh token is rejected', client.ResponseBodyError, isError('invalid_grant'), () =>
  client.refreshTokenGrant(config, tokens.refresh_token))
await checkRejectedWithinLimit('revoke: the access token is rejected', tokens.user_id, fresh.access_token)
await checkThrows('revoke: the library reports invalid_token', client.WWWAuthenticateChallengeError,
  (error) => error.cause.some(({ parameters }) => parameters.error === 'invalid_token'), () =>
    client.fetchProtectedResource(config, fresh.access_token, url, 'GET'))

const [denied, deniedChecks] = await authorize(config, null)
checkSame('deny: consent only, because the user is signed in', browser.pages, ['/consent'])
await checkThrows('deny: access_denied, iss verified', client.AuthorizationResponseError, isError('access_denied'), () =>
  client.authorizationCodeGrant(config, denied, deniedChecks))

const [replayed, replayedChecks] = await authorize(config, ALLOWED)
const first = await client.authorizationCodeGrant(config, replayed, replayedChecks)
await checkThrows('replay: a used code is invalid_grant', client.ResponseBodyError, isError('invalid_grant'), () =>
  client.authorizationCodeGrant(config, replayed, replayedChecks))
await checkThrows('replay: the grant is revoked', client.ResponseBodyError, isError('invalid_grant'), () =>
  client.refreshTokenGrant(config, first.refresh_token))
