import type Sqlite from 'better-sqlite3'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type * as schema from './schema/index.ts'

export type Database = BetterSQLite3Database<typeof schema> & { $client: Sqlite.Database }
