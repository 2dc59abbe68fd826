import { and, asc, eq, notInArray } from 'drizzle-orm'
import type { Flag } from '../../core/transition.ts'
import type { Database } from '../../database/open.ts'
import { statusTransitions } from '../../database/schema/index.ts'

export interface TransitionRow extends Record<Flag, boolean> {
  id?: number
  child_status_id: number
  required_fields: string[]
  forced_fields: string[]
}

/** The ways from a status, in the order they were entered. */
export function transitionsOf(db: Database, statusId: number): TransitionRow[] {
  const { id, child_status_id, required_fields, forced_fields } = statusTransitions
  const { dealer_can, manager_can, production_can, dealers_can, managers_can, productions_can } = statusTransitions
  const performers = { dealer_can, manager_can, production_can, dealers_can, managers_can, productions_can }
  return db
    .select({ id, child_status_id, required_fields, forced_fields, ...performers })
    .from(statusTransitions)
    .where(eq(statusTransitions.parent_status_id, statusId))
    .orderBy(asc(id))
    .all()
}

/**
 * Makes these the ways from a status; rows keep their identity. Call it inside `write`.
 * @returns the rows before and after, for the change history
 */
export function saveTransitions(db: Database, statusId: number, rows: TransitionRow[]): [TransitionRow[], TransitionRow[]] {
  const before = transitionsOf(db, statusId)
  const kept = rows.flatMap(({ id }) => id ?? [])
  const own = eq(statusTransitions.parent_status_id, statusId)
  db.delete(statusTransitions)
    .where(and(own, notInArray(statusTransitions.id, kept)))
    .run()
  for (const { id, ...row } of rows) {
    if (id)
      db.update(statusTransitions)
        .set(row)
        .where(and(own, eq(statusTransitions.id, id)))
        .run()
    else
      db.insert(statusTransitions)
        .values({ parent_status_id: statusId, ...row })
        .run()
  }
  return [before, transitionsOf(db, statusId)]
}
