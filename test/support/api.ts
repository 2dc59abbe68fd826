import { hashToken } from '../../src/core/tokens.ts'
import { apiTokens } from '../../src/database/schema/index.ts'
import { newApiToken, requestCounts } from '../../src/http/access/api-tokens.ts'
import { nextTokenId } from './app.ts'
import type { Answer, Cabinet } from './cabinet.ts'
import type { Name } from './cast.ts'

type TokenRow = typeof apiTokens.$inferInsert

/** A token of somebody, as if they had made it; requests of before count no longer. */
export function tokenFor({ db }: Pick<Cabinet, 'db'>, user_id: number, values: Partial<TokenRow> = {}): string {
  requestCounts(db).clear()
  const token = newApiToken()
  const now = Date.now()
  const made = { id: nextTokenId(), user_id, name: 'Test', token_hash: hashToken(token), created_at: now, expires_at: now + 3600_000 }
  db.insert(apiTokens)
    .values({ ...made, ...values })
    .run()
  return token
}

export interface Client {
  token: string
  get: (path: string) => Promise<Answer>
  post: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
  patch: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
}

/** A program that acts for somebody. Paths begin after `/api/v1`. */
export function clientFor(cabinet: Pick<Cabinet, 'app' | 'db'>, userId: number, values?: Partial<TokenRow>): Client {
  const token = tokenFor(cabinet, userId, values)
  const send = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown, headers: Record<string, string> = {}) =>
    cabinet.app.inject({
      method,
      url: `${cabinet.app.config.baseUrl}/api/v1${path}`,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  return {
    token,
    get: (path) => send('GET', path),
    post: (path, body = {}, headers) => send('POST', path, body, headers),
    patch: (path, body = {}, headers) => send('PATCH', path, body, headers),
  }
}

export const clientOf = (cabinet: Cabinet, name: Name, values?: Partial<TokenRow>): Client => clientFor(cabinet, cabinet.cast[name], values)

/** The records of every page of a list, walked to its end. */
export async function walk(client: Client, path: string): Promise<{ id: number }[]> {
  const found: { id: number }[] = []
  const address = (after: string) => `${path}${after && `${path.includes('?') ? '&' : '?'}after=${after}`}`
  for (let after: string | null = ''; after !== null; ) {
    const answer: Answer = await client.get(address(after))
    if (answer.statusCode !== 200) throw new Error(`${address(after)}: ${answer.statusCode} ${answer.body}`)
    const page = answer.json()
    found.push(...page.items)
    after = page.next
  }
  return found
}
