import type { LightMyRequestResponse } from 'fastify'
import type t from 'tap'
import { hashToken } from '../../src/core/tokens.ts'
import type { Database } from '../../src/database/open.ts'
import { apiTokens } from '../../src/database/schema/index.ts'
import { newApiToken, requestCounts } from '../../src/http/access/api-tokens.ts'
import { borrowApp, nextTokenId, type Options, peopled, startApp } from './app.ts'
import { type Cast, emailOf, type Name, password } from './cast.ts'

export type Fields = Record<string, string | number | (string | number)[]>

/** The real application on a new database with the cast; removed when the test ends. */
export async function startCabinet(test: Pick<typeof t, 'teardown'>, options: Options = {}) {
  const { app, db } = isUsual(options) ? await borrowApp(test) : await startApp(test, options)
  const cast = options.empty ? (undefined as never) : structuredClone(peopled().cast)
  const { config } = app
  const browsers = new Map<Name, Promise<Browser>>()
  const as = (name: Name) => {
    const browser = browsers.get(name) ?? signedIn(name)
    browsers.set(name, browser)
    return browser
  }
  async function signedIn(name: Name): Promise<Browser> {
    const browser = newBrowser((cast as Cast | undefined)?.[name])
    const answer = await browser.post('/login', { email: emailOf(name), password })
    if (answer.statusCode !== 303) throw new Error(`${name} could not sign in: ${answer.statusCode}`)
    return browser
  }
  /** @param userId whose program asks the API beside the browser */
  function newBrowser(userId?: number): Browser {
    const cookies = new Map<string, string>()
    const token = { id: nextTokenId(), text: newApiToken() }
    requestCounts(db).clear()
    const send = async (method: string, path: string, given: Headers = {}, payload?: string) => {
      const asksApi = userId !== undefined && path.startsWith('/api/')
      if (asksApi) insertToken(db, userId, token)
      const headers = asksApi ? { authorization: `Bearer ${token.text}`, ...given } : given
      const answer = await app.inject({
        method: method as 'GET',
        url: config.baseUrl + path,
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; '), ...headers },
        ...(payload !== undefined && { payload }),
      })
      for (const { name, value } of answer.cookies) cookies.set(name, value)
      return answer
    }
    return {
      cookies,
      get: (path: string, headers?: Headers) => send('GET', path, headers),
      post: (path: string, fields: Fields = {}, headers: Headers = {}) =>
        send('POST', path, { 'content-type': 'application/x-www-form-urlencoded', ...headers }, encode(fields)),
      send,
    }
  }
  return { app, db, cast, as, newBrowser, forgetBrowsers: () => browsers.clear() }
}

/** What most tests ask for, which then need no application of their own. */
function isUsual({ environment = {}, ...others }: Options): boolean {
  return Object.keys(environment).length === 0 && Object.keys(others).length === 0
}

/** Anew each time, as tests take back what happened in between; just used, so that nothing more is written of it. */
function insertToken(db: Database, user_id: number, { id, text }: { id: number; text: string }): void {
  const later = Date.now() + 3600_000
  const used = { last_used_at: later, last_address: '127.0.0.1', networks: ['127.0.0.1'] }
  const row = { id, user_id, name: 'Test', token_hash: hashToken(text), created_at: 1, expires_at: later, ...used }
  db.insert(apiTokens).values(row).onConflictDoNothing().run()
}

export type Cabinet = Awaited<ReturnType<typeof startCabinet>>
export type Answer = LightMyRequestResponse

type Headers = Record<string, string>

export interface Browser {
  cookies: Map<string, string>
  get: (path: string, headers?: Headers) => Promise<Answer>
  post: (path: string, fields?: Fields, headers?: Headers) => Promise<Answer>
  send: (method: string, path: string, headers?: Headers, payload?: string) => Promise<Answer>
}

export const htmx = { 'hx-request': 'true', 'hx-request-type': 'partial' }

export function encode(fields: Fields): string {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) body.append(name, String(one))
  return body.toString()
}
