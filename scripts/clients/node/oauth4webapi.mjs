/** oauth4webapi against Restwell, set up by its metadata (RFC 8414), with the check of the issuer (RFC 9207). */

import * as oauth from 'oauth4webapi'
import {
  ALLOWED, REQUESTED, app, browser, check, checkRefusedSoon, checkSame, checkThrows, profileUrl,
} from './transcript.mjs'

const options = { [oauth.allowInsecureRequests]: true } // plain http, on loopback only
const issuer = new URL(app.base)
const discovered = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
const server = await oauth.processDiscoveryResponse(issuer, discovered)
check('discovery: iss is announced', server.authorization_response_iss_parameter_supported === true, server)

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

const validated = ({ callback, state }) => oauth.validateAuthResponse(server, client, callback, state)

async function redeem(way, by = authentication) {
  const answer = await oauth.authorizationCodeGrantRequest(
    server, client, by, validated(way), app.redirectUri, way.verifier, options)
  return oauth.processAuthorizationCodeResponse(server, client, answer)
}

async function refresh(refreshToken) {
  const answer = await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, options)
  return oauth.processRefreshTokenResponse(server, client, answer)
}

const way = await authorize(ALLOWED)
checkSame('authorize: sign-in and consent', browser.pages, ['/sign-in', '/consent'])
checkSame('authorize: the page offers what was asked for', browser.offered, REQUESTED)
check('authorize: iss and state verified', validated(way).has('code'))
const foreign = new URL(way.callback)
foreign.searchParams.set('iss', 'https://other.example')
await checkThrows('authorize: an answer of another issuer is refused', oauth.OperationProcessingError, () => true,
  async () => validated({ ...way, callback: foreign }))

const isError = (name) => (error) => error.error === name
await checkThrows('token: a wrong secret in the body is invalid_client', oauth.ResponseBodyError,
  isError('invalid_client'), () => redeem(way, oauth.ClientSecretPost('rws_wrong')))
// With Basic the answer has a challenge too, and the library tells of that first.
await checkThrows('token: a wrong secret by Basic is challenged', oauth.WWWAuthenticateChallengeError,
  (error) => error.status === 401 && error.cause.some(({ scheme }) => scheme === 'basic'),
  () => redeem(way, oauth.ClientSecretBasic('rws_wrong')))
const tokens = await redeem(way)
check('token: Bearer for an hour', tokens.token_type === 'bearer' && tokens.expires_in === 3600)
checkSame('token: the scopes that were ticked', tokens.scope.split(' '), ALLOWED)

const read = (token) =>
  oauth.protectedResourceRequest(token, 'GET', profileUrl(tokens.user_id), undefined, undefined, options)
checkSame('profile: read', (await (await read(tokens.access_token)).json()).data.scopes, ALLOWED)

const fresh = await refresh(tokens.refresh_token)
check('refresh: a new access token', fresh.access_token !== tokens.access_token)
check('refresh: it reads', (await read(fresh.access_token)).status === 200)

const revoked = await oauth.revocationRequest(server, client, authentication, tokens.refresh_token, {
  ...options,
  additionalParameters: { token_type_hint: 'refresh_token' },
})
await oauth.processRevocationResponse(revoked)
check('revoke: taken', true)
await checkThrows('revoke: the refresh token is dead', oauth.ResponseBodyError, isError('invalid_grant'),
  () => refresh(tokens.refresh_token))
await checkRefusedSoon('revoke: the access token is dead', tokens.user_id, fresh.access_token)

const denied = await authorize(null)
checkSame('deny: consent alone, the person is signed in', browser.pages, ['/consent'])
await checkThrows('deny: access_denied, iss verified', oauth.AuthorizationResponseError, isError('access_denied'),
  async () => validated(denied))

const replayed = await authorize(ALLOWED)
const first = await redeem(replayed)
await checkThrows('replay: a used code is invalid_grant', oauth.ResponseBodyError, isError('invalid_grant'),
  () => redeem(replayed))
await checkThrows('replay: it ended the grant', oauth.ResponseBodyError, isError('invalid_grant'),
  () => refresh(first.refresh_token))
