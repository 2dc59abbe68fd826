import './cheap-hashing.ts'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import type t from 'tap'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { apiTokens } from '../../src/database/schema/index.ts'
import { refuseGaps } from '../../src/i18n/translate.ts'
import { newApiToken } from '../../src/web/access/api-tokens.ts'
import { hashToken } from '../../src/web/access/tokens.ts'
import { HttpError } from '../../src/web/http.ts'
import { type Cast, emailOf, type Name, password, seedCast } from './cast.ts'
import './template-cache.ts'
import { templateFile } from './database-template.ts'
import { forgetAnswers, noteAnswer } from './latest-answers.ts'

refuseGaps()

export type Fields = Record<string, string | number | (string | number)[]>

interface Options {
  environment?: Record<string, string>
  empty?: boolean
  setupToken?: string
  /** Receives the lines of the log. */
  log?: string[]
  /** Called before each answer. */
  onSend?: () => Promise<void>
}

/** Starts the real application on a new database with the cast; removed when the test ends. */
export async function startCabinet(
  test: typeof t | { teardown: (end: () => unknown) => void },
  { environment = {}, empty = false, setupToken, log, onSend }: Options = {},
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cabinet-'))
  const file = join(dataDir, 'cabinet.sqlite')
  const cast = empty ? (undefined as never) : writePeopledDatabase(file)
  if (empty) copyFileSync(templateFile(), file)
  const db = openDatabase(file)
  // Test data need not survive a power failure.
  db.$client.pragma('synchronous = OFF')
  const config = readConfig({ DATA_DIR: dataDir, ...environment })
  const app = await buildApp({ config, db, setupToken, ...(log && { log: { write: (line: string) => log.push(line) } }) })
  app.addHook('onError', async (_request, _reply, error) => {
    if (!(error instanceof HttpError) && (error.statusCode ?? 500) >= 500) console.error(error)
  })
  // On a busy machine even a short spreadsheet takes long.
  app.exportWait = 600_000
  app.addHook('onSend', noteAnswer)
  if (onSend) app.addHook('onSend', onSend)
  await app.ready()
  test.teardown(async () => {
    forgetAnswers()
    await app.close()
    db.$client.close()
    rmSync(dataDir, { recursive: true })
  })
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
    const token = newApiToken()
    const send = async (method: string, path: string, given: Headers = {}, payload?: string) => {
      const asksApi = userId !== undefined && path.startsWith('/api/')
      if (asksApi) insertToken(db, userId, token)
      const headers = asksApi ? { authorization: `Bearer ${token}`, ...given } : given
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

/** Anew each time, as tests take back what happened in between; just used, so that nothing more is written of it. */
function insertToken(db: Database, user_id: number, token: string): void {
  const later = Date.now() + 3600_000
  const used = { last_used_at: later, last_address: '127.0.0.1', networks: ['127.0.0.1'] }
  const row = { user_id, name: 'Test', token_hash: hashToken(token), created_at: 1, expires_at: later, ...used }
  db.insert(apiTokens).values(row).onConflictDoNothing().run()
}

let peopled: { content: Buffer; cast: Cast } | undefined

/** A new database with the cast, which is seeded once per process. */
function writePeopledDatabase(file: string): Cast {
  if (peopled) writeFileSync(file, peopled.content)
  else {
    copyFileSync(templateFile(), file)
    const db = openDatabase(file)
    const cast = seedCast(db)
    db.$client.close()
    peopled = { content: readFileSync(file), cast }
  }
  return structuredClone(peopled.cast)
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
