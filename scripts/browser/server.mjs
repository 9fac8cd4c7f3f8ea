/** Separate servers for tests that need settings other than the shared server's. */

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'

/** Creates a folder that is removed after the test. */
export async function newFolder(t) {
  const folder = await mkdtemp(path.join(tmpdir(), 'restwell-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

/** Runs a command of the program and returns its output. */
export function runCommand(command, input, env) {
  return new Promise((resolve, reject) => {
    const child = execFile(process.env.RESTWELL_BIN, command, { env }, (error, stdout, stderr) =>
      error ? reject(new Error(`restwell ${command.join(' ')}: ${stderr}`)) : resolve(stdout))
    // A command that reads no input may have exited already; its exit status decides.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

/** Starts a server with a separate store; returns its address and a function that runs commands. */
export async function startServer(t, settings) {
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('RESTWELL__'))),
    RESTWELL__SERVER__LISTEN: '127.0.0.1:0',
    RESTWELL__STORAGE__DATA_DIR: await newFolder(t),
    ...settings,
  }
  const run = (command, input = '') => runCommand(command, input, env)
  await run(['migrate'])
  const server = spawn(process.env.RESTWELL_BIN, ['serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => {
    server.kill()
    return server.exitCode ?? once(server, 'exit')
  })
  const log = []
  const address = await new Promise((resolve, reject) => {
    server.once('exit', () => reject(new Error(`the server did not start: ${log.join('\n')}`)))
    for (const stream of [server.stdout, server.stderr]) {
      createInterface(stream).on('line', (line) => {
        log.push(line)
        const [, address] = line.match(/ listening .*address=(\S+)/) ?? []
        if (address) resolve(`http://${address}`)
      })
    }
  })
  return { address, run }
}
