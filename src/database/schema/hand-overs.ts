import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { actorColumns, id, refersTo, timestamp, trashedRows } from './columns.ts'
import { users } from './users.ts'

/** What a manager handed over for good, and to whom; to nobody where there is no name. */
export const handOvers = sqliteTable(
  'hand_overs',
  {
    id: id(),
    from_id: refersTo(() => users.id),
    from_name: text().notNull(),
    to_id: refersTo(() => users.id),
    to_name: text(),
    /** Their ids. */
    companies: text({ mode: 'json' }).$type<number[]>().notNull(),
    dealers: text({ mode: 'json' }).$type<number[]>().notNull(),
    at: timestamp().notNull(),
    ...actorColumns,
    undone_at: timestamp(),
  },
  (table) => [index('hand_overs_from').on(table.from_id), index('hand_overs_to').on(table.to_id)],
)

trashedRows(handOvers)
