/** The cookies of a server with an https address, as a browser has them (security.md T31), behind a proxy of ours. */

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { PASSWORD, signIn, useBrowser } from './fixture.mjs'

const newWindow = useBrowser()

/** Starts a server with a store of its own, and a proxy that takes off the TLS. Returns what it is called outside. */
async function serveByTls(t) {
  const folder = await mkdtemp(path.join(tmpdir(), 'restwell-tls-'))
  t.after(() => rm(folder, { recursive: true }))
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name))
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=localhost',
    '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert,
  ], { stdio: 'ignore' })

  let upstream
  const proxy = https.createServer({ key: await readFile(key), cert: await readFile(cert) }, (request, response) => {
    const { method, url, headers } = request
    const onward = http.request(`${upstream}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.rawHeaders)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => {
    proxy.closeAllConnections()
    return new Promise((done) => proxy.close(done))
  })

  const base = `https://localhost:${proxy.address().port}`
  const { RESTWELL_BIN: program } = process.env
  const env = {
    ...process.env,
    RESTWELL__STORAGE__DATA_DIR: folder,
    RESTWELL__SERVER__PUBLIC_URL: base,
    RESTWELL__KEYS__ENCRYPTION_KEY: execFileSync(program, ['key', 'generate']).toString().trim(),
  }
  const run = (command, input = '') => execFileSync(program, command, { env, input, stdio: ['pipe', 'pipe', 'ignore'] })
  run(['migrate'])
  run(['user', 'create', '--email', 'sam@example.org', '--timezone', 'Europe/Berlin', '--password-stdin'], `${PASSWORD}\n`)
  const server = spawn(program, ['serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => {
    server.kill()
    return server.exitCode ?? once(server, 'exit')
  })
  const lines = [server.stdout, server.stderr].map((stream) => createInterface(stream))
  upstream = await new Promise((resolve, reject) => {
    server.once('exit', () => reject(new Error('the server did not start')))
    for (const stream of lines) {
      stream.on('line', (line) => {
        const [, address] = line.match(/ listening .*address=(\S+)/) ?? []
        if (address) resolve(`http://${address}`)
      })
    }
  })
  return base
}

test('t31 by https the cookies are bound to the host, by their names too', async (t) => {
  const base = await serveByTls(t)
  const page = await newWindow({ ignoreHTTPSErrors: true }, [base])
  await page.goto(`${base}/sign-in`)
  await signIn(page, { email: 'sam@example.org', password: PASSWORD })
  assert.equal(page.url(), `${base}/apps`)
  const cookies = await page.context().cookies()
  assert.deepEqual(cookies.map(({ name }) => name).sort(), ['__Host-restwell_session', '__Host-restwell_visit'])
  for (const { name, domain, path: where, httpOnly, sameSite, secure } of cookies) {
    assert.deepEqual(
      { domain, where, httpOnly, sameSite, secure },
      { domain: 'localhost', where: '/', httpOnly: true, sameSite: 'Lax', secure: true }, name)
  }
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  assert.deepEqual((await page.context().cookies()).map(({ name }) => name), ['__Host-restwell_visit'])
  assert.deepEqual(page.complaints, [])
})
