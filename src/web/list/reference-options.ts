import { sql } from 'drizzle-orm'
import type { categories, Database, manufactures, stocks } from '../../database/index.ts'
import { unlimited } from './rows.ts'

/** Records of a reference list as the options of a filter. */
export function referenceOptions(db: Database, table: typeof stocks | typeof manufactures | typeof categories, limit = unlimited) {
  const rows = { value: sql<string>`cast(${table.id} as text)`, label: table.name }
  return db.select(rows).from(table).orderBy(table.search, table.id).limit(limit).all()
}
