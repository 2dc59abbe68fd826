import { and, asc, eq, isNotNull, isNull, lte, min, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import {
  type Database,
  logRow,
  prepareOnce,
  systemName,
  webhookAttempts,
  webhookDeliveries,
  webhookMessages,
  webhooks,
} from '../../../database/index.ts'
import { addServiceJob } from '../../../records/jobs/job.ts'
import { retryAt, sendingAttempts } from '../../../records/jobs/retry.ts'
import { type Answer, hostOf, isAccepted } from './send.ts'

const batchSize = 5
const pauseAfter = 3 * 24 * 3600_000

export type Delivery = ReturnType<typeof findDue>[number]

// A literal, because the partial index serves only queries that name the state.
const isWaiting = sql`${webhookDeliveries.state} = 'waiting'`

export const findDue = (db: Database, webhook: number) => dueDeliveries(db).all({ id: webhook, now: Date.now() })

export const findNext = (db: Database, webhook: number) => nextDelivery(db).get({ id: webhook })?.at ?? undefined

const dueDeliveries = prepareOnce((db, params) => {
  const { message_id, body } = webhookMessages
  const { id, attempts } = webhookDeliveries
  const { url, secret } = webhooks
  return db
    .select({ id, attempts, webhook: webhooks.id, url, secret, message_id, body })
    .from(webhookDeliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhook_id))
    .innerJoin(webhookMessages, eq(webhookMessages.id, webhookDeliveries.message_id))
    .where(and(eq(webhookDeliveries.webhook_id, params.id), isWaiting, lte(webhookDeliveries.next_at, sql.placeholder('now'))))
    .orderBy(asc(webhookDeliveries.next_at), asc(id))
    .limit(batchSize)
    .prepare()
})

const nextDelivery = prepareOnce((db, params) =>
  db
    .select({ at: min(webhookDeliveries.next_at) })
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.webhook_id, params.id), isWaiting))
    .prepare(),
)

/**
 * Notes an attempt and what follows from it; call it inside `write`.
 * @returns whether the address is paused from now on
 */
export function recordAnswer(db: Database, delivery: Delivery, answer: Answer): boolean {
  const at = Date.now()
  // Whoever deletes an address, or takes back what happened, does not wait for an answer.
  if (!updateDelivery(db, delivery.id, stateAfter(delivery, isAccepted(answer), at))) return false
  db.insert(webhookAttempts).values({ delivery_id: delivery.id, at, status: answer.status, answer: answer.text }).run()
  return isAccepted(answer) ? resume(db, delivery) : noteFailure(db, delivery, at)
}

function stateAfter(delivery: Delivery, accepted: boolean, at: number) {
  const attempts = delivery.attempts + 1
  if (accepted) return { state: 'sent' as const, attempts }
  const next_at = retryAt(attempts, sendingAttempts, at)
  return next_at === undefined ? { state: 'failed' as const, attempts } : { attempts, next_at }
}

function updateDelivery(db: Database, id: number, values: Partial<typeof webhookDeliveries.$inferInsert>): boolean {
  return db.update(webhookDeliveries).set(values).where(eq(webhookDeliveries.id, id)).run().changes > 0
}

/** What has waited while the address was paused is sent when it would have been. */
function resume(db: Database, { webhook: id }: Delivery): false {
  const isPaused = and(eq(webhooks.id, id), isNotNull(webhooks.paused_at))
  const paused = db.select().from(webhooks).where(isPaused).get()
  if (paused) {
    setPause(db, paused, null)
    moveWaiting(db, id, 'paused', 'waiting')
  }
  db.update(webhooks).set({ failing_since: null }).where(eq(webhooks.id, id)).run()
  return false
}

function noteFailure(db: Database, { webhook: id }: Delivery, at: number): boolean {
  db.update(webhooks)
    .set({ failing_since: at })
    .where(and(eq(webhooks.id, id), isNull(webhooks.failing_since)))
    .run()
  const failedTooLong = and(eq(webhooks.id, id), isNull(webhooks.paused_at), lte(webhooks.failing_since, at - pauseAfter))
  const failing = db.select().from(webhooks).where(failedTooLong).get()
  if (!failing) return false
  setPause(db, failing, at)
  moveWaiting(db, id, 'waiting', 'paused')
  return true
}

function setPause(db: Database, webhook: typeof webhooks.$inferSelect, paused_at: number | null): void {
  const { id, url } = webhook
  db.update(webhooks).set({ paused_at }).where(eq(webhooks.id, id)).run()
  const change = { action: 'update', id, label: hostOf(url), before: webhook, after: { paused_at } } as const
  logRow(db, webhooks, change, { id: null, name: systemName })
}

function moveWaiting(db: Database, webhook: number, from: 'waiting' | 'paused', state: 'waiting' | 'paused'): void {
  const ofWebhook = and(eq(webhookDeliveries.webhook_id, webhook), eq(webhookDeliveries.state, from))
  db.update(webhookDeliveries).set({ state }).where(ofWebhook).run()
}

/** What the job of an address works on. */
export interface WaitingFor {
  /** Of the webhook. */
  id: number
}

/** Has what waits for an address sent by then; call it inside the transaction that stores it. */
export function callWebhook(app: FastifyInstance, id: number, due_at?: number): void {
  const payload: WaitingFor = { id }
  addServiceJob(app, { kind: 'webhook', subject: `webhook ${id}`, payload, due_at })
}

/** Sends it again, even what was accepted, or waits for a paused address; what has not been due yet waits until then. */
export function resend(app: FastifyInstance, { id, webhook_id }: typeof webhookDeliveries.$inferSelect): void {
  const { db } = app
  const next_at = sql`iif(${webhookDeliveries.state} in ('waiting', 'paused') and ${webhookDeliveries.attempts} = 0, ${webhookDeliveries.next_at}, ${Date.now()})`
  db.update(webhookDeliveries).set({ state: 'waiting', attempts: 0, next_at }).where(eq(webhookDeliveries.id, id)).run()
  callWebhook(app, webhook_id)
}
