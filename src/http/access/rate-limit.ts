import { isIP } from 'node:net'
import { and, count, eq, gt, lt, min } from 'drizzle-orm'
import type { FastifyReply } from 'fastify'
import { type Database, rateHits } from '../../database/index.ts'
import { formatDate, formatDateTime } from '../../i18n/format.ts'
import { HttpError } from '../request/errors.ts'

export interface RateLimit {
  limit: number
  window: number
}

export function secondsToWait(db: Database, key: string, { limit, window }: RateLimit): number | undefined {
  const now = Date.now()
  const recent = and(eq(rateHits.key, key), gt(rateHits.at, now - window))
  const figures = { hits: count(), oldest: min(rateHits.at) }
  const { hits = 0, oldest } = db.select(figures).from(rateHits).where(recent).get() ?? {}
  return hits >= limit ? Math.ceil(((oldest ?? now) + window - now) / 1000) : undefined
}

export function recordHit(db: Database, key: string): void {
  db.insert(rateHits).values({ key, at: Date.now() }).run()
}

/** @throws LimitReached with this message, which may name `max` and `time` */
export function countHit(db: Database, key: string, limit: RateLimit, message: string): void {
  const wait = secondsToWait(db, key, limit)
  if (wait !== undefined) throw new LimitReached(wait, message, { max: limit.limit })
  recordHit(db, key)
}

/** A limit was met; whatever answers it says when there is room again: as `{time}`, or `{count}` of minutes, in the message and in `Retry-After`. */
export class LimitReached extends HttpError {
  /** Seconds. */
  readonly wait: number
  constructor(wait: number, message: string, params: Record<string, unknown> = {}) {
    super(429, message, { count: Math.ceil(wait / 60), ...params, time: timeAt(Date.now() + wait * 1000 + 59_999) })
    this.wait = wait
  }
}

/** The day of it goes without saying today. */
function timeAt(moment: number): string {
  const [date, dateTime] = [formatDate(moment), formatDateTime(moment)]
  return date === formatDate(Date.now()) ? dateTime.slice(date.length + 1) : dateTime
}

export const tooManyMessage = 'Too many attempts. Try again in {count} minutes ({time}).'
export const tooManyAttempts = (wait: number) => new LimitReached(wait, tooManyMessage)

/** For an answer that shows its form again. */
export function limited(reply: FastifyReply, { status, wait }: LimitReached): FastifyReply {
  return reply.code(status).header('Retry-After', String(wait))
}

export function deleteOldHits(db: Database, before: number): void {
  db.delete(rateHits).where(lt(rateHits.at, before)).run()
}

/** The network of an address: a single IPv6 customer has a whole /64. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped || isIP(address) !== 6) return mapped ?? address
  const [head = '', tail] = (address.split('%')[0] as string).split('::')
  const [left, right] = [head, tail ?? ''].map((part) => part.split(':').filter(Boolean)) as [string[], string[]]
  const groups = [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
