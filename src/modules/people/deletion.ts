import { countPointing } from '../../database/among.ts'
import type { Misfit } from '../../database/restoring.ts'
import { companies, orders, type StoredRow, users } from '../../database/schema/index.ts'
import type { Deletion } from '../../web/list/deletion.ts'
import type { List } from '../../web/list/state.ts'
import { isEmailTaken, keepOneSuperadministrator, personLabel, type User } from './accounts.ts'
import type { Kind, PersonRow } from './kind.ts'

/** How people are deleted: orders, companies and dealers that pointed at them stay, without them. */
export function kindDeletion(kind: Kind, list: List<PersonRow>): Deletion<User> {
  return {
    list,
    table: users,
    rule: kind.may.delete,
    find: kind.find,
    factsOf: kind.factsOf,
    single: !kind.bulk,
    labelOf: personLabel,
    question: kind.question,
    done: kind.done,
    consequences: (db, ids) => [
      ['{count} orders will be left without a dealer.', countPointing(db, orders.dealer_id, ids)],
      ['{count} companies will be left without a manager.', countPointing(db, companies.manager_id, ids)],
      ['{count} dealers will be left without a manager.', countPointing(db, users.manager_id, ids)],
    ],
    before: ({ server }, ids) => void keepOneSuperadministrator(server.db, ids),
    objections: (db, rows) => rows.filter((row) => isEmailTaken(db, row.email as string)).map(hasTakenEmail),
  }
}

const hasTakenEmail = (row: StoredRow): Misfit => ({ reason: 'taken', label: personLabel(row), table: 'users', columns: ['email'] })
