import { and, eq, getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { fold } from '../core/text.ts'
import { diffFields, logChange, reverseChanges, setReference } from './audit-log.ts'
import type { Database } from './open.ts'
import { prepareOnce } from './prepare-once.ts'
import type { Author, RecordTable } from './records.ts'
import { childReferences, tables } from './references.ts'
import { type RemovedRecord, type StoredRow, trash } from './schema/audit-log.ts'
import { withoutSecrets } from './trash-secrets.ts'
import { whereIn } from './where-in.ts'

export interface Removal {
  table: RecordTable
  list: string
  labelOf: (row: StoredRow) => string
}

/** The only function that deletes records: their own rows go with them, references elsewhere become null, and the trash keeps all of it. */
export function deleteRecords(db: Database, { table, list, labelOf }: Removal, ids: number[], author: Author): number {
  const entity = getTableName(table)
  const batch = { batch: crypto.randomUUID(), at: Date.now(), actor_id: author.id, actor_name: author.name, list, entity }
  const rows = db.select().from(table).where(whereIn(table.id, ids)).all() as StoredRow[]
  const deletion: DeletionBatch = { table, ids: new Set(rows.map((row) => row.id)), author }
  const trashIds = rows.map((row, at) => {
    const removed: RemovedRecord = { rows: [], references: [] }
    removeRow(db, table, row, removed, deletion)
    const label = labelOf(row)
    const record = {
      record_id: row.id,
      label,
      search: fold(label),
      facts: ownershipFacts(row),
      size: at === 0 ? rows.length : null,
      removed,
    }
    const fields = reverseChanges(diffFields(table, {}, row))
    logChange(db, { action: 'delete', entity, recordId: row.id as number, recordVersion: row.version as number, label, fields }, author)
    return insertIntoTrash(db).run({ ...batch, ...record }).lastInsertRowid
  })
  return Number(trashIds[0])
}

const insertIntoTrash = prepareOnce((db) => {
  const { id, restored_at, ...columns } = getTableColumns(trash)
  const values = Object.fromEntries(Object.keys(columns).map((name) => [name, sql.placeholder(name)]))
  return db
    .insert(trash)
    .values(values as never)
    .prepare()
})

function ownershipFacts(row: StoredRow): StoredRow {
  return Object.fromEntries(
    Object.entries(row).filter(([name, value]) => typeof value === 'boolean' || name === 'id' || name.endsWith('_id')),
  )
}

interface DeletionBatch {
  table: SQLiteTable
  ids: ReadonlySet<unknown>
  author: Author
}

function removeRow(db: Database, table: SQLiteTable, row: StoredRow, removed: RemovedRecord, deletion: DeletionBatch): void {
  removed.rows.push({ table: getTableName(table), row: withoutSecrets(table, row) })
  const { pointing, remove } = statements(db).get(getTableName(table)) as Statements
  for (const reference of pointing) {
    const value = row[reference.target]
    if (reference.cascades)
      for (const child of reference.rows.all({ value })) removeRow(db, reference.table, child as StoredRow, removed, deletion)
    else clearReference(db, reference, value, removed, deletion)
  }
  remove.run(row)
}

function clearReference(
  db: Database,
  { table, column, rows }: Reference,
  value: unknown,
  removed: RemovedRecord,
  deletion: DeletionBatch,
): void {
  const own = table === deletion.table ? deletion.ids : new Set()
  const ids = rows.all({ value }).flatMap(({ id }) => (own.has(id) ? [] : [id as number]))
  if (ids.length === 0) return
  removed.references.push({ table: getTableName(table), column: column.name, value, ids })
  setReference(db, { table, column, ids, value: [value, null], author: deletion.author })
}

type Reference = Statements['pointing'][number]
type Statements = ReturnType<typeof prepareStatements>

const statements = prepareOnce((db) => new Map(tables.map((table) => [getTableName(table), prepareStatements(db, table)])))

function prepareStatements(db: Database, table: SQLiteTable) {
  const pointing = childReferences(table).map((reference) => ({ ...reference, rows: prepareRows(db, reference) }))
  return { pointing, remove: db.delete(table).where(primaryKeyCondition(table)).prepare() }
}

function prepareRows(db: Database, { table, column, cascades }: ReturnType<typeof childReferences>[number]) {
  const columns = getTableColumns(table)
  const wanted = cascades ? columns : { id: columns.id as SQLiteColumn }
  return db
    .select(wanted)
    .from(table)
    .where(eq(column, sql.placeholder('value')))
    .prepare()
}

function primaryKeyCondition(table: SQLiteTable): SQL | undefined {
  const { id } = getTableColumns(table)
  const key = id ? [id] : (getTableConfig(table).primaryKeys[0]?.columns ?? [])
  return and(...key.map((column) => eq(column, sql.placeholder(column.name))))
}
