/** Cookies of a server behind a TLS proxy, as a browser stores them (security.md T31). */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import path from 'node:path'
import { test } from 'node:test'
import { PASSWORD, press, signIn, useBrowser } from './fixture.mjs'
import { newFolder, startServer } from './server.mjs'

const newWindow = useBrowser()

/** Proxies TLS requests to `upstream.address`; returns the proxy's origin. */
async function newProxy(t, upstream) {
  const folder = await newFolder(t)
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name))
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=localhost',
    '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert,
  ], { stdio: 'ignore' })
  const proxy = https.createServer({ key: await readFile(key), cert: await readFile(cert) }, (request, response) => {
    const { method, url, headers } = request
    const upstreamRequest = http.request(`${upstream.address}${url}`, { method, headers }, (upstreamResponse) => {
      response.writeHead(upstreamResponse.statusCode, upstreamResponse.rawHeaders)
      upstreamResponse.pipe(response)
    })
    upstreamRequest.on('error', () => response.destroy())
    request.pipe(upstreamRequest)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => {
    proxy.closeAllConnections()
    return new Promise((done) => proxy.close(done))
  })
  return `https://localhost:${proxy.address().port}`
}

test('t31 over https, cookies are bound to the host by their name prefix', async (t) => {
  const upstream = {}
  const base = await newProxy(t, upstream)
  const key = execFileSync(process.env.RESTWELL_BIN, ['key', 'generate']).toString().trim()
  const server = await startServer(t, { RESTWELL__SERVER__PUBLIC_URL: base, RESTWELL__KEYS__ENCRYPTION_KEY: key })
  upstream.address = server.address
  const email = 'sam@example.org'
  await server.run(['user', 'create', '--email', email, '--timezone', 'Europe/Berlin', '--password-stdin'], `${PASSWORD}\n`)

  const page = await newWindow({ ignoreHTTPSErrors: true }, [base])
  await page.goto(`${base}/sign-in`)
  await signIn(page, { email, password: PASSWORD })
  assert.equal(page.url(), `${base}/`)
  const cookies = await page.context().cookies()
  assert.deepEqual(cookies.map(({ name }) => name).sort(), ['__Host-restwell_known_browser', '__Host-restwell_session', '__Host-restwell_visit'])
  for (const { name, domain, path: where, httpOnly, sameSite, secure } of cookies) {
    assert.deepEqual(
      { domain, where, httpOnly, sameSite, secure },
      { domain: 'localhost', where: '/', httpOnly: true, sameSite: 'Lax', secure: true }, name)
  }
  await press(page.getByRole('button', { name: 'Sign out', exact: true }))
  await page.waitForURL(`${base}/sign-out`)
  assert.deepEqual((await page.context().cookies()).map(({ name }) => name).sort(), ['__Host-restwell_known_browser', '__Host-restwell_visit'])
  assert.deepEqual(page.problems, [])
})
