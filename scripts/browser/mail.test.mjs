/** Emailed links: password reset and sign-up, from the form to the sign-in. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { PASSWORD, becomesTrue, press, signIn, useBrowser } from './fixture.mjs'
import { startServer } from './server.mjs'

const newWindow = useBrowser()

/** Starts an SMTP server that stores its messages and supports the commands that a sender needs. */
async function startMailServer(t) {
  const messages = []
  const server = net.createServer((socket) => {
    let message
    socket.on('error', () => {})
    socket.write('220 post.example\r\n')
    createInterface(socket).on('line', (line) => {
      if (message?.body) {
        if (line !== '.') return message.body.push(line)
        messages.push({ to: message.to, text: message.body.join('\n') })
        message = undefined
        return socket.write('250 stored\r\n')
      }
      const [command] = line.toUpperCase().split(/[ :]/)
      if (command === 'MAIL') message = { to: [] }
      if (command === 'RCPT') message.to.push(line.match(/<(.*)>/)[1])
      if (command === 'DATA') message.body = []
      socket.write({ DATA: '354 continue\r\n', QUIT: '221 bye\r\n' }[command] ?? '250 ok\r\n')
      if (command === 'QUIT') socket.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { port: server.address().port, messages }
}

async function startServerWithMail(t) {
  const mailServer = await startMailServer(t)
  const server = await startServer(t, {
    RESTWELL__ACCOUNTS__SIGN_UP_OPEN: 'true',
    RESTWELL__MAIL__HOST: '127.0.0.1',
    RESTWELL__MAIL__PORT: `${mailServer.port}`,
    RESTWELL__MAIL__TLS: 'none',
    RESTWELL__MAIL__FROM: 'Restwell <restwell@example.org>',
  })
  return { ...server, messages: mailServer.messages }
}

/** Waits for the message to an address, and returns the link in it. */
async function linkTo(email, messages, path = '/set-password') {
  const find = () => messages.find(({ to, text }) => to.includes(email) && text.includes(path))
  assert.ok(await becomesTrue(find, 10_000), `no message to ${email}`)
  // In case the sender used quoted-printable.
  return find().text.replaceAll('=\n', '').replaceAll('=3D', '=').match(/http:\S+\/(set-password|confirm-email)\?link=[\w-]+/)[0]
}

const submit = (page) => press(page.locator('main button[type=submit]'))

test('a forgotten password is reset with an emailed single-use link', async (t) => {
  const { address, run, messages } = await startServerWithMail(t)
  const email = 'sam@example.org'
  await run(['user', 'create', '--email', email, '--timezone', 'Europe/Berlin', '--password-stdin'], `${PASSWORD}\n`)
  const page = await newWindow({}, [address])
  const texts = []
  for (const typed of ['nobody@example.org', email]) {
    await page.goto(`${address}/sign-in`)
    await press(page.getByRole('link', { name: 'Forgot' }))
    await page.locator('input[name=email]').fill(typed)
    await submit(page)
    texts.push(await page.locator('body').innerText())
  }
  assert.equal(texts[0], texts[1], 'the page does not reveal who has an account')

  const link = await linkTo(email, messages)
  assert.ok(messages.every(({ to }) => to.join() === email))
  await page.goto(link)
  const password = 'seven purple owls read at night'
  await page.locator('input[name=password]').fill(password)
  await submit(page)
  await page.goto(`${address}/sign-in`)
  await signIn(page, { email, password })
  assert.equal(page.url(), `${address}/`)
  await page.goto(link)
  assert.equal(await page.locator('input[name=password]').count(), 0)
  assert.deepEqual(page.problems, [])
})

test('a person signs up: address, link, password and time zone', async (t) => {
  const { address, messages } = await startServerWithMail(t)
  const email = 'kim@example.org'
  const page = await newWindow({}, [address])
  await page.goto(`${address}/sign-in`)
  await press(page.getByRole('link', { name: 'account' }))
  await page.locator('input[name=email]').fill(email)
  await submit(page)
  await page.goto(await linkTo(email, messages))
  await page.locator('input[name=password]').fill(PASSWORD)
  await page.locator('select[name=time_zone]').selectOption('Europe/Lisbon')
  await submit(page)
  await page.goto(`${address}/sign-in`)
  if (await page.locator('input[name=password]').count()) await signIn(page, { email, password: PASSWORD })
  await page.goto(`${address}/account`)
  const shown = await page.locator('main').innerText()
  assert.ok(shown.includes(email) && shown.includes('Europe/Lisbon'), shown)
  assert.deepEqual(page.problems, [])
})

test('a new email address is confirmed at the new address, and the old one is notified', async (t) => {
  const { address, run, messages } = await startServerWithMail(t)
  const [email, next] = ['sam@example.org', 'sam@new.example.org']
  await run(['user', 'create', '--email', email, '--timezone', 'Europe/Berlin', '--password-stdin'], `${PASSWORD}\n`)
  const page = await newWindow({}, [address])
  await page.goto(`${address}/sign-in`)
  await signIn(page, { email, password: PASSWORD })
  await page.goto(`${address}/account`)
  await press(page.getByRole('link', { name: 'Change your email address' }))
  for (const [typed, status] of [['sam', 422], [email, 422], [next, 200]]) {
    await page.locator('input[name=email]').evaluate((input, value) => { input.type = 'text'; input.value = value }, typed)
    const [response] = await Promise.all([page.waitForResponse((r) => r.request().method() === 'POST'), submit(page)])
    assert.equal(response.status(), status, typed)
  }
  assert.match(await page.locator('main').innerText(), /Check your email/)
  const link = await linkTo(next, messages, '/confirm-email')
  assert.ok(await becomesTrue(() => messages.some(({ to, text }) => to.includes(email) && /asked to change/.test(text)), 10_000))

  const other = await newWindow({}, [address])
  await other.goto(link)
  assert.match(await other.locator('main').innerText(), /Sign in to confirm/)
  await page.goto(link)
  assert.match(await page.locator('main').innerText(), /sam@new\.example\.org/)
  await submit(page)
  assert.match(await page.locator('main').innerText(), /confirmed/)
  assert.ok(await becomesTrue(() => messages.some(({ to, text }) => to.includes(email) && /now has another/.test(text)), 10_000))
  await other.goto(link)
  assert.match(await other.locator('main').innerText(), /no longer works/)
  await other.goto(`${address}/sign-in`)
  await signIn(other, { email: next, password: PASSWORD })
  assert.equal(other.url(), `${address}/`)
  assert.deepEqual(page.problems, [])
})
