/**
 * Runs the server scenarios of the MCP conformance suite for each revision. A proxy adds the token, because the suite
 * sends none.
 *
 * The suite expects a special test server. Tests that need more than read-only tools are expected to fail, for the
 * reasons listed here. Any other failure, or an expected failure that passes, fails this script.
 */

import { spawn } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check } from './harness.mjs'
import { requestInit, url } from './mcp-tools.mjs'

/** Expected failures by reason. A name with a slash is one check of a scenario. */
const EXPECTED = {
  'the scenario calls a tool of the suite\'s server': [
    'tools-call-simple-text', 'tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource',
    'tools-call-mixed-content', 'tools-call-with-logging', 'tools-call-error', 'tools-call-with-progress',
    'json-schema-2020-12', 'http-custom-header-server-validation',
    'server-stateless/sep-2575-server-rejects-undeclared-capability',
    'server-stateless/sep-2575-missing-capability-http-400',
    'server-stateless/sep-2575-http-server-no-independent-requests-on-stream',
    'server-stateless/sep-2575-server-no-log-without-loglevel',
  ],
  'there are no resources': [
    'resources-list', 'resources-read-text', 'resources-read-binary', 'resources-templates-read', 'resources-subscribe',
    'resources-unsubscribe', 'caching/sep-2549-resources-list-caching-hints',
    'caching/sep-2549-resources-templates-list-caching-hints',
  ],
  'there are no prompts': [
    'prompts-list', 'prompts-get-simple', 'prompts-get-with-args', 'prompts-get-embedded-resource',
    'prompts-get-with-image', 'completion-complete', 'caching/sep-2549-prompts-list-caching-hints',
  ],
  'the server sends no requests to the client, sends no log messages and runs no tasks': [
    'logging-set-level', 'tools-call-sampling', 'tools-call-elicitation', 'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums', 'input-required-result-basic-elicitation', 'input-required-result-basic-sampling',
    'input-required-result-basic-list-roots', 'input-required-result-request-state',
    'input-required-result-multiple-input-requests', 'input-required-result-multi-round',
    'input-required-result-non-tool-request', 'input-required-result-result-type',
    'input-required-result-tampered-state', 'input-required-result-capability-check', 'tasks-lifecycle',
    'tasks-capability-negotiation', 'tasks-wire-fields', 'tasks-request-state-removal', 'tasks-mrtr-input',
    'tasks-request-headers', 'tasks-dispatch-and-envelope', 'tasks-required-task-error', 'tasks-mrtr-composition',
  ],
}

const expected = new Set(Object.values(EXPECTED).flat())
const occurred = new Set()

/** Runs the scenarios that a revision requires; returns the failed checks, and how many passed. */
async function runScenarios(revision, address) {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'))
  const suite = new URL('./node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url).pathname
  const hook = new URL('./mcp-conformance-hook.mjs', import.meta.url).href
  const run = spawn(process.execPath, [
    '--import', hook, suite, 'server', '--url', address, '--requirements', revision, '--output-dir', folder,
  ], { stdio: 'ignore' })
  await new Promise((resolve) => run.on('close', resolve))
  const [failed, passed] = [[], []]
  for (const name of await readdir(folder)) {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T.*$/, '')
    for (const { id, status, errorMessage } of JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8'))) {
      if (status === 'FAILURE') failed.push({ scenario, id, errorMessage })
      if (status === 'SUCCESS') passed.push(id)
    }
  }
  await rm(folder, { recursive: true })
  return { failed, passed: passed.length }
}

const proxy = http.createServer((request, response) => {
  const proxyOrigin = `http://127.0.0.1:${proxy.address().port}`
  const headers = { ...request.headers, authorization: requestInit.headers.Authorization, host: url.host }
  // The proxy's origin replaces the server's.
  if (headers.origin === proxyOrigin) headers.origin = url.origin
  const upstream = http.request(url, { method: request.method, headers }, (upstreamResponse) => {
    response.writeHead(upstreamResponse.statusCode, upstreamResponse.rawHeaders)
    upstreamResponse.pipe(response)
  })
  upstream.on('error', () => response.destroy())
  request.pipe(upstream)
})
await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))

for (const revision of ['2025-11-25', '2026-07-28']) {
  const { failed, passed } = await runScenarios(revision, `http://127.0.0.1:${proxy.address().port}${url.pathname}`)
  const unexpected = failed.filter(({ scenario, id }) => {
    const known = [scenario, `${scenario}/${id}`].find((name) => expected.has(name))
    occurred.add(known)
    return known === undefined
  })
  check(`${revision}: ${passed} checks pass, ${failed.length} fail as expected`, passed > 20 && unexpected.length === 0, unexpected)
}
const stale = [...expected].filter((name) => !occurred.has(name))
check('every expected failure occurred', stale.length === 0, stale)
proxy.close()
