import { and, lte, sql } from 'drizzle-orm'
import { groupAtTurn } from '../../core/expected-actor.ts'
import { turnLabels } from '../../core/labels.ts'
import { orders } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { loadWorkflow } from '../workflow/load.ts'
import type { SeenOrder } from './list.ts'
import { findOrders, type Order } from './order.ts'
import { withProducts } from './pricing/lines.ts'
import { longestOverdue, oldestInStatus, withoutWaiting } from './queues.ts'
import { daysAgo, openStatuses, overdue } from './waiting.ts'

type DelayedOrder = SeenOrder & { product?: string; turn: string | undefined }

const delayedPart = template<{ widget: { rows: DelayedOrder[] } | undefined }>('orders/dashboard/delayed.njk')

/** With more, what comes below would be out of sight. */
const shown = 5

/** What came into its status later is not slow. */
const slowFromDays = 3

/** The orders that have been overdue longest, then those that have been longest in their status, and for whom each waits. */
export const delayedWidget = fragment(delayedPart, (context: Context) => {
  const { db } = context.server
  const others = withoutWaiting(context)
  const isSlow = and(lte(orders.status_since, daysAgo(slowFromDays)), sql`(${overdue(loadWorkflow(db))}) is not true`)
  const slow = oldestInStatus(context, and(others, isSlow), openStatuses(loadWorkflow(db)), shown)
  const rows = [...longestOverdue(context, others, shown), ...slow].slice(0, shown)
  return { widget: rows.length > 0 ? { rows: withProducts(db, withTurns(context, rows)) } : undefined }
})

function withTurns({ server: { db }, t }: Context, rows: SeenOrder[]) {
  const workflow = loadWorkflow(db)
  const ids = rows.map(({ id }) => id)
  const stored = findOrders(db, ids)
  return rows.map((row) => {
    const turn = groupAtTurn(workflow, stored.get(row.id) as Order)
    return { ...row, turn: turn && t(turnLabels[turn]) }
  })
}
