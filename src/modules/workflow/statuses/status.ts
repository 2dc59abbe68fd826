import { and, asc, eq, notInArray, sql } from 'drizzle-orm'
import { anyOf, has, type Rule } from '../../../core/access.ts'
import { isCanceled } from '../../../core/payments.ts'
import { type Database, statuses, statusTransitions } from '../../../database/index.ts'
import { ValidationFailed } from '../../../http/request/errors.ts'
import type { FindRecord } from '../../../http/request/route-policy.ts'

export type Status = typeof statuses.$inferSelect

/** One policy governs everything about statuses (specification, Authentication, point 3). */
const manage = anyOf<Status>(has('status_can_view'))

export const statusAccess = { list: manage, view: manage, add: manage, edit: manage, delete: manage } satisfies Record<string, Rule<Status>>

/** Addresses name a status by its id or its key. */
export const findStatus: FindRecord<Status> = (db, id, _actor, key) =>
  key === undefined ? db.select().from(statuses).where(eq(statuses.id, id)).get() : findStatusByKey(db, key)

export function findStatusByKey(db: Database, key: string): Status | undefined {
  return db.select().from(statuses).where(hasKey(key)).get()
}

export const hasKey = (key: string) => sql`fold(${statuses.status_key}) = fold(${key})`

export function allStatuses(db: Database): Status[] {
  return db.select().from(statuses).orderBy(asc(statuses.index), asc(statuses.id)).all()
}

export function statusLabel(row: object): string {
  return (row as Status).name
}

type TransitionRow = Omit<typeof statusTransitions.$inferSelect, 'id' | 'parent_status_id' | 'seed_key'> & { id?: number }

export function transitionsOf(db: Database, statusId: number): TransitionRow[] {
  const { id, child_status_id, action_name, required_fields, forced_fields, issues, min_paid, within_limit, when_paid } = statusTransitions
  const { dealer_can, manager_can, production_can, dealers_can, managers_can, productions_can } = statusTransitions
  const performers = { dealer_can, manager_can, production_can, dealers_can, managers_can, productions_can }
  const all = db
    .select({ id, child_status_id, action_name, required_fields, forced_fields, issues, min_paid, within_limit, when_paid, ...performers })
    .from(statusTransitions)
  return all.where(eq(statusTransitions.parent_status_id, statusId)).orderBy(asc(id)).all()
}

/**
 * Of the transitions from a status one at most is made when an order is paid, and none that calls it off or issues documents.
 * @throws ValidationFailed
 */
export function refuseMarks(db: Database, status: Pick<Status, 'due'>, rows: TransitionRow[]): void {
  const marked = [...rows.entries()].filter(([, { when_paid }]) => when_paid)
  const refuse = (at: number, message: string) => {
    throw new ValidationFailed({ [`transitions.${at}.when_paid`]: message })
  }
  const [first, second] = marked
  if (second) refuse(second[0], 'Only one transition of a status can be made once an order is paid.')
  if (!first) return
  if (isCanceled(status)) refuse(first[0], 'Orders in this status cease to be due: nobody pays for them.')
  if (isCanceled(findStatus(db, first[1].child_status_id)))
    refuse(first[0], 'A transition that cancels orders cannot be made automatically once they are paid.')
  if (first[1].issues?.length)
    refuse(first[0], 'Documents are issued by people: a transition that issues documents cannot be made automatically.')
}

/** Replaces the transitions from a status; rows keep their ids. Call it inside `write`. */
export function saveTransitions(db: Database, statusId: number, rows: TransitionRow[]): [TransitionRow[], TransitionRow[]] {
  const before = transitionsOf(db, statusId)
  const remaining = rows.flatMap(({ id }) => id ?? [])
  const own = eq(statusTransitions.parent_status_id, statusId)
  const removed = and(own, notInArray(statusTransitions.id, remaining))
  db.delete(statusTransitions).where(removed).run()
  for (const { id, ...row } of rows) {
    const stored = and(own, eq(statusTransitions.id, id ?? 0))
    const created = { parent_status_id: statusId, ...row }
    if (id) db.update(statusTransitions).set(row).where(stored).run()
    else db.insert(statusTransitions).values(created).run()
  }
  return [before, transitionsOf(db, statusId)]
}
