import { and, desc, type SQL, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { mayPerform, onwardTransitions, statusById, type Workflow } from '../../../core/transition-rules.ts'
import { type Database, orders, selectRows } from '../../../database/index.ts'
import { page, part } from '../../../web/http.ts'
import { conditionOf } from '../../../web/list/query.ts'
import { countOf, sortByIds } from '../../../web/list/rows.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { type OrderRow, orderList } from '../list.ts'
import { openStatuses } from '../waiting.ts'

const waitingPart = page<{ widget: { count: number; rows: (OrderRow & { next: string[] })[] } }>('orders/dashboard/waiting.njk')
const latestPart = page<{ widget: { rows: OrderRow[] } }>('orders/dashboard/latest.njk')

export const waitingWidget = part(waitingPart, (request: FastifyRequest) => {
  const { server, actor } = request
  const workflow = loadWorkflow(server.db, request.language)
  const everywhere = workflow.statuses.map(({ id }) => id)
  const rows = oldestInStatus(request, { waiting: '1' }, everywhere, 8)
  const count = countOf(server.db, orderList(server.db), actor, 'waiting=1')
  return { widget: { count, rows: rows.map((row) => ({ ...row, next: nextSteps(workflow, row, request) })) } }
})

export const latestWidget = part(latestPart, ({ server: { db }, actor }: FastifyRequest) => {
  const list = orderList(db)
  const where = conditionOf(list, actor, { q: '', filters: {} })
  const ids = db.select({ id: orders.id }).from(orders).where(where).orderBy(desc(orders.created_at), desc(orders.id)).limit(5).all()
  const latest = ids.map(({ id }) => id)
  return { widget: { rows: sortByIds(latest, list.rows(latest)) } }
})

/** The orders that have been longest in their status. Each status is read from its own end of the index. */
export function oldestInStatus(
  { server: { db }, actor }: FastifyRequest,
  filters: Record<string, string>,
  statuses: number[],
  limit: number,
): OrderRow[] {
  const list = orderList(db)
  const where = conditionOf(list, actor, { q: '', filters })
  const candidates = statuses.flatMap((status) => oldestOf(db, status, where, limit)).sort((a, b) => a.since - b.since || a.id - b.id)
  const ids = candidates.slice(0, limit).map(({ id }) => id)
  return sortByIds(ids, list.rows(ids))
}

export function oldestOf(db: Database, status: number, where: SQL | undefined, limit: number): { id: number; since: number }[] {
  const rows = sql`select id, status_since from ${orders} where ${and(sql`status_id = ${status}`, where)}
    order by status_since, id limit +${limit}`
  return selectRows<[number, number]>(db, rows).map(([id, since]) => ({ id, since }))
}

function nextSteps(workflow: Workflow, row: OrderRow, { actor }: FastifyRequest): string[] {
  const steps = onwardTransitions(workflow, row.status_id ?? 0).filter((transition) => mayPerform(transition, actor, row))
  const open = openStatuses(workflow)
  // Of several transitions to final statuses only the first is the regular one.
  const onward = steps.filter(({ child_status_id }, index) => index === 0 || open.includes(child_status_id))
  return onward.map((step) => step.action_name || (statusById(workflow, step.child_status_id)?.name ?? ''))
}
