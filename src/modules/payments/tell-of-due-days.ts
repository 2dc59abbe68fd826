import { setTimeout as pause } from 'node:timers/promises'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { companies, type Database, dueDay, isLacking, orderBalances, orders, prepareOnce, write } from '../../database/index.ts'
import { whomAllows } from '../../http/access/permitted-people.ts'
import { formatDateTimeInput } from '../../i18n/format.ts'
import type { DueNotice } from '../notifications/notices.ts'
import { queueNotifications } from '../notifications/queue.ts'
import { orderAccess } from '../orders/access.ts'
import { findOrder } from '../orders/order.ts'
import { findPartyMembers } from '../orders/recipients.ts'

const batchSize = 100

/** Fewer days than notifications are kept, so that nobody is told twice; what was overdue before is in the ledger. */
const lateDays = 30

/** Tells of the orders that lack money on the day before their due day, and from the day after it on until it was told once. */
export async function tellOfDueDays(app: FastifyInstance, closing: AbortSignal): Promise<void> {
  await tellOfOrders(app, closing, { event: 'payment-due', from: dayIn(1), to: dayIn(1) })
  await tellOfOrders(app, closing, { event: 'payment-overdue', from: dayIn(-lateDays), to: dayIn(-1) })
}

interface DueDays {
  event: DueNotice
  from: string
  to: string
}

async function tellOfOrders(app: FastifyInstance, closing: AbortSignal, { event, from, to }: DueDays): Promise<void> {
  let after: { company_id: number; order_id: number } | undefined = { company_id: 0, order_id: 0 }
  while (after && !closing.aborted) {
    const params = { from, to, after, limit: batchSize }
    after = write(app.db, () => {
      const lacking = findLackingOrders(app.db, params)
      for (const { order_id, due_day } of lacking) if (!wasTold(app.db, order_id, event, due_day)) tell(app, order_id, event)
      return lacking.length === batchSize ? lacking.at(-1) : undefined
    })
    await pause(20)
  }
}

function tell(app: FastifyInstance, order_id: number, event: DueNotice): void {
  const order = findOrder(app.db, order_id)
  if (!order) return
  const { manager, admin, dealer } = findPartyMembers(app.db, order)
  const deciding = event === 'payment-overdue' ? whomAllows(app.db, orderAccess.decidePayment, order, [...manager, ...admin]) : []
  const recipients = [...new Set([...whomAllows(app.db, orderAccess.viewPayments, order, dealer), ...deciding].map(({ id }) => id))]
  queueNotifications(app, { recipients, acted: null, order_id, event })
}

/** Whether somebody was told of this due day: the day before it or later. */
function wasTold(db: Database, order_id: number, event: DueNotice, due_day: string): boolean {
  const [year = 0, month = 1, day = 1] = due_day.split('-').map(Number)
  return earlierNotification(db).get({ order_id, event, since: new Date(year, month - 1, day - 1).getTime() }) !== undefined
}

const earlierNotification = prepareOnce((db) =>
  db.$client.prepare<{ order_id: number; event: DueNotice; since: number }>(
    'select 1 from notifications where order_id = @order_id and event = @event and created_at >= @since limit 1',
  ),
)

/** YYYY-MM-DD in the time zone of the installation. */
function dayIn(days: number): string {
  const now = new Date()
  return formatDateTimeInput(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 12).getTime()).slice(0, 10)
}

interface LackingOrder {
  company_id: number
  order_id: number
  due_day: string
}

interface Wanted {
  /** Due days (YYYY-MM-DD), both included. */
  from: string
  to: string
  after: Pick<LackingOrder, 'company_id' | 'order_id'>
  limit: number
}

/** The orders that lack money and whose due day is among these, by company and id, after a given one. */
function findLackingOrders(db: Database, { after, ...wanted }: Wanted): LackingOrder[] {
  return lackingOrders(db).all({ ...wanted, company: after.company_id, order: after.order_id }) as LackingOrder[]
}

const lackingOrders = prepareOnce((db, params) => {
  const { company_id, order_id } = orderBalances
  return db
    .select({ company_id, order_id, due_day: dueDay })
    .from(orderBalances)
    .innerJoin(orders, eq(orders.id, order_id))
    .innerJoin(companies, eq(companies.id, company_id))
    .where(
      and(
        isLacking,
        sql`(${company_id}, ${order_id}) > (${params.company}, ${params.order})`,
        sql`${dueDay} between ${sql.placeholder('from')} and ${sql.placeholder('to')}`,
      ),
    )
    .orderBy(asc(company_id), asc(order_id))
    .limit(params.limit)
    .prepare()
})
