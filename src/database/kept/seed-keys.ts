import { anyChanged, type Statement, trigger } from './statement.ts'

const named = { statuses: 'name', status_transitions: 'action_name', permission_sets: 'name' }

/** What is renamed is no seed any more, whoever renames it. */
export const seedKeys: Statement[] = Object.entries(named).map(([table, column]) =>
  trigger(
    `${table}_renamed`,
    `AFTER UPDATE OF ${column} ON ${table} WHEN ${anyChanged([column])}`,
    `UPDATE ${table} SET seed_key = NULL WHERE id = new.id`,
  ),
)
