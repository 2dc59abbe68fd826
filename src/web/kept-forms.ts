import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { and, count, eq, gt } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { type Database, write } from '../database/open.ts'
import { keptForms } from '../database/schema/index.ts'
import { bodyOf } from './form/body.ts'
import type { Sending } from './form/resumed.ts'
import { hashToken, newToken } from './tokens.ts'

/** A form that came too late: it waits for its sender to sign in again, in the browser that sent it. */
export interface KeptForm extends Sending {
  url: string
  referer: string | undefined
}

type Row = typeof keptForms.$inferSelect

/** How long a form is kept. */
const lifetime = 3600_000
const formsAtOnce = 5
/** Of a whole body, files included, in bytes. */
const sizeLimit = 100 * 1024 * 1024

/** Whether a body may be taken from somebody whose session has run out; asked before it is read. */
export function mayKeep({ headers, lapsed, method, server }: FastifyRequest): boolean {
  if (!lapsed || method !== 'POST') return false
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= sizeLimit && hasRoom(server.db, lapsed.id)
}

/**
 * Keeps the form that a request carries. Only a browser with its cookie can read it again: not even the database tells
 * what was typed, which may be a password.
 * @returns its id, or undefined when there is nothing to keep, or no room
 */
export function keepForm(request: FastifyRequest): number | undefined {
  const { headers, lapsed, server, uploadErrors, url } = request
  const body = [...bodyOf(request)]
  if (!lapsed || body.length === 0) return undefined
  const browser = request.session.get('browser') ?? newToken()
  const sealed = seal({ url, referer: headers.referer, body, uploadErrors }, browser)
  const row = { user_id: lapsed.id, browser_hash: hashToken(browser), sealed, at: Date.now() }
  const { db } = server
  const kept = write(db, () =>
    hasRoom(db, lapsed.id) ? db.insert(keptForms).values(row).returning({ id: keptForms.id }).get() : undefined,
  )
  if (kept) request.session.set('browser', browser)
  return kept?.id
}

function hasRoom(db: Database, userId: number): boolean {
  const recent = and(eq(keptForms.user_id, userId), gt(keptForms.at, keptSince()))
  return (db.select({ count: count() }).from(keptForms).where(recent).get()?.count ?? 0) < formsAtOnce
}

/** Whether this browser sent the form that is kept under an id. */
export function isKept(request: FastifyRequest, id: number): boolean {
  const mine = ofBrowser(request, id)
  return mine !== undefined && request.server.db.select({ id: keptForms.id }).from(keptForms).where(mine).get() !== undefined
}

/** Takes a form out, once, for the very person in the very browser that sent it. */
export function takeForm(request: FastifyRequest, id: number): { row: Row; form: KeptForm } | undefined {
  const mine = ofBrowser(request, id)
  if (!mine || request.impersonating) return undefined
  const own = and(mine, eq(keptForms.user_id, request.actor.id))
  const row = request.server.db.delete(keptForms).where(own).returning().get()
  return row && { row, form: unseal(row.sealed, request.session.get('browser') ?? '') }
}

/** Back it goes when it was not carried out. */
export function putBack(db: Database, row: Row): void {
  db.insert(keptForms).values(row).run()
}

function ofBrowser({ session }: FastifyRequest, id: number) {
  const browser = session.get('browser')
  if (!browser) return undefined
  return and(eq(keptForms.id, id), eq(keptForms.browser_hash, hashToken(browser)), gt(keptForms.at, keptSince()))
}

/** Forms that came before this moment are kept no longer. */
export function keptSince(): number {
  return Date.now() - lifetime
}

const cipher = 'aes-256-gcm'
const [ivLength, tagLength] = [12, 16]

function seal(form: KeptForm, browser: string): Buffer {
  const iv = randomBytes(ivLength)
  const sealing = createCipheriv(cipher, keyOf(browser), iv)
  const text = Buffer.concat([sealing.update(JSON.stringify(form)), sealing.final()])
  return Buffer.concat([iv, sealing.getAuthTag(), text])
}

function unseal(sealed: Buffer, browser: string): KeptForm {
  const opening = createDecipheriv(cipher, keyOf(browser), sealed.subarray(0, ivLength))
  opening.setAuthTag(sealed.subarray(ivLength, ivLength + tagLength))
  return JSON.parse(Buffer.concat([opening.update(sealed.subarray(ivLength + tagLength)), opening.final()]).toString())
}

function keyOf(browser: string): Buffer {
  return Buffer.from(hkdfSync('sha256', browser, '', 'kept form', 32))
}
