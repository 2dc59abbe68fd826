import { and, asc, eq, getTableColumns, getTableName, gt, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from './open.ts'
import { findRules, rulesOf, tableByName, tables } from './references.ts'
import type { StoredRow } from './schema/audit-log.ts'
import { type RemovedRecord, trash } from './schema/trash.ts'

export function withoutSecrets(table: SQLiteTable, row: StoredRow): StoredRow {
  const columns = getTableColumns(table)
  const blanks = [...rulesOf(table).secret].map((name) => [name, columns[name]?.notNull ? '' : null])
  return { ...row, ...Object.fromEntries(blanks) }
}

export function removeSecretsFromTrash(db: Database): void {
  for (let batch = readBatch(db, 0); batch.length > 0; batch = readBatch(db, batch.at(-1)?.id ?? 0))
    for (const { id, removed } of batch)
      db.update(trash)
        .set({ removed: { ...removed, rows: removed.rows.map(clean) } })
        .where(eq(trash.id, id))
        .run()
}

const clean = ({ table, row }: RemovedRecord['rows'][number]) => ({ table, row: withoutSecrets(tableByName(table), row) })

function readBatch(db: Database, after: number) {
  return db
    .select({ id: trash.id, removed: trash.removed })
    .from(trash)
    .where(and(gt(trash.id, after), or(...tables.filter((table) => findRules(table)?.secret.size).map(mentions))))
    .orderBy(asc(trash.id))
    .limit(100)
    .all()
}

const mentions = (table: SQLiteTable): SQL => sql`instr(${trash.removed}, ${`"table":"${getTableName(table)}"`}) > 0`
