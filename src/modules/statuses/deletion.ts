import { eq } from 'drizzle-orm'
import { countPointing } from '../../database/among.ts'
import type { Database } from '../../database/open.ts'
import type { Misfit } from '../../database/restoring.ts'
import { orders, type StoredRow, statuses, statusTransitions } from '../../database/schema/index.ts'
import type { Deletion } from '../../web/list/deletion.ts'
import type { List } from '../../web/list/state.ts'
import { may } from './access.ts'
import { findStatus, type Status, statusLabel } from './status.ts'

export function statusDeletion(list: List<Status>): Deletion<Status> {
  return {
    list,
    table: statuses,
    rule: may.delete,
    find: findStatus,
    labelOf: statusLabel,
    question: 'Delete {count} statuses?',
    done: '{count} statuses deleted.',
    consequences: (db, ids) => [
      ['{count} orders will be left without a status.', countPointing(db, orders.status_id, ids)],
      ['{count} ways from there will be deleted too.', countPointing(db, statusTransitions.parent_status_id, ids)],
      ['{count} ways that lead there will be deleted too.', countPointing(db, statusTransitions.child_status_id, ids)],
    ],
    objections: (db, rows) => rows.filter((row) => isPlaceTaken(db, row)).map(hasTakenPlace),
  }
}

/** The statuses were put into another order meanwhile, or a new one stands in its place. */
function isPlaceTaken(db: Database, { index }: StoredRow): boolean {
  return (
    db
      .select()
      .from(statuses)
      .where(eq(statuses.index, index as number))
      .get() !== undefined
  )
}

const hasTakenPlace = (row: StoredRow): Misfit => ({ reason: 'taken', label: statusLabel(row), table: 'statuses', columns: ['index'] })
