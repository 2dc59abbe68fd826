import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What the entries of a company with days in a month (`YYYY-MM`) add to its balance, maintained by triggers. Payments are less what was paid back. */
export const ledgerTallies = sqliteTable(
  'ledger_tallies',
  {
    company_id: integer().notNull(),
    month: text().notNull(),
    charges: integer().notNull(),
    payments: integer().notNull(),
    corrections: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.company_id, table.month] })],
)
