import { index, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { PolicyKey } from '../../core/policies.ts'
import { belongsTo, flag, id, trashedRows } from './columns.ts'
import { users } from './users.ts'

export const policies = sqliteTable('policies', {
  id: id(),
  key: text().$type<PolicyKey>().notNull().unique(),
  name: text().notNull(),
  category: text().notNull(),
  description: text().notNull().default(''),
})

export const userPolicies = sqliteTable(
  'user_policies',
  {
    user_id: belongsTo(() => users.id),
    policy_id: belongsTo(() => policies.id),
    value: flag(false),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.policy_id] }), index('user_policies_policy').on(table.policy_id)],
)

trashedRows(userPolicies)
