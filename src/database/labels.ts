import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { companies, orders, users } from './schema/index.ts'

/** What people call a record of a table that is not called by its `name`. */
const labels: Record<string, SQL> = {
  [getTableName(users)]: sql`concat_ws(' ', ${users.lastname}, ${users.name}, ${users.middlename})`,
  [getTableName(companies)]: sql`${companies.org}`,
  [getTableName(orders)]: sql`concat('#', ${orders.id}, ' (' || ${orders.specification_number} || ')')`,
}

/** What people call a record of this table, as an expression over its row. */
export function labelOf(table: SQLiteTable): SQL {
  return labels[getTableName(table)] ?? sql`${getTableColumns(table).name}`
}
