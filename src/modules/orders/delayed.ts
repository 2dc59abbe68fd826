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
  turn?: Turn
  steps: ReturnType<typeof rowSteps>
  once: string
  /** Who waits for its dealer reminds them. */
  reminds: boolean
}

interface Turn {
  label: string
  /** All of theirs that are delayed, and their list. */
  all?: { count: number; from: string }
}

const delayedPart = template<{
  widget: { rows: DelayedOrder[]; count: number; above: number; more: number; from: string; slowFrom: number } | undefined
}>('orders/dashboard/delayed.njk')

/** With more, what comes below would be out of sight; what is overdue is worth it. */
const shown = 5
const overdueShown = 10

const list = 'delayed=1&sort=since&dir=asc&cols=since'

/** By whom they wait for, the orders that have been overdue longest, then those that have been longest in their status; what stands above is counted, too. */
export const delayedWidget = fragment(delayedPart, (context: Context) => {
  const { db } = context.server
  const workflow = loadWorkflow(db)
  const others = withoutWaiting(context)
  const inTime = sql`(${overdue(workflow)}) is not true`
  const slow = oldestInStatus(context, and(others, isSlow(workflow), inTime), openStatuses(workflow), shown)
  const late = longestOverdue(context, others, overdueShown)
  const rows = [...late, ...slow].slice(0, Math.max(shown, late.length))
  if (rows.length === 0) return { widget: undefined }
  const count = counted(context, list)
  const above = counted(context, `${list}&waiting=1`)
  return {
    widget: {
      rows: withProducts(db, byTurn(context, rows)),
      count,
      above,
      more: count - above - rows.length,
      from: `?${list}`,
      slowFrom: slowFromDays,
    },
  }
})

const counted = ({ server: { db }, actor }: Context, query: string) => countOf(db, orderList(db), actor, query)

/** Whoever the first row waits for comes first. */
function byTurn(context: Context, rows: SeenOrder[]) {
  const { server, actor } = context
  const { db } = server
  const workflow = loadWorkflow(db)
  const ids = rows.map(({ id }) => id)
  const stored = findOrders(db, ids)
  // Where it is nobody's turn, administrators can move an order on; nobody else's step is offered to them.
  const turns = Map.groupBy(rows, ({ id }) => groupAtTurn(workflow, stored.get(id) as Order) ?? group.administrator)
  const once = crypto.randomUUID()
  return [...turns].flatMap(([turn, waiting]) =>
    waiting.map((row, at) => {
      const order = stored.get(row.id) as Order
      const reminds = turn === group.dealer && allows(orderAccess.remind, actor, order)
      const steps = turn === group.administrator ? rowSteps(context, order) : []
      return { ...row, ...(at === 0 && { turn: describeTurn(context, turn) }), steps, once: `${once} ${row.id}`, reminds }
    }),
  )
}

const turnNames = new Map<Group, string>(Object.entries(group).map(([name, id]) => [id, name]))

function describeTurn(context: Context, turn: Group): Turn {
  const label = context.t(turnsLabels[turn])
  if (turn === group.administrator) return { label }
  const query = `${list}&turn=${turnNames.get(turn)}`
  return { label, all: { count: counted(context, query), from: `?${query}` } }
}
