/** Servers of a test's own, with settings that the shared one does not have. */

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'

/** Makes a folder that is there until the test is over. */
export async function newFolder(t) {
  const folder = await mkdtemp(path.join(tmpdir(), 'restwell-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

/** Starts a server on a store of its own, and returns its address and a way to run commands on that store. */
export async function startServer(t, settings) {
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('RESTWELL__'))),
    RESTWELL__SERVER__LISTEN: '127.0.0.1:0',
    RESTWELL__STORAGE__DATA_DIR: await newFolder(t),
    ...settings,
  }
  const program = process.env.RESTWELL_BIN
  const run = (command, input = '') => new Promise((resolve, reject) => {
    const child = execFile(program, command, { env }, (error, output, complaint) =>
      error ? reject(new Error(`restwell ${command.join(' ')}: ${complaint}`)) : resolve(output))
    // A command that reads no input may have ended by now; its exit status says whether it worked.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
  await run(['migrate'])
  const server = spawn(program, ['serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => {
    server.kill()
    return server.exitCode ?? once(server, 'exit')
  })
  const said = []
  const address = await new Promise((resolve, reject) => {
    server.once('exit', () => reject(new Error(`the server did not start: ${said.join('\n')}`)))
    for (const stream of [server.stdout, server.stderr]) {
      createInterface(stream).on('line', (line) => {
        said.push(line)
        const [, found] = line.match(/ listening .*address=(\S+)/) ?? []
        if (found) resolve(`http://${found}`)
      })
    }
  })
  return { address, run, said }
}
