import { eq, getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { among } from './among.ts'
import type { Database } from './open.ts'
import { childReferences } from './references.ts'
import { bin, type ChangedFields, changes, type RemovedRecord, type StoredRow } from './schema/journal.ts'

/** Who writes, for the change history. */
export interface Author {
  id: number | null
  name: string
  impersonator?: { id: number; name: string }
  address?: string
}

/** A table whose records people edit: see `tracked` in the schema. */
export type RecordTable = SQLiteTable & Record<'id' | 'version' | 'updated_at', SQLiteColumn>

type Values = Record<string, unknown>

// What no history may ever hold, and what only machines read.
const secret = new Set(['password'])
const derived = new Set(['search', 'shown', 'excerpt', 'version', 'created_at', 'updated_at', 'last_auth'])

/**
 * Inserts a record with its change history. Call it inside `write`.
 * @param label how people call the record, kept in the history
 * @returns the new id
 */
export function createRecord(db: Database, table: RecordTable, values: Values, label: string, author: Author): number {
  const result = db.insert(table).values(values).run()
  const recordId = Number(result.lastInsertRowid)
  const fields = difference({}, values)
  logChange(db, { action: 'create', entity: getTableName(table), recordId, recordVersion: 1, label, fields }, author)
  return recordId
}

/**
 * Updates what differs of a record, raises its version and writes the history; nothing when nothing differs.
 * Call it inside `write`.
 * @param rows changes of the record's own rows (a repeater), already written by the caller: they raise the version too
 * @returns the fields that changed
 */
export function updateRecord(
  db: Database,
  table: RecordTable,
  before: Values & { id: number; version: number },
  values: Values,
  label: string,
  author: Author,
  rows: ChangedFields = {},
): ChangedFields {
  const fields = { ...difference(before, values), ...rows }
  if (Object.keys(fields).length === 0) return fields
  const recordVersion = before.version + 1
  db.update(table)
    .set({ ...values, version: recordVersion, updated_at: Date.now() })
    .where(eq(table.id, before.id))
    .run()
  logChange(db, { action: 'update', entity: getTableName(table), recordId: before.id, recordVersion, label, fields }, author)
  return fields
}

/**
 * The one function that deletes records. Their own rows go with them, references elsewhere become empty,
 * and the bin keeps all of it. Call it inside `write`.
 * @param labelOf how people call a record, from its row
 */
export function deleteRecords(db: Database, table: RecordTable, ids: number[], labelOf: (row: StoredRow) => string, author: Author): void {
  const entity = getTableName(table)
  const batch = crypto.randomUUID()
  const at = Date.now()
  for (const row of rowsWhere(db, table, among(table.id, ids))) {
    const removed: RemovedRecord = { rows: [], references: [] }
    removeRow(db, table, row, removed, author)
    const label = labelOf(row)
    const recordId = row.id as number
    db.insert(bin).values({ batch, at, actor_id: author.id, actor_name: author.name, entity, record_id: recordId, label, removed }).run()
    const fields = Object.fromEntries(Object.entries(difference({}, row)).map(([name, [, old]]) => [name, [old, null]])) as ChangedFields
    logChange(db, { action: 'delete', entity, recordId, recordVersion: row.version as number, label, fields }, author)
  }
}

function removeRow(db: Database, table: SQLiteTable, row: StoredRow, removed: RemovedRecord, author: Author): void {
  removed.rows.push({ table: getTableName(table), row })
  for (const reference of childReferences(table)) {
    const pointing = eq(reference.column, row[reference.target])
    if (reference.cascades)
      for (const child of rowsWhere(db, reference.table, pointing)) removeRow(db, reference.table, child, removed, author)
    else emptyReference(db, reference, row[reference.target], removed, author)
  }
  const own = getTableColumns(table)
  const key = own.id
    ? eq(own.id, row.id)
    : sql.join(
        Object.entries(own).map(([name, column]) => eq(column, row[name])),
        sql` and `,
      )
  db.delete(table).where(key).run()
}

type Reference = ReturnType<typeof childReferences>[number]

function emptyReference(db: Database, { table, column }: Reference, value: unknown, removed: RemovedRecord, author: Author): void {
  const { id, version } = getTableColumns(table) as Partial<RecordTable>
  if (!id) return
  const ids = db
    .select({ id })
    .from(table)
    .where(eq(column, value))
    .all()
    .map((row) => row.id as number)
  if (ids.length === 0) return
  removed.references.push({ table: getTableName(table), column: column.name, value, ids })
  db.update(table)
    .set({ [column.name]: null, ...(version && { version: sql`${version} + 1` }) })
    .where(eq(column, value))
    .run()
  if (version) logEmptied(db, table as RecordTable, column, value, ids, author)
}

/** One history entry for each record that lost a reference, written by the database itself: there may be thousands. */
function logEmptied(db: Database, table: RecordTable, column: SQLiteColumn, value: unknown, ids: number[], author: Author): void {
  const fields = JSON.stringify({ [column.name]: [value, null] } satisfies ChangedFields)
  db.run(sql`insert into changes (at, actor_id, actor_name, impersonator_id, impersonator_name, address, action, entity, record_id, record_version, label, fields)
    select ${Date.now()}, ${author.id}, ${author.name}, ${author.impersonator?.id ?? null}, ${author.impersonator?.name ?? null}, ${author.address ?? null},
      'update', ${getTableName(table)}, ${table.id}, ${table.version}, '', ${fields} from ${table}
    where ${among(table.id, ids)}`)
}

function rowsWhere(db: Database, table: SQLiteTable, where: SQL | undefined): StoredRow[] {
  return db.select().from(table).where(where).all() as StoredRow[]
}

interface Change {
  action: (typeof changes.$inferInsert)['action']
  entity: string
  recordId: number
  recordVersion: number
  label: string
  fields: ChangedFields
}

function logChange(db: Database, change: Change, author: Author): void {
  db.insert(changes)
    .values({
      at: Date.now(),
      actor_id: author.id,
      actor_name: author.name,
      impersonator_id: author.impersonator?.id,
      impersonator_name: author.impersonator?.name,
      address: author.address,
      action: change.action,
      entity: change.entity,
      record_id: change.recordId,
      record_version: change.recordVersion,
      label: change.label,
      fields: change.fields,
    })
    .run()
}

/** What the values change; a secret is named without being told. */
function difference(before: Values, values: Values): ChangedFields {
  const fields: ChangedFields = {}
  for (const [name, after] of Object.entries(values)) {
    const old = before[name] ?? null
    if (derived.has(name) || JSON.stringify(old) === JSON.stringify(after ?? null)) continue
    fields[name] = secret.has(name) ? [null, null] : [old, after ?? null]
  }
  return fields
}
