/**
 * A browser of one person, as far as Restwell's pages need one: cookies, redirects by hand, forms as they stand.
 *
 * It runs no script and knows no field that the page does not have: what it sends is what the page's own form holds,
 * with the answers of the person filled in. Built on node:http, which adds no header of its own.
 */

import http from 'node:http'
import { parse } from 'parse5'

const TIMEOUT = 20_000

export class Browser {
  #cookies = new Map()
  #base
  #answers

  /** The paths of the pages that were answered on the last way. */
  pages = []
  /** The scopes that the last consent page offered. */
  offered = []

  constructor(base, email, password) {
    this.#base = base
    this.#answers = { email, password }
  }

  /**
   * Goes where an app sends the person, and returns the address of the app to which they come back.
   *
   * `allow` holds the scopes that the person ticks; null stands for the button that denies.
   */
  async authorize(url, redirectUri, allow) {
    this.pages = []
    let site = 'cross-site'
    let answer = await this.#request('GET', new URL(url), site)
    for (let steps = 0; steps < 12; steps += 1) {
      if (answer.status >= 300 && answer.status < 400) {
        const target = new URL(answer.headers.location, answer.url)
        if (target.href.startsWith(redirectUri)) return target
        // RFC 9700 section 4.12: anything but 303 may carry the form on.
        if (answer.status !== 303) throw new Error(`a redirect by ${answer.status}`)
        answer = await this.#request('GET', target, site)
      } else if (answer.status === 200) {
        site = 'same-origin'
        answer = await this.#answerPage(answer, allow)
      } else {
        throw new Error(`${answer.status} at ${answer.url.pathname}`)
      }
    }
    throw new Error(`no way back to the app, but ${this.pages}`)
  }

  #answerPage(page, allow) {
    this.pages.push(page.url.pathname)
    const forms = formsOf(page.body)
    const consent = withControl(forms, 'decision')
    if (consent) {
      this.offered = consent.controls.filter(({ name }) => name === 'scope').map(({ value }) => value)
      return this.#submit(page, consent, { scope: allow ?? [] }, { decision: allow ? 'allow' : 'deny' })
    }
    const signIn = withControl(forms, 'password')
    if (!signIn) throw new Error(`${page.url.pathname} has no form that is known here`)
    return this.#submit(page, signIn, this.#answers, {})
  }

  /** Sends a form: hidden fields as they are, the person's answers, and the button that was pressed. */
  #submit(page, form, answers, pressed) {
    const fields = new URLSearchParams()
    for (const { type, name, value, checked } of form.controls) {
      if (!name) continue
      if (['submit', 'button', 'image', 'reset'].includes(type)) {
        if (pressed[name] === value) fields.append(name, value)
      } else if (['checkbox', 'radio'].includes(type)) {
        if (name in answers ? answers[name].includes(value) : checked) fields.append(name, value)
      } else {
        fields.append(name, answers[name] ?? value)
      }
    }
    if (form.method !== 'post') throw new Error(`a form that is sent by ${form.method}`)
    // A page that sends no referrer has browsers send `null` for the origin of its forms.
    const silent = page.headers['referrer-policy'] === 'no-referrer'
    const target = new URL(form.action || page.url, page.url)
    return this.#request('POST', target, 'same-origin', fields.toString(), silent ? 'null' : this.#base)
  }

  #request(method, url, site, body, origin) {
    const headers = {
      accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': site,
      'sec-fetch-user': '?1',
    }
    if (this.#cookies.size) headers.cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    if (body !== undefined) {
      headers['content-type'] = 'application/x-www-form-urlencoded'
      headers['content-length'] = Buffer.byteLength(body)
      headers.origin = origin
    }
    return new Promise((resolve, reject) => {
      const request = http.request(url, { method, headers, timeout: TIMEOUT }, (response) => {
        this.#keep(response.headers['set-cookie'] ?? [])
        const parts = []
        response.on('data', (part) => parts.push(part))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(parts).toString()
          resolve({ status: response.statusCode, headers: response.headers, url, body: text })
        })
      })
      request.on('timeout', () => request.destroy(new Error(`no answer from ${url.pathname}`)))
      request.on('error', reject)
      request.end(body)
    })
  }

  /** Keeps the cookies of an answer. There is one host and one path, so the name is the key. */
  #keep(lines) {
    for (const line of lines) {
      const [pair, ...attributes] = line.split(';').map((part) => part.trim())
      const name = pair.slice(0, pair.indexOf('='))
      const gone = attributes.some((attribute) => /^max-age=0$/i.test(attribute))
      if (gone) this.#cookies.delete(name)
      else this.#cookies.set(name, pair.slice(pair.indexOf('=') + 1))
    }
  }
}

/** The forms of a page, each with its controls in the order of the page. */
function formsOf(page) {
  const forms = []
  const visit = (node, form) => {
    const attributes = Object.fromEntries((node.attrs ?? []).map(({ name, value }) => [name, value]))
    if (node.tagName === 'form') {
      form = { method: attributes.method?.toLowerCase(), action: attributes.action, controls: [] }
      forms.push(form)
    } else if (form && ['input', 'button'].includes(node.tagName) && !('disabled' in attributes)) {
      const type = (attributes.type ?? (node.tagName === 'button' ? 'submit' : 'text')).toLowerCase()
      const { name, value = '' } = attributes
      form.controls.push({ type, name, value, checked: 'checked' in attributes })
    }
    for (const child of node.childNodes ?? []) visit(child, form)
  }
  visit(parse(page), undefined)
  return forms
}

function withControl(forms, wanted) {
  return forms.find(({ controls }) => controls.some(({ name }) => name === wanted))
}
