/** openid-client as a public app: no secret, PKCE, a loopback port, `resource` and rotating refresh tokens. */

import * as client from 'openid-client'
import { ALLOWED, REQUESTED, app, browser, check, checkRejectedWithinLimit, checkSame, checkThrows, profileUrl } from './harness.mjs'

// The app registered http://127.0.0.1/callback and listens on a port that the system chose.
const redirectUri = 'http://127.0.0.1:49152/callback'

function configure(authentication) {
  return client.discovery(new URL(app.base), app.clientId, undefined, authentication, {
    algorithm: 'oauth2',
    execute: [client.allowInsecureRequests], // plain http, on loopback only
  })
}

async function authorize(config, resource) {
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: REQUESTED.join(' '),
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource,
    state,
  })
  const callback = await browser.authorize(url, redirectUri, ALLOWED)
  return [callback, { pkceCodeVerifier: verifier, expectedState: state }]
}

const isError = (name) => (error) => error.error === name
const audience = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url')).aud

const config = await configure(client.None())
const methods = config.serverMetadata().token_endpoint_auth_methods_supported
check('discovery: the method none', methods.includes('none'), methods)

const [callback, checks] = await authorize(config, app.base)
check('authorize: back to the port of the request', callback.port === '49152', callback.href)
const tokens = await client.authorizationCodeGrant(config, callback, checks, { resource: app.base })
checkSame('token: the granted scopes', tokens.scope.split(' '), ALLOWED)
check('token: its audience is the API', audience(tokens.access_token) === app.base)
const url = profileUrl(tokens.user_id)
const profile = await client.fetchProtectedResource(config, tokens.access_token, url, 'GET')
checkSame('profile: read', (await profile.json()).data.scopes, ALLOWED)

const second = await client.refreshTokenGrant(config, tokens.refresh_token)
check('refresh: another refresh token', second.refresh_token !== tokens.refresh_token)
const lost = await client.refreshTokenGrant(config, tokens.refresh_token)
check('refresh: after a lost response, the same one', lost.refresh_token === second.refresh_token)
const third = await client.refreshTokenGrant(config, second.refresh_token)
const again = await client.fetchProtectedResource(config, third.access_token, url, 'GET')
check('refresh: the new access token is accepted', again.status === 200, again.status)
await checkThrows('refresh: for another resource is invalid_target', client.ResponseBodyError, isError('invalid_target'),
  () => client.refreshTokenGrant(config, third.refresh_token, { resource: `${app.base}/mcp` }))

await checkThrows('reuse: the first token is invalid_grant', client.ResponseBodyError, isError('invalid_grant'), () =>
  client.refreshTokenGrant(config, tokens.refresh_token))
await checkThrows('reuse: the token family is revoked', client.ResponseBodyError, isError('invalid_grant'), () =>
  client.refreshTokenGrant(config, third.refresh_token))
await checkRejectedWithinLimit('reuse: the access token is rejected', tokens.user_id, third.access_token)

const mcp = `${app.base}/mcp`
const [other, otherChecks] = await authorize(config, mcp)
checkSame('authorize: an app on this computer asks for consent again', browser.pages, ['/consent'])
const assistant = await client.authorizationCodeGrant(config, other, otherChecks, { resource: mcp })
check('token: its audience is the MCP endpoint', audience(assistant.access_token) === mcp)
await checkRejectedWithinLimit('profile: rejects this audience', assistant.user_id, assistant.access_token)
await client.tokenRevocation(config, assistant.refresh_token)
await checkThrows('revoke: the refresh token is rejected', client.ResponseBodyError, isError('invalid_grant'), () =>
  client.refreshTokenGrant(config, assistant.refresh_token))

const [withSecret, withSecretChecks] = await authorize(config, app.base)
await checkThrows('token: a public app with a secret is invalid_client', client.ResponseBodyError, isError('invalid_client'),
  async () => client.authorizationCodeGrant(await configure(client.ClientSecretPost('rws_x')), withSecret, withSecretChecks))
