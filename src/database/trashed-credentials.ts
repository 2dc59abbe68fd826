import { and, eq, getTableColumns, getTableName, isNull, notExists, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { whereIn } from './conditions.ts'
import { insertRows } from './insert-rows.ts'
import type { Database } from './open.ts'
import { tableByName } from './references.ts'
import type { StoredRow } from './schema/audit-log.ts'
import { type RemovedRecord, trash, trashedCredentials } from './schema/trash.ts'

/** Puts rows aside that are about to be deleted with their record, the first row of what is removed with it. */
export function trashCredentials(db: Database, table: SQLiteTable, owned: { row: StoredRow; removed: RemovedRecord }[]): void {
  for (const { row, removed } of owned) {
    const [record] = removed.rows as [RemovedRecord['rows'][number]]
    db.insert(trashedCredentials)
      .values({ entity: record.table, record_id: record.row.id as number, table: getTableName(table), row })
      .run()
  }
}

/** Puts back what was kept of records that have just been restored. */
export function restoreCredentials(db: Database, entity: string, recordIds: number[]): void {
  const theirs = and(eq(trashedCredentials.entity, entity), whereIn(trashedCredentials.record_id, recordIds))
  for (const { table: name, row } of db.select().from(trashedCredentials).where(theirs).orderBy(trashedCredentials.id).all()) {
    const table = tableByName(name)
    const columns = Object.keys(getTableColumns(table)).filter((column) => column in row)
    insertRows(db, table, columns, [row])
  }
  db.delete(trashedCredentials).where(theirs).run()
}

/** Deletes what can no longer be restored. */
export function deleteUnrestorableCredentials(db: Database): void {
  const waiting = and(
    eq(trash.entity, trashedCredentials.entity),
    eq(trash.record_id, trashedCredentials.record_id),
    isNull(trash.restored_at),
  )
  db.delete(trashedCredentials)
    .where(notExists(db.select({ one: sql`1` }).from(trash).where(waiting)))
    .run()
}
