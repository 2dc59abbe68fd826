import { and, asc, eq, getTableName, not, notInArray } from 'drizzle-orm'
import type { Flag } from '../../core/transition.ts'
import { among } from '../../database/among.ts'
import { logChange } from '../../database/journal.ts'
import type { Database } from '../../database/open.ts'
import type { Author } from '../../database/records.ts'
import { type ChangedFields, statuses, statusTransitions } from '../../database/schema/index.ts'
import { findStatus, type Status } from './status.ts'

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
 * Takes the ways that lead to some statuses from all others, with their history: those statuses are about to go.
 * Call it inside `write`; the rows themselves go with the statuses, so that the bin keeps them.
 */
export function forgetWaysTo(db: Database, ids: number[], author: Author): void {
  const leading = and(among(statusTransitions.child_status_id, ids), not(among(statusTransitions.parent_status_id, ids)))
  const parents = db.selectDistinct({ id: statusTransitions.parent_status_id }).from(statusTransitions).where(leading).all()
  for (const { id } of parents) {
    const before = transitionsOf(db, id)
    const after = before.filter((row) => !ids.includes(row.child_status_id))
    raiseVersion(db, findStatus(db, id) as Status, { transitions: [before, after] }, author)
  }
}

/** It lost something by what happened to another: like an emptied reference, that leaves the time of its own last change alone. */
function raiseVersion(db: Database, { id, version, name }: Status, fields: ChangedFields, author: Author): void {
  const recordVersion = version + 1
  db.update(statuses).set({ version: recordVersion }).where(eq(statuses.id, id)).run()
  logChange(db, { action: 'update', entity: getTableName(statuses), recordId: id, recordVersion, label: name, fields }, author)
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
