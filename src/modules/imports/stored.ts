import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import { type Database, imports, type RowResult, type SheetRow } from '../../database/index.ts'
import type { FindRecord } from '../../web/http.ts'

/** Without its rows and results: they are large, and the import itself is read for each slice. */
export type Import = Omit<typeof imports.$inferSelect, 'rows' | 'results'>

const { rows, results, ...head } = getTableColumns(imports)

/** Only its owner finds an import. */
export const findImport: FindRecord<Import> = (db, id, actor) => {
  const own = and(eq(imports.id, id), eq(imports.user_id, actor?.id ?? 0))
  return db.select(head).from(imports).where(own).get()
}

export function readRows(db: Database, id: number): SheetRow[] {
  return db.select({ rows }).from(imports).where(eq(imports.id, id)).get()?.rows ?? []
}

export function countRows(db: Database, id: number): number {
  const length = sql<number>`json_array_length(${rows})`
  return db.select({ length }).from(imports).where(eq(imports.id, id)).get()?.length ?? 0
}

/** What was done with each row; nothing before the import is saved. */
export function readResults(db: Database, id: number): RowResult[] | null {
  return db.select({ results }).from(imports).where(eq(imports.id, id)).get()?.results ?? null
}
