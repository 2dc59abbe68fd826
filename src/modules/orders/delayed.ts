import { and, sql } from 'drizzle-orm'
import { allows, type Group, group } from '../../core/access.ts'
import { groupAtTurn } from '../../core/expected-actor.ts'
import { turnsLabels } from '../../core/labels.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { countOf } from '../../records/list/count.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderAccess } from './access.ts'
import { orderList, type SeenOrder } from './list.ts'
import { findOrders, type Order } from './order.ts'
import { withProducts } from './pricing/lines.ts'
import { longestOverdue, oldestInStatus, withoutWaiting } from './queues.ts'
import { rowSteps } from './row-steps.ts'
import { isSlow, openStatuses, overdue, slowFromDays } from './waiting.ts'

type DelayedOrder = SeenOrder & {
  product?: string
  /** For whom it and those below it wait. */
  turn: string | undefined
  steps: ReturnType<typeof rowSteps>
  once: string
  /** Who waits for its dealer reminds them. */
  reminds: boolean
}

const delayedPart = template<{
  widget: { rows: DelayedOrder[]; count: number; more: number; from: string; slowFrom: number } | undefined
}>('orders/dashboard/delayed.njk')

/** With more, what comes below would be out of sight; what is overdue is worth it. */
const shown = 5
const overdueShown = 10

const list = 'delayed=1&sort=since&dir=asc&cols=since'

/** The orders that have been overdue longest, then those that have been longest in their status, and for whom each waits; what stands above is counted, too. */
export const delayedWidget = fragment(delayedPart, (context: Context) => {
  const { db } = context.server
  const workflow = loadWorkflow(db)
  const others = withoutWaiting(context)
  const inTime = sql`(${overdue(workflow)}) is not true`
  const slow = oldestInStatus(context, and(others, isSlow(workflow), inTime), openStatuses(workflow), shown)
  const late = longestOverdue(context, others, overdueShown)
  const rows = [...late, ...slow].slice(0, Math.max(shown, late.length))
  if (rows.length === 0) return { widget: undefined }
  const counted = (query: string) => countOf(db, orderList(db), context.actor, query)
  const count = counted(list) - counted(`${list}&waiting=1`)
  return {
    widget: {
      rows: withProducts(db, withTurns(context, rows)),
      count,
      more: count - rows.length,
      from: `?${list}`,
      slowFrom: slowFromDays,
    },
  }
})

function withTurns(context: Context, rows: SeenOrder[]) {
  const { server, actor, t } = context
  const { db } = server
  const workflow = loadWorkflow(db)
  const ids = rows.map(({ id }) => id)
  const stored = findOrders(db, ids)
  // Where it is nobody's turn, administrators can move an order on; nobody else's step is offered to them.
  const turns = rows.map(({ id }) => groupAtTurn(workflow, stored.get(id) as Order) ?? group.administrator)
  const once = crypto.randomUUID()
  return rows.map((row, at) => {
    const turn = turns[at] as Group
    const order = stored.get(row.id) as Order
    const reminds = turn === group.dealer && allows(orderAccess.remind, actor, order)
    const steps = turn === group.administrator ? rowSteps(context, order) : []
    return { ...row, turn: turn === turns[at - 1] ? undefined : t(turnsLabels[turn]), steps, once: `${once} ${row.id}`, reminds }
  })
}
