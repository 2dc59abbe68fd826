import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { and, count, eq, gt } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hashToken, newToken } from '../../core/tokens.ts'
import { type Database, pendingSubmissions, write } from '../../database/index.ts'
import type { Problem } from '../request/errors.ts'
import { bodyOf } from '../request/input.ts'
import type { Person } from '../request/person.ts'

interface PendingSubmission extends ReplayedBody {
  url: string
  referer: string | undefined
  actingAs?: number
}

type Row = typeof pendingSubmissions.$inferSelect

const lifetime = 3600_000
const pendingLimit = 5
const sizeLimit = 100 * 1024 * 1024

/** Whether the body of an expired session may be saved; checked before reading it. */
export function canSaveSubmission({ headers, signIn: { expiredPerson }, method, server }: FastifyRequest): boolean {
  if (!expiredPerson || method !== 'POST') return false
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= sizeLimit && hasRoom(server.db, expiredPerson.id)
}

/** Saves the form of a request, encrypted with a key that only the sender's cookie holds, as it may contain a password. */
export function saveSubmission(request: FastifyRequest, sender: Person | null = request.signIn.expiredPerson): number | undefined {
  const { headers, routeOptions, server, uploadErrors, url } = request
  // What a script sent is of no use without the script.
  if (routeOptions.config.answers === 'json') return undefined
  const body = [...bodyOf(request)]
  if (!sender || body.length === 0) return undefined
  const browser = request.session.get('browser') ?? newToken()
  const actingAs = sender.impersonator && sender.id
  const sealed = seal({ url, referer: headers.referer, body, uploadErrors, actingAs }, browser)
  const user_id = sender.impersonator?.id ?? sender.id
  const row = { user_id, browser_hash: hashToken(browser), sealed, at: Date.now() }
  const { db } = server
  const saved = write(db, () =>
    hasRoom(db, user_id) ? db.insert(pendingSubmissions).values(row).returning({ id: pendingSubmissions.id }).get() : undefined,
  )
  if (saved) request.session.set('browser', browser)
  return saved?.id
}

function hasRoom(db: Database, userId: number): boolean {
  const recent = and(eq(pendingSubmissions.user_id, userId), gt(pendingSubmissions.at, pendingSince()))
  return (db.select({ count: count() }).from(pendingSubmissions).where(recent).get()?.count ?? 0) < pendingLimit
}

export function isPendingSubmission(request: FastifyRequest, id: number): boolean {
  const ownCondition = browserCondition(request, id)
  return (
    ownCondition !== undefined &&
    request.server.db.select({ id: pendingSubmissions.id }).from(pendingSubmissions).where(ownCondition).get() !== undefined
  )
}

export function takeSubmission(request: FastifyRequest, id: number): { row: Row; form: PendingSubmission } | undefined {
  const ownCondition = browserCondition(request, id)
  if (!ownCondition) return undefined
  const { actor, server, session } = request
  const own = and(ownCondition, eq(pendingSubmissions.user_id, actor.impersonator?.id ?? actor.id))
  const row = server.db.select().from(pendingSubmissions).where(own).get()
  const form = row && unseal(row.sealed, session.get('browser') ?? '')
  if (!row || !form || form.actingAs !== (actor.impersonator && actor.id)) return undefined
  server.db.delete(pendingSubmissions).where(own).run()
  return { row, form }
}

export function putBackSubmission(db: Database, row: Row): void {
  db.insert(pendingSubmissions).values(row).run()
}

function browserCondition({ session }: FastifyRequest, id: number) {
  const browser = session.get('browser')
  if (!browser) return undefined
  return and(
    eq(pendingSubmissions.id, id),
    eq(pendingSubmissions.browser_hash, hashToken(browser)),
    gt(pendingSubmissions.at, pendingSince()),
  )
}

export function pendingSince(): number {
  return Date.now() - lifetime
}

const cipher = 'aes-256-gcm'
const [ivLength, tagLength] = [12, 16]

function seal(form: PendingSubmission, browser: string): Buffer {
  const iv = randomBytes(ivLength)
  const encipher = createCipheriv(cipher, deriveKey(browser), iv)
  const text = Buffer.concat([encipher.update(JSON.stringify(form)), encipher.final()])
  return Buffer.concat([iv, encipher.getAuthTag(), text])
}

function unseal(sealed: Buffer, browser: string): PendingSubmission {
  const decipher = createDecipheriv(cipher, deriveKey(browser), sealed.subarray(0, ivLength))
  decipher.setAuthTag(sealed.subarray(ivLength, ivLength + tagLength))
  return JSON.parse(Buffer.concat([decipher.update(sealed.subarray(ivLength + tagLength)), decipher.final()]).toString())
}

function deriveKey(browser: string): Buffer {
  return Buffer.from(hkdfSync('sha256', browser, '', 'kept form', 32))
}

export interface ReplayedBody {
  body: [name: string, value: string][]
  uploadErrors: Record<string, Problem>
}

const header = 'x-resumed-form'
const waiting = new Map<string, ReplayedBody>()

/** Submits a form again within this process, so that the request passes all hooks. */
export async function replaySubmission(request: FastifyRequest, url: string, referer: string | undefined, replayed: ReplayedBody) {
  const token = newToken()
  waiting.set(token, replayed)
  try {
    const headers = { ...pickForwardedHeaders(request), ...(referer && { referer }), [header]: token }
    return await (request.server as FastifyInstance).inject({ method: 'POST', url, headers, remoteAddress: request.socket.remoteAddress })
  } finally {
    waiting.delete(token)
  }
}

/** The body of a request made by `replaySubmission`; its key is a secret that clients cannot guess. */
export function findReplayedBody(request: FastifyRequest): ReplayedBody | undefined {
  const token = request.headers[header]
  return typeof token === 'string' ? waiting.get(token) : undefined
}

const forwardedHeaders = ['host', 'cookie', 'user-agent', 'accept-language', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']

function pickForwardedHeaders({ headers }: FastifyRequest) {
  return Object.fromEntries(forwardedHeaders.map((name) => [name, headers[name]]).filter(([, value]) => value !== undefined))
}
