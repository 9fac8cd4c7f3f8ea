/** simple-oauth2 against Restwell. It makes no PKCE and reads no answer of its own, so the app does both. */

import { createHash, randomBytes } from 'node:crypto'
import { AuthorizationCode } from 'simple-oauth2'
import {
  ALLOWED, REQUESTED, app, browser, check, checkRefusedSoon, checkSame, checkThrows, readProfile,
} from './transcript.mjs'

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
  return { answer: searchParams, verifier }
}

const redeem = ({ answer, verifier }, by = client) =>
  by.getToken({ code: answer.get('code'), redirect_uri: app.redirectUri, code_verifier: verifier })

const way = await authorize(ALLOWED)
checkSame('authorize: sign-in and consent', browser.pages, ['/sign-in', '/consent'])
checkSame('authorize: the page offers what was asked for', browser.offered, REQUESTED)

const isError = (name) => (error) => error.data?.payload?.error === name
await checkThrows('token: a wrong secret is invalid_client', Error, isError('invalid_client'),
  () => redeem(way, configure('rws_wrong')))
const made = await redeem(way)
const { token } = made
check('token: Bearer for an hour', token.token_type === 'Bearer' && token.expires_in === 3600 && !made.expired())
checkSame('token: the scopes that were ticked', token.scope.split(' '), ALLOWED)

const profile = await readProfile(token.user_id, token.access_token)
checkSame('profile: read', (await profile.json()).data.scopes, ALLOWED)

const fresh = await made.refresh()
check('refresh: a new access token', fresh.token.access_token !== token.access_token && fresh.token.refresh_token)
check('refresh: it reads', (await readProfile(token.user_id, fresh.token.access_token)).status === 200)

// The answer to a revocation has no body (RFC 7009), and the library wants JSON unless it is told otherwise.
await fresh.revoke('refresh_token', { json: true })
check('revoke: taken', true)
await checkThrows('revoke: the refresh token is dead', Error, isError('invalid_grant'), () => fresh.refresh())
await checkRefusedSoon('revoke: the access token is dead', token.user_id, fresh.token.access_token)

const denied = await authorize(null)
checkSame('deny: consent alone, the person is signed in', browser.pages, ['/consent'])
check('deny: access_denied', denied.answer.get('error') === 'access_denied' && !denied.answer.has('code'))

const replayed = await authorize(ALLOWED)
const first = await redeem(replayed)
await checkThrows('replay: a used code is invalid_grant', Error, isError('invalid_grant'), () => redeem(replayed))
await checkThrows('replay: it ended the grant', Error, isError('invalid_grant'), () => first.refresh())
