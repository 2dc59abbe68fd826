import { and, asc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { type Actor, group } from '../../../core/access.ts'
import { type Flag, matchingFlags, type Workflow } from '../../../core/transition.ts'
import { orders } from '../../../database/schema/index.ts'
import { conditionOf } from '../../../web/list/query.ts'
import type { List } from '../../../web/list/state.ts'
import { countLimit } from '../../../web/view/format.ts'
import { page, part } from '../../../web/view/page.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import type { OrderRow } from '../list.ts'

const rowLimit = 8

const waitingPart = page<{ widget: { count: number; rows: OrderRow[] } }>('orders/dashboard/waiting.njk')
const latestPart = page<{ widget: { rows: OrderRow[] } }>('orders/dashboard/latest.njk')

export function waitingWidget(list: List<OrderRow>) {
  return part(waitingPart, ({ server: { db }, actor }: FastifyRequest) => {
    const where = and(conditionOf(list, actor, { q: '', filters: {} }), waitingFor(actor, loadWorkflow(db)))
    const ids = db.select({ id: orders.id }).from(orders).where(where).orderBy(asc(orders.created_at), asc(orders.id)).limit(rowLimit).all()
    const some = db
      .select({ one: sql`1` })
      .from(orders)
      .where(where)
      .limit(countLimit + 1)
      .as('some')
    const count = db.select({ count: sql<number>`count(*)` }).from(some).get()?.count ?? 0
    return { widget: { count, rows: byAge(list.rows(ids.map(({ id }) => id))) } }
  })
}

export function latestWidget(list: List<OrderRow>) {
  return part(latestPart, ({ server: { db }, actor }: FastifyRequest) => {
    const where = conditionOf(list, actor, { q: '', filters: {} })
    const ids = db
      .select({ id: orders.id })
      .from(orders)
      .where(where)
      .orderBy(sql`${orders.created_at} desc, ${orders.id} desc`)
      .limit(5)
      .all()
    return { widget: { rows: byAge(list.rows(ids.map(({ id }) => id))).reverse() } }
  })
}

const byAge = (rows: OrderRow[]) => rows.sort((a, b) => a.created_at - b.created_at || a.id - b.id)

/** An order waits for whoever can move it forward; being able to cancel it does not make it their task. */
function waitingFor(actor: Actor, workflow: Workflow): SQL | undefined {
  const own = statusesWithTransition(workflow, matchingFlags(actor, { dealer_id: actor.id, owner_manager_id: actor.id }))
  const others = statusesWithTransition(workflow, matchingFlags(actor, { dealer_id: null, owner_manager_id: null }))
  const theirs = actor.group_id === group.dealer ? eq(orders.dealer_id, actor.id) : eq(orders.owner_manager_id, actor.id)
  return or(and(theirs, inArray(orders.status_id, own)), inArray(orders.status_id, others))
}

function statusesWithTransition(workflow: Workflow, matching: Flag[]): number[] {
  return workflow.statuses
    .map(({ id }) => id)
    .filter((id) => onwardTransitions(workflow, id).some((transition) => matching.some((flag) => transition[flag])))
}

/** Transitions that lead forward: to a final status only when there is no other. */
function onwardTransitions({ transitions }: Workflow, statusId: number) {
  const outgoing = transitions.filter(({ parent_status_id }) => parent_status_id === statusId)
  const forward = outgoing.filter(({ child_status_id }) => transitions.some(({ parent_status_id }) => parent_status_id === child_status_id))
  return forward.length > 0 ? forward : outgoing
}
