/** oauth4webapi with Restwell, configured from its metadata (RFC 8414), with issuer check (RFC 9207). */

import * as oauth from 'oauth4webapi'
import {
  ALLOWED, REQUESTED, app, browser, check, checkRejectedWithinLimit, checkSame, checkThrows, profileUrl,
} from './harness.mjs'

const options = { [oauth.allowInsecureRequests]: true } // plain http, on loopback only
const issuer = new URL(app.base)
const discovered = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
const server = await oauth.processDiscoveryResponse(issuer, discovered)
check('discovery: iss is advertised', server.authorization_response_iss_parameter_supported === true, server)

const client = { client_id: app.clientId }
const authentication = oauth.ClientSecretBasic(app.clientSecret)

async function authorize(allow) {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = new URL(server.authorization_endpoint)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: app.redirectUri,
    scope: REQUESTED.join(' '),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  return { callback: await browser.authorize(url, app.redirectUri, allow), state, verifier }
}

const validate = ({ callback, state }) => oauth.validateAuthResponse(server, client, callback, state)

async function redeem(authorization, by = authentication) {
  const response = await oauth.authorizationCodeGrantRequest(
    server, client, by, validate(authorization), app.redirectUri, authorization.verifier, options)
  return oauth.processAuthorizationCodeResponse(server, client, response)
}

async function refresh(refreshToken) {
  const response = await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, options)
  return oauth.processRefreshTokenResponse(server, client, response)
}

const authorization = await authorize(ALLOWED)
checkSame('authorize: sign-in and consent', browser.pages, ['/sign-in', '/consent'])
checkSame('authorize: the page offers the requested scopes', browser.offered, REQUESTED)
check('authorize: iss and state verified', validate(authorization).has('code'))
const fromOtherIssuer = new URL(authorization.callback)
fromOtherIssuer.searchParams.set('iss', 'https://other.example')
await checkThrows('authorize: a response from another issuer is rejected', oauth.OperationProcessingError, () => true,
  async () => validate({ ...authorization, callback: fromOtherIssuer }))

const isError = (name) => (error) => error.error === name
await checkThrows('token: a wrong secret in the body is invalid_client', oauth.ResponseBodyError,
  isError('invalid_client'), () => redeem(authorization, oauth.ClientSecretPost('rws_wrong')))
// With Basic the response has a challenge too, which the library reports first.
await checkThrows('token: a wrong secret by Basic is challenged', oauth.WWWAuthenticateChallengeError,
  (error) => error.status === 401 && error.cause.some(({ scheme }) => scheme === 'basic'),
  () => redeem(authorization, oauth.ClientSecretBasic('rws_wrong')))
const tokens = await redeem(authorization)
check('token: Bearer for an hour', tokens.token_type === 'bearer' && tokens.expires_in === 3600)
checkSame('token: the granted scopes', tokens.scope.split(' '), ALLOWED)

const read = (token) =>
  oauth.protectedResourceRequest(token, 'GET', profileUrl(tokens.user_id), undefined, undefined, options)
checkSame('profile: read', (await (await read(tokens.access_token)).json()).data.scopes, ALLOWED)

const fresh = await refresh(tokens.refresh_token)
check('refresh: a new access token', fresh.access_token !== tokens.access_token)
check('refresh: the new access token is accepted', (await read(fresh.access_token)).status === 200)

const revoked = await oauth.revocationRequest(server, client, authentication, tokens.refresh_token, {
  ...options,
  additionalParameters: { token_type_hint: 'refresh_token' },
})
await oauth.processRevocationResponse(revoked)
check('revoke: accepted', true)
await checkThrows('revoke: the refresh token is rejected', oauth.ResponseBodyError, isError('invalid_grant'),
  () => refresh(tokens.refresh_token))
await checkRejectedWithinLimit('revoke: the access token is rejected', tokens.user_id, fresh.access_token)

const denied = await authorize(null)
checkSame('deny: consent only, because the user is signed in', browser.pages, ['/consent'])
await checkThrows('deny: access_denied, iss verified', oauth.AuthorizationResponseError, isError('access_denied'),
  async () => validate(denied))

const replayed = await authorize(ALLOWED)
const first = await redeem(replayed)
await checkThrows('replay: a used code is invalid_grant', oauth.ResponseBodyError, isError('invalid_grant'),
  () => redeem(replayed))
await checkThrows('replay: the grant is revoked', oauth.ResponseBodyError, isError('invalid_grant'),
  () => refresh(first.refresh_token))
