import { and, count, eq, not } from 'drizzle-orm'
import { allows, anyOf, checkAccess, has } from '../../../core/access.ts'
import { expectedIn } from '../../../core/expected-actor.ts'
import { expectationLabels } from '../../../core/labels.ts'
import {
  type Author,
  countReferencing,
  type Database,
  orders,
  statuses,
  statusTransitions,
  touch,
  whereIn,
} from '../../../database/index.ts'
import { authorize } from '../../../http/access/authorize.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { parseId } from '../../../http/request/input.ts'
import { fragment, template } from '../../../http/request/template.ts'
import type { DeletionPart, Refusal } from '../../../records/list/deletion.ts'
import type { List } from '../../../records/list/list.ts'
import type { ListView } from '../../../records/list/view.ts'
import { loadWorkflow, ordersByStatus } from '../load.ts'
import { workflowSection } from '../section.ts'
import { allStatuses, findStatus, type Status, statusAccess, statusLabel, transitionsOf } from './status.ts'

const reorderLink = template<{ list: ListView }>('statuses/tools.njk')

/** Never paged, because reordering needs all statuses. */
export function statusList(): List<StatusRow> {
  return {
    name: 'statuses',
    title: 'Statuses',
    empty: { title: 'No statuses yet', text: 'Statuses are the steps an order goes through, and say who moves it on.' },
    around: { tools: reorderLink, below: workflowSection },
    add: { path: '/status/add', label: 'Add status' },
    columns: [
      { key: 'name', label: 'Status name', kind: 'name', value: statuses.name, exported: { kind: 'status' } },
      { key: 'orders', label: 'Orders', kind: 'number', told: true },
      { key: 'acts', label: 'Expected to act', kind: 'choice' },
      { key: 'status_key', label: 'Key', kind: 'identifier', value: statuses.status_key },
      { key: 'color', label: 'Color', kind: 'icon', value: statuses.color },
      { key: 'index', label: 'Position in the list', kind: 'number', value: statuses.index, sort: statuses.index, hidden: true },
    ],
    sizes: ['all'],
    sort: { key: 'index', dir: 'asc' },
    table: statuses,
    may: statusAccess,
    searchHint: 'key, name',
    find: [statuses.status_key, statuses.name, statuses.color],
    rows: { load: loadStatuses, template: 'statuses/rows.njk' },
  }
}

interface StatusRow extends Status {
  orders: number
  /** Where they are listed, for whoever sees orders. */
  href?: string
  acts: string
}

/** Statuses with how many orders are in them, and whom these wait for. */
function loadStatuses(ids: number[], { server: { db, records }, actor, t }: Context): StatusRow[] {
  const workflow = loadWorkflow(db)
  const counts = ordersByStatus(db)
  const ofOrders = records.get('orders')?.list
  const seesOrders = ofOrders && allows(ofOrders.may.list, actor)
  const rows = db.select().from(statuses).where(whereIn(statuses.id, ids)).all()
  return rows.map((status) => {
    const orders = counts.get(status.id) ?? 0
    const acts = t(expectationLabels[expectedIn(workflow, status) ?? 'nobody'])
    return { ...status, orders, acts, ...(seesOrders && orders > 0 && { href: `/orders?status=${status.id}` }) }
  })
}

const moveOrders = template<ReturnType<typeof loadAffectedOrders>>('statuses/move-orders.njk')

/** Gives orders in these statuses another one. */
export type ReassignOrders = (context: Context, from: number[], target: number) => void

