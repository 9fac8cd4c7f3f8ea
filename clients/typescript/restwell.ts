/** Helpers for the generated types in `openapi.ts`: tokens, Retry-After, pages, and the change feed. */

import createClient, { type Client } from 'openapi-fetch'
import type { components, paths } from './openapi.js'

export type { components, operations, paths } from './openapi.js'

type Schemas = components['schemas']

/** The server and the app. A public app has no secret. */
export interface App {
  baseUrl: string
  clientId: string
  clientSecret?: string
}

/**
 * The tokens of one person. Store them encrypted; `expiresAt` is in milliseconds of the Unix epoch.
 *
 * `console.log` of Node.js hides the tokens of objects that `redeem` returns and `save` receives, but not of copies.
 */
export interface Tokens {
  userId: string
  scope: string
  accessToken: string
  refreshToken: string
  expiresAt: number
}

export interface Options {
  /** Called with the tokens after each refresh, before they are used: a public app's refresh token changes. */
  save: (tokens: Tokens) => void | Promise<void>
  /** Longest wait in seconds for one request; a longer one is left to the caller. The default is 60. */
  longestWait?: number
  sleep?: (seconds: number) => Promise<void>
}

/** A rejected request. `code` is the problem's `code`, or `error` of a token endpoint. */
export class RestwellError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly retryAfter: number | null,
  ) {
    super(`${status} ${code}: ${detail}`)
  }
}

/** Exchanges an authorization code. Never repeat this: a code that is sent twice revokes its tokens. */
export async function redeem(app: App, code: string, redirectUri: string, codeVerifier?: string): Promise<Tokens> {
  const verifier: Record<string, string> = codeVerifier === undefined ? {} : { code_verifier: codeVerifier }
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...verifier }
  return tokensOf(await requestToken(app, form))
}

/** Returns a client for the paths of `openapi.ts` that refreshes its tokens and observes Retry-After. */
export function connect(app: App, tokens: Tokens, options: Options): Client<paths> {
  let current = tokens
  let refreshing: Promise<void> | undefined

  async function refresh(): Promise<void> {
    const body = await requestToken(app, { grant_type: 'refresh_token', refresh_token: current.refreshToken })
    current = tokensOf(body)
    await options.save(current)
  }

  // Concurrent requests share one refresh, because a rotating refresh token must not be used twice.
  async function refreshUnlessDone(used: string): Promise<void> {
    if (current.accessToken !== used) return
    refreshing ??= refresh().finally(() => { refreshing = undefined })
    await refreshing
  }

  const send = (request: Request) => {
    const authorized = new Request(request.clone())
    authorized.headers.set('Authorization', `Bearer ${current.accessToken}`)
    return fetchWaiting(authorized, options)
  }

  return createClient<paths>({
    baseUrl: app.baseUrl,
    async fetch(request) {
      if (Date.now() > current.expiresAt) await refreshUnlessDone(current.accessToken)
      const used = current.accessToken
      const response = await send(request)
      if (response.status !== 401) return response
      await refreshUnlessDone(used)
      return send(request)
    },
  })
}

/** Repeats a read that was answered with 429 or 503 after the time in Retry-After. */
async function fetchWaiting(request: Request, { longestWait = 60, sleep = pause }: Options): Promise<Response> {
  for (let waited = 0; ;) {
    const response = await fetch(request.clone())
    const seconds = Number(response.headers.get('Retry-After') ?? 0)
    waited += seconds
    const isRepeatable = request.method === 'GET' && (response.status === 429 || response.status === 503)
    if (!isRepeatable || seconds === 0 || waited > longestWait) return response
    await response.body?.cancel()
    await sleep(seconds)
  }
}

const pause = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000))

interface Answer<T> {
  data?: T
  error?: Schemas['ProblemBody']
  response: Response
}

/** Returns the body of a successful response; throws `RestwellError` for any other. */
export function ok<T>({ data, error, response }: Answer<T>): T {
  if (data !== undefined) return data
  const { code = 'unknown', detail = 'the response is not a problem document' } = error ?? {}
  throw new RestwellError(response.status, code, detail, retryAfter(response))
}

interface Page<T> {
  data: T[]
  pagination: Schemas['Pagination']
}

/** Yields the records of all pages, each once. `read` returns the page with this number. */
export async function* records<T extends { id: string }>(read: (page: number) => Promise<Page<T>>): AsyncGenerator<T> {
  const seen = new Set<string>()
  for (let number = 1; ; number += 1) {
    const { data, pagination } = await read(number)
    for (const record of data) {
      // A record added between two requests moves others to the next page.
      if (seen.has(record.id)) continue
      seen.add(record.id)
      yield record
    }
    if (!pagination.has_more) return
  }
}

/** A copy of one person's records, by type and id. Store it together with its cursor. */
export interface Copy {
  cursor?: string
  records: Map<string, NonNullable<Schemas['Change']['record']>>
}

/** Brings a copy up to date. Returns whether it started again because the cursor had expired. */
export async function follow(client: Client<paths>, userId: string, copy: Copy, limit = 1000): Promise<boolean> {
  try {
    await apply(client, userId, copy, limit)
    return false
  } catch (error) {
    if (!(error instanceof RestwellError && error.status === 410)) throw error
  }
  const fresh: Copy = { records: new Map() }
  await apply(client, userId, fresh, limit)
  // The old copy is kept until the new one, without the records deleted meanwhile, is complete.
  Object.assign(copy, fresh)
  return true
}

async function apply(client: Client<paths>, userId: string, copy: Copy, limit: number): Promise<void> {
  for (let more = true; more;) {
    const query = copy.cursor === undefined ? { limit } : { limit, cursor: copy.cursor }
    const params = { path: { user_id: userId }, query }
    const answer = ok(await client.GET('/api/v1/changes/{user_id}', { params }))
    for (const { type, id, op, record } of answer.data) {
      if (op === 'delete' || record === undefined) copy.records.delete(`${type} ${id}`)
      else copy.records.set(`${type} ${id}`, record)
    }
    copy.cursor = answer.cursor
    more = answer.has_more
  }
}

type TokenBody = Schemas['TokenBody']

async function requestToken(app: App, form: Record<string, string>): Promise<TokenBody> {
  const secret: Record<string, string> = app.clientSecret === undefined ? {} : { client_secret: app.clientSecret }
  const body = new URLSearchParams({ ...form, client_id: app.clientId, ...secret })
  const response = await fetch(`${app.baseUrl}/api/token`, { method: 'POST', body })
  const answer: unknown = await response.json().catch(() => ({}))
  if (response.ok) return answer as TokenBody
  const { error = 'unknown', error_description = 'the response is not an OAuth error' } =
    answer as Partial<Schemas['OAuthErrorBody']>
  throw new RestwellError(response.status, error, error_description, retryAfter(response))
}

/** The lifetime ends a minute early. */
function tokensOf(body: TokenBody): Tokens {
  const tokens = {
    userId: body.user_id,
    scope: body.scope,
    accessToken: body.access_token,
    refreshToken: body.refresh_token,
    expiresAt: Date.now() + (body.expires_in - 60) * 1000,
  }
  const printed = () => ({ ...tokens, accessToken: '[hidden]', refreshToken: '[hidden]' })
  // Not enumerable, so that copies and JSON have the five members only.
  return Object.defineProperty(tokens, Symbol.for('nodejs.util.inspect.custom'), { value: printed })
}

function retryAfter(response: Response): number | null {
  const seconds = response.headers.get('Retry-After')
  return seconds === null ? null : Number(seconds)
}
