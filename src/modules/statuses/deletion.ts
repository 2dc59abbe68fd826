import { countPointing } from '../../database/among.ts'
import { orders, statuses, statusTransitions } from '../../database/schema/index.ts'
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
  }
}
