import { sql } from 'drizzle-orm'
import { index, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { belongsTo, id, refersTo, timestamp, trashedRows } from './columns.ts'
import { policies } from './policies.ts'
import { users } from './users.ts'

/** Of a partial index, which serves only queries that say the same. */
export const isOpenRequest = sql`state = 'open'`

export const accessRequests = sqliteTable(
  'access_requests',
  {
    id: id(),
    user_id: belongsTo(() => users.id),
    policy_id: belongsTo(() => policies.id),
    note: text().notNull().default(''),
    created_at: timestamp().notNull(),
    state: text({ enum: ['open', 'granted', 'declined'] })
      .notNull()
      .default('open'),
    decided_by: refersTo(() => users.id),
    decided_at: timestamp(),
  },
  (table) => [
    uniqueIndex('access_requests_open').on(table.user_id, table.policy_id).where(isOpenRequest),
    index('access_requests_user').on(table.user_id, table.id),
    index('access_requests_policy').on(table.policy_id),
    index('access_requests_decider').on(table.decided_by),
    index('access_requests_state').on(table.state, table.id),
  ],
)

trashedRows(accessRequests)
