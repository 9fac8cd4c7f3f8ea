/**
 * A minimal browser for Restwell's pages: cookies, redirects followed by hand, forms.
 *
 * It runs no scripts. It submits the forms of the pages with the user's input. Built on node:http, which adds no headers.
 */

import http from 'node:http'
import { parse } from 'parse5'

const TIMEOUT = 20_000

export class Browser {
  #cookies = new Map()
  #base
  #credentials

  /** The paths of the pages visited by the last authorization. */
  pages = []
  /** The scopes that the last consent page offered. */
  offered = []

  constructor(base, email, password) {
    this.#base = base
    this.#credentials = { email, password }
  }

  /**
   * Follows an app's authorization URL and returns the redirect back to the app.
   *
   * `allow` holds the scopes that the user grants; null presses Deny.
   */
  async authorize(url, redirectUri, allow) {
    this.pages = []
    let site = 'cross-site'
    let response = await this.#request('GET', new URL(url), site)
    for (let steps = 0; steps < 12; steps += 1) {
      if (response.status >= 300 && response.status < 400) {
        const target = new URL(response.headers.location, response.url)
        if (target.href.startsWith(redirectUri)) return target
        // RFC 9700 section 4.12: any status but 303 may resend the form.
        if (response.status !== 303) throw new Error(`a redirect with status ${response.status}`)
        response = await this.#request('GET', target, site)
      } else if (response.status === 200) {
        site = 'same-origin'
        response = await this.#submitPage(response, allow)
      } else {
        throw new Error(`${response.status} at ${response.url.pathname}`)
      }
    }
    throw new Error(`no redirect back to the app after ${this.pages}`)
  }

  #submitPage(page, allow) {
    this.pages.push(page.url.pathname)
    const forms = parseForms(page.body)
    const consent = withControl(forms, 'decision')
    if (consent) {
      this.offered = consent.controls.filter(({ name }) => name === 'scope').map(({ value }) => value)
      return this.#submit(page, consent, { scope: allow ?? [] }, { decision: allow ? 'allow' : 'deny' })
    }
    const signIn = withControl(forms, 'password')
    if (!signIn) throw new Error(`${page.url.pathname} has no known form`)
    return this.#submit(page, signIn, this.#credentials, {})
  }

  /** Submits a form: hidden fields, the user's input, and the pressed button. */
  #submit(page, form, values, button) {
    const fields = new URLSearchParams()
    for (const { type, name, value, checked } of form.controls) {
      if (!name) continue
      if (['submit', 'button', 'image', 'reset'].includes(type)) {
        if (button[name] === value) fields.append(name, value)
      } else if (['checkbox', 'radio'].includes(type)) {
        if (name in values ? values[name].includes(value) : checked) fields.append(name, value)
      } else {
        fields.append(name, values[name] ?? value)
      }
    }
    if (form.method !== 'post') throw new Error(`a form with the method ${form.method}`)
    // On a page with no referrer, browsers send `null` as the origin of forms.
    const hasNoReferrer = page.headers['referrer-policy'] === 'no-referrer'
    const target = new URL(form.action || page.url, page.url)
    return this.#request('POST', target, 'same-origin', fields.toString(), hasNoReferrer ? 'null' : this.#base)
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
        this.#storeCookies(response.headers['set-cookie'] ?? [])
        const parts = []
        response.on('data', (part) => parts.push(part))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(parts).toString()
          resolve({ status: response.statusCode, headers: response.headers, url, body: text })
        })
      })
      request.on('timeout', () => request.destroy(new Error(`no response from ${url.pathname}`)))
      request.on('error', reject)
      request.end(body)
    })
  }

  /** Stores the cookies of a response. There is one host and one path, so the name is the key. */
  #storeCookies(lines) {
    for (const line of lines) {
      const [pair, ...attributes] = line.split(';').map((part) => part.trim())
      const name = pair.slice(0, pair.indexOf('='))
      const isDeleted = attributes.some((attribute) => /^max-age=0$/i.test(attribute))
      if (isDeleted) this.#cookies.delete(name)
      else this.#cookies.set(name, pair.slice(pair.indexOf('=') + 1))
    }
  }
}

/** Returns the forms of a page, each with its controls in page order. */
function parseForms(page) {
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

function withControl(forms, control) {
  return forms.find(({ controls }) => controls.some(({ name }) => name === control))
}
