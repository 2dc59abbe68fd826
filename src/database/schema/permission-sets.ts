import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { PolicyKey } from '../../core/policies.ts'
import { ephemeralRows, id, seedColumn } from './columns.ts'

/** Templates for granting rights; the rights of a user are in `user_policies` alone. */
export const permissionSets = sqliteTable('permission_sets', {
  id: id(),
  name: text().notNull().unique(),
  ...seedColumn,
  keys: text({ mode: 'json' }).$type<PolicyKey[]>().notNull(),
})

ephemeralRows(permissionSets)
