import { and, asc, eq, lte, min, or, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { dueDay } from '../../database/due-day.ts'
import {
  companies,
  deliveries,
  notifications,
  orderBalances,
  orderHistory,
  orderMessages,
  orders,
  payments,
  users,
} from '../../database/index.ts'
import type { Database } from '../../database/open.ts'
import { prepareOnce } from '../../database/prepare-once.ts'
import { addServiceJob } from '../../records/jobs/job.ts'
import { retryAt, sendingAttempts } from '../../records/jobs/retry.ts'
import type { Delivery, Together } from './channels/channel.ts'
import { recipientAddress } from './channels.ts'
import { forManager, paymentActor } from './named-people.ts'

const batchSize = 5

/** What is due now, a little at a time; together what somebody has gathered, and the reported payments that they may confirm. */
export function findDueDeliveries(db: Database, channel: string): Together[] {
  const now = Date.now()
  const batch = Map.groupBy(dueDeliveries(db).all({ channel, now }), (delivery) => {
    if (delivery.gathered_for !== null) return `gathered by ${delivery.user_id} until ${delivery.gathered_for}`
    return isOpenReport(delivery) ? `reports to ${delivery.user_id}` : delivery.id
  })
  return [...batch.values()].map(([first]) => {
    const delivery = first as Delivery
    const others = findOthers(db, channel, delivery, now)
    return [delivery, ...others.filter(({ id }) => id !== delivery.id)]
  })
}

function findOthers(db: Database, channel: string, delivery: Delivery, now: number): Delivery[] {
  const { user_id: user, gathered_for, notification_id: first } = delivery
  if (gathered_for !== null) return gatheredDeliveries(db).all({ channel, user, gathered_for, first })
  return isOpenReport(delivery) ? dueReports(db).all({ channel, now, user }) : []
}

/** A payment that waits for somebody's confirmation, and is told by itself. */
export const isOpenReport = ({ event, payment, gathered_for }: Delivery): boolean =>
  gathered_for === null && event === 'payment-reported' && payment?.state === 'reported'

export const findNextAttempt = (db: Database, channel: string) => nextAttempt(db).get({ channel })?.at ?? undefined

// A literal, because the partial index serves only queries that name the state.
const isWaiting = sql`${deliveries.state} = 'waiting'`

const actorName = sql<string | null>`coalesce(${orderHistory.actor_name}, ${paymentActor}, ${notifications.actor_name})`

const dueDeliveries = prepareOnce((db) =>
  deliveriesOf(db)
    .where(and(eq(deliveries.channel, sql.placeholder('channel')), isWaiting, lte(deliveries.next_at, sql.placeholder('now'))))
    .orderBy(asc(deliveries.next_at), asc(deliveries.id))
    .limit(batchSize)
    .prepare(),
)

/** So much a message tells. */
const mostTogether = 100

/** Read from the inbox of their person, from the first one on. */
const gatheredDeliveries = prepareOnce((db, params) => {
  const gathered = sql`select d.id from notifications n
    cross join deliveries d on d.notification_id = n.id and d.channel = ${sql.placeholder('channel')}
    where n.user_id = ${params.user} and n.id >= ${sql.placeholder('first')} and d.state = 'waiting' and d.gathered_for = ${sql.placeholder('gathered_for')}
    order by n.id limit ${sql.raw(String(mostTogether))}`
  return deliveriesOf(db).where(sql`${deliveries.id} in (${gathered})`).orderBy(asc(deliveries.id)).prepare()
})

/** Starts from the payments that wait for a confirmation, which are few. */
const dueReports = prepareOnce((db, params) => {
  const reports = sql`select d.id from payments
    cross join notifications n on n.payment_id = payments.id and n.event = 'payment-reported' and n.user_id = ${params.user}
    cross join deliveries d on d.notification_id = n.id and d.channel = ${sql.placeholder('channel')}
    where payments.state = 'reported' and d.state = 'waiting' and d.gathered_for is null and d.next_at <= ${sql.placeholder('now')}
    order by d.id limit ${sql.raw(String(mostTogether))}`
  return deliveriesOf(db).where(sql`${deliveries.id} in (${reports})`).orderBy(asc(deliveries.id)).prepare()
})

function deliveriesOf(db: Database) {
  const { id: message_id, author_name, text, internal, withdrawn_at } = orderMessages
  const { status_name, created_at, order_id, history_id, event, detail, address, user_agent } = notifications
  const { active, language } = users
  return db
    .select({
      ...{ id: deliveries.id, notification_id: notifications.id, attempts: deliveries.attempts, gathered_for: deliveries.gathered_for },
      ...{ user_id: notifications.user_id, recipient: recipientAddress() },
      ...{ status_name, created_at, order_id, history_id, event, detail, address, user_agent, active, language },
      ...{ specification_number: orders.specification_number, company: companies.org, for_manager: forManager },
      ...{ from_name: orderHistory.from_name, actor_name: actorName },
      message: { id: message_id, author_name, text, internal, withdrawn_at },
      payment: { id: payments.id, state: payments.state, amount: payments.amount, reason: payments.reason },
      lacking: sql<number | null>`${orderBalances.charged} - ${orderBalances.paid}`,
      due_day: sql<string | null>`(select ${dueDay} from ${companies} where ${companies.id} = ${orderBalances.company_id})`,
    })
    .from(deliveries)
    .innerJoin(notifications, eq(notifications.id, deliveries.notification_id))
    .innerJoin(users, eq(users.id, notifications.user_id))
    .leftJoin(orders, eq(orders.id, notifications.order_id))
    .leftJoin(orderBalances, eq(orderBalances.order_id, orders.id))
    .leftJoin(payments, eq(payments.id, notifications.payment_id))
    .leftJoin(companies, eq(companies.id, sql`coalesce(${orders.owner_company_id}, ${payments.company_id})`))
    .leftJoin(orderHistory, eq(orderHistory.id, notifications.history_id))
    .leftJoin(orderMessages, eq(orderMessages.id, notifications.message_id))
}

const nextAttempt = prepareOnce((db) => {
  const attempts = db.select({ at: min(deliveries.next_at) }).from(deliveries)
  return attempts.where(and(eq(deliveries.channel, sql.placeholder('channel')), isWaiting)).prepare()
})

export function markSent(db: Database, { id, attempts }: Delivery): void {
  update(db, id, { state: 'sent', attempts: attempts + 1, sent_at: Date.now(), last_error: null })
}

export function markFailed(db: Database, { id, attempts }: Delivery, last_error: string): void {
  update(db, id, { state: 'failed', attempts: attempts + 1, last_error })
}

export function scheduleRetry(db: Database, delivery: Delivery, last_error: string): void {
  const attempts = delivery.attempts + 1
  const next_at = retryAt(attempts, sendingAttempts)
  if (next_at === undefined) markFailed(db, delivery, last_error)
  else update(db, delivery.id, { attempts, next_at, last_error })
}

/** Delays deliveries without counting an attempt. */
export function postpone(db: Database, together: Together, next_at: number): void {
  for (const { id } of together) update(db, id, { next_at })
}

/** Delays every delivery of the channel without counting an attempt. */
export function pauseChannel(db: Database, channel: string, until: number, last_error: string): void {
  const due = and(eq(deliveries.channel, channel), isWaiting, lte(deliveries.next_at, until))
  db.update(deliveries).set({ next_at: until, last_error }).where(due).run()
}

/** At once, but not before the step that it tells of can no longer be undone. */
export function retryNow(app: FastifyInstance, { id, channel }: typeof deliveries.$inferSelect): void {
  const until = undoLimit(app.db).get({ id })?.until ?? 0
  const next_at = Math.max(Date.now(), until)
  update(app.db, id, { state: 'waiting', attempts: 0, next_at })
  addServiceJob(app, { kind: channel, due_at: next_at })
}

const undoLimit = prepareOnce((db, params) => {
  const steps = db.select({ until: orderHistory.undo_until }).from(deliveries)
  const ofDelivery = steps.innerJoin(notifications, eq(notifications.id, deliveries.notification_id))
  const ofPayment = and(
    eq(orderHistory.order_id, notifications.order_id),
    eq(notifications.event, 'payment-reported'),
    sql`${orderHistory.filled} ->> 'reported_payment' = ${notifications.payment_id}`,
  )
  return ofDelivery
    .innerJoin(orderHistory, or(eq(orderHistory.id, notifications.history_id), ofPayment))
    .where(eq(deliveries.id, params.id))
    .prepare()
})

function update(db: Database, id: number, values: Partial<typeof deliveries.$inferInsert>): void {
  db.update(deliveries).set(values).where(eq(deliveries.id, id)).run()
}
