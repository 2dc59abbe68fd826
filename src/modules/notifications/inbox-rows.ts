import { eq, sql } from 'drizzle-orm'
import { jobKindLabels } from '../../core/labels.ts'
import { seesPrices } from '../../core/prices.ts'
import { describeUserAgent } from '../../core/user-agent.ts'
import {
  companies,
  type Database,
  jobs,
  notifications,
  orderBalances,
  orderHistory,
  orderMessages,
  orders,
  payments,
  statuses,
  whereIn,
} from '../../database/index.ts'
import { readRows } from '../../records/list/rows.ts'
import { forManager, paymentActor } from './named-people.ts'
import { isDueNotice, isOfPayments, type Notice, notices, waitingOf } from './notices.ts'
import { describeChanges } from './order-changes.ts'

export type InboxRow = ReturnType<ReturnType<typeof rowsByIds>['load']>[number]

/** An event of ours, the status that an order got, or a message. */
export const happened = sql<string>`coalesce(${notifications.event}, nullif(${notifications.status_name}, ''), 'message')`

export const changedBy = sql<
  string | null
>`coalesce(${orderMessages.author_name}, ${orderHistory.actor_name}, ${paymentActor}, ${notifications.actor_name})`

export function rowsByIds(db: Database) {
  const { id, order_id, status_name, event, detail, file, file_name, address, user_agent, created_at, read_at } = notifications
  const { id: message_id, author_name, internal, withdrawn_at } = orderMessages
  const { from_name, actor_name } = orderHistory
  const fields = {
    ...{ id, order_id, status_name, event, detail, file, file_name, address, user_agent, created_at, read_at, from_name, actor_name },
    message: { id: message_id, author_name, text: sql<string>`substr(${orderMessages.text}, 1, 200)`, internal, withdrawn_at },
    payment: {
      id: payments.id,
      amount: payments.amount,
      date: payments.date,
      reason: sql<string | null>`iif(${event} in ('payment-rejected', 'payment-reversed'), ${payments.reason}, null)`,
    },
    lacking: sql<number | null>`${orderBalances.charged} - ${orderBalances.paid}`,
    color: statuses.color,
    job: { id: jobs.id, kind: jobs.kind },
    company: companies.org,
    ...{ happened, changedBy, forManager },
    newest: sql<number>`(select max(id) from notifications newer where newer.user_id = ${notifications.user_id})`,
  }
  const query = db
    .select(fields)
    .from(notifications)
    .leftJoin(orders, eq(orders.id, notifications.order_id))
    .leftJoin(orderBalances, eq(orderBalances.order_id, orders.id))
    .leftJoin(payments, eq(payments.id, notifications.payment_id))
    .leftJoin(companies, eq(companies.id, sql`coalesce(${orders.owner_company_id}, ${payments.company_id})`))
    .leftJoin(orderHistory, eq(orderHistory.id, notifications.history_id))
    .leftJoin(orderMessages, eq(orderMessages.id, notifications.message_id))
    .leftJoin(jobs, eq(jobs.id, notifications.job_id))
    .leftJoin(statuses, eq(statuses.id, orderHistory.to_status_id))
    .where(whereIn(notifications.id, sql.placeholder('ids')))
  const labels = ({ event, user_agent, job }: Labeled) => ({
    notice: event && notices[event],
    jobLabel: job && jobKindLabels[job.kind],
    ofPayments: isOfPayments(event),
    browser: describeUserAgent(user_agent ?? ''),
  })
  return readRows(fields, query, (rows, { actor, t }) =>
    rows.map((row) => ({
      ...row,
      ...labels(row),
      waiting: waitingOf(row, t),
      changes: describeChanges(row, seesPrices(actor), t),
      ...(seesPrices(actor) ? amountsOf(row) : withoutAmounts(row)),
    })),
  )
}

interface Labeled {
  event: Notice | null
  user_agent: string | null
  job: { id: number; kind: string } | null
}

interface Amounts {
  event: Notice | null
  payment: { id: number; amount: number; date: string; reason: string | null } | null
  lacking: number | null
}

const amountsOf = ({ event, payment, lacking }: Amounts) => ({ payment, lacking: isDueNotice(event) ? lacking : null })

/** Reasons name amounts. */
const withoutAmounts = (_row: Amounts) => ({ payment: null, lacking: null })
