import type { RestoreConflict } from '../../database/restore-records.ts'
import { companies, orders, type StoredRow, users } from '../../database/schema/index.ts'
import { countReferencing } from '../../database/where-in.ts'
import type { Deletion } from '../../web/list/deletion.ts'
import type { List } from '../../web/list/state.ts'
import { ensureSuperadministratorRemains, isEmailTaken, type User, userLabel } from './accounts.ts'
import type { UserRow, UserType } from './user-type.ts'

/** Deletes users; orders, companies and dealers that referred to them stay, without the reference. */
export function userDeletion(userType: UserType, list: List<UserRow>): Deletion<User> {
  return {
    list,
    table: users,
    rule: userType.may.delete,
    find: userType.find,
    factsOf: userType.factsOf,
    single: !userType.bulk,
    labelOf: userLabel,
    question: userType.question,
    done: userType.done,
    consequences: (db, ids) => [
      ['{count} orders will have no dealer.', countReferencing(db, orders.dealer_id, ids)],
      ['{count} companies will have no manager.', countReferencing(db, companies.manager_id, ids)],
      ['{count} dealers will have no manager.', countReferencing(db, users.manager_id, ids)],
    ],
    ...userType.deletion,
    before: (request, ids, body) => {
      ensureSuperadministratorRemains(request.server.db, ids)
      return userType.deletion?.before?.(request, ids, body)
    },
    restoreConflicts: (db, rows) => rows.filter((row) => isEmailTaken(db, row.email as string)).map(toEmailConflict),
  }
}

const toEmailConflict = (row: StoredRow): RestoreConflict => ({
  reason: 'taken',
  label: userLabel(row),
  table: 'users',
  columns: ['email'],
})