export const statusDeletion = (reassignOrders: ReassignOrders): DeletionPart<Status> => ({
  question: 'Delete {count} statuses?',
  done: '{count} statuses deleted',
  consequences: [
    ['{count} outgoing transitions will also be deleted.', statusTransitions.parent_status_id],
    ['{count} incoming transitions will also be deleted.', statusTransitions.child_status_id],
  ],
  asks: fragment(moveOrders, loadAffectedOrders),
  before: beforeDeletion(reassignOrders),
  refusal: refuseUsedStatuses,
  restored: (request, ids) => recordTransitionChanges(request.server.db, ids, 'are back', request.author),
  restoreConflicts: (db, rows) => {
    const taken = rows.filter(({ index }) => allStatuses(db).some((status) => status.index === index))
    return taken.map((row) => ({ reason: 'taken', label: statusLabel(row), table: 'statuses', columns: ['index'] }))
  },
})

const nowhere = 'none'

/** Under the strict rules orders of a deleted status must get another one. */
function loadAffectedOrders({ server, actor }: Context, ids: number[], source: URLSearchParams) {
  const used = affectedOrdersByStatus(server.db, ids)
  const total = used.reduce((sum, status) => sum + status.orders, 0)
  const mayMove = total > 0 && checkAccess(actor, 'order_can_edit')
  const targets = mayMove ? allStatuses(server.db).filter(({ id }) => !ids.includes(id)) : []
  const mustMove = total > 0 && !server.rules.usedStatusDeletable
  return {
    used,
    total,
    targets,
    mustMove,
    blocked: mustMove && targets.length === 0,
    moveTo: parseId(source.get('move_to')),
    leave: source.get('move_to') === nowhere,
  }
}

/** Under the strict rules, to those who may not move their orders. */
function refuseUsedStatuses({ server, actor }: Context, ids: number[]): Refusal {
  const reason = 'Statuses with orders that you cannot move cannot be deleted: {names}.'
  const movable = server.rules.usedStatusDeletable || (checkAccess(actor, 'order_can_edit') && allStatuses(server.db).length > 1)
  if (movable) return { ids: [], reason }
  const used = server.db.selectDistinct({ id: orders.status_id }).from(orders).where(whereIn(orders.status_id, ids)).all()
  return { ids: used.map(({ id }) => Number(id)), reason }
}

function affectedOrdersByStatus(db: Database, ids: number[]) {
  const { id, name, seed_key, color, index } = statuses
  const counted = db.select({ name, seed_key, color, orders: count() }).from(orders)
  const inStatus = counted.innerJoin(statuses, eq(id, orders.status_id)).where(whereIn(orders.status_id, ids))
  return inStatus.groupBy(id).orderBy(index).all()
}

const beforeDeletion =
  (reassignOrders: ReassignOrders) =>
  (context: Context, ids: number[], body: URLSearchParams): HttpError | undefined => {
    const { db, rules } = context.server
    const wanted = body.get('move_to')?.trim()
    if (wanted && wanted !== nowhere) {
      authorize(anyOf(has('order_can_edit')), context.actor)
      const target = parseId(wanted) ?? -1
      if (ids.includes(target) || !findStatus(db, target)) return new HttpError(422, 'Choose a different status for these orders.')
      reassignOrders(context, ids, target)
    } else {
      const left = rules.usedStatusDeletable ? 0 : countReferencing(db, orders.status_id, ids)
      if (left > 0) return new HttpError(422, 'Not deleted. {count} orders are in these statuses.', { count: left })
    }
    recordTransitionChanges(db, ids, 'go', context.author)
  }

/** Writes to the history of other statuses that their transitions to these statuses are about to be deleted, or are restored. */
function recordTransitionChanges(db: Database, ids: number[], what: 'go' | 'are back', author: Author): void {
  const leading = and(whereIn(statusTransitions.child_status_id, ids), not(whereIn(statusTransitions.parent_status_id, ids)))
  const parents = db.selectDistinct({ id: statusTransitions.parent_status_id }).from(statusTransitions).where(leading).all()
  for (const { id } of parents) {
    const every = transitionsOf(db, id)
    const others = every.filter((row) => !ids.includes(row.child_status_id))
    const status = findStatus(db, id) as Status
    touch(db, statuses, status, status.name, { transitions: what === 'go' ? [every, others] : [others, every] }, author)
  }
}
