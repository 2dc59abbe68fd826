import { eq, getTableColumns, getTableName, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { searchText } from '../core/text.ts'
import { insertRows } from './insert-rows.ts'
import type { Database } from './open.ts'
import { labelOf, rulesOf } from './references.ts'
import { type Author, type ChangedFields, changes, type StoredRow } from './schema/audit-log.ts'

export type { Author } from './schema/audit-log.ts'

export type RecordTable = SQLiteTable & Record<'id' | 'version' | 'updated_at', SQLiteColumn>

/** A whole row of a record's table. */
export type StoredRecord<T extends RecordTable> = T['$inferSelect'] & VersionedRecord

/** Values for some columns of a record's table. */
export type RecordValues<T extends RecordTable> = Partial<T['$inferInsert']>

export const systemName = 'The cabinet'

type Change = typeof changes.$inferInsert
type AuditEntry = Pick<Change, 'action' | 'entity' | 'record_id' | 'record_version' | 'label' | 'fields'> & { at?: number }

/** Writes one entry of the change history. Call it in the transaction of the change. */
export function logChange(db: Database, entry: AuditEntry, author: Author): void {
  logChanges(db, [entry], author)
}

/** One statement for all of them: the search index is written once per statement. */
export function logChanges(db: Database, entries: AuditEntry[], author: Author): void {
  const by = { ...authorColumns(author), at: Date.now(), address: author.address ?? null }
  const rows = entries.map((entry) => ({ ...by, ...entry, search: searchText(entry.label, author.name, author.impersonator?.name) }))
  insertRows(db, changes, changeColumns, rows)
}

interface RowChange {
  action: Exclude<Change['action'], 'restore'>
  id: number
  label: string
  before?: StoredRow
  after?: StoredRow
}

/** Writes the history of a record that has no versions. Call it in the transaction of the change. */
export function logRow(db: Database, table: SQLiteTable, { action, id, label, before = {}, after = {} }: RowChange, author: Author): void {
  const fields = action === 'delete' ? reverseChanges(diffFields(table, {}, before)) : diffFields(table, before, after)
  logChange(db, { action, entity: getTableName(table), record_id: id, record_version: 1, label, fields }, author)
}

const changeColumns = Object.keys(getTableColumns(changes)).filter((name) => name !== 'id')

/**
 * Raises the version of a record that changed because another one did, so that open forms notice, and writes its history; its own
 * update time stays.
 */
export function touch(db: Database, table: RecordTable, record: VersionedRecord, label: string, fields: ChangedFields, author: Author) {
  const record_version = record.version + 1
  db.update(table).set({ version: record_version }).where(eq(table.id, record.id)).run()
  logChange(db, { action: 'update', entity: getTableName(table), record_id: record.id, record_version, label, fields }, author)
}

type VersionedRecord = Record<'id' | 'version', number>

interface ReferenceChange {
  table: SQLiteTable
  column: SQLiteColumn
  changes: ReferenceValue[]
  author: Author
}

export type ReferenceValue = [id: number, before: unknown, after: unknown]

export function setReferences(db: Database, { table, column, changes: values, author }: ReferenceChange): void {
  if (values.length === 0) return
  const { id, version } = getTableColumns(table) as RecordTable
  const given = sql`json_each(${JSON.stringify(values)}) as given`
  const raised = version ? sql`, version = ${version} + 1` : sql``
  db.run(sql`update ${table} set ${sql.identifier(column.name)} = given.value ->> 2${raised} from ${given} where ${id} = given.value ->> 0`)
  if (!version) return
  const { actor_id, actor_name, impersonator_id, impersonator_name } = authorColumns(author)
  const label = labelOf(table)
  db.run(sql`insert into ${changes} (at, actor_id, actor_name, impersonator_id, impersonator_name, address,
      action, entity, record_id, record_version, label, search, fields)
    select ${Date.now()}, ${actor_id}, ${actor_name}, ${impersonator_id}, ${impersonator_name}, ${author.address ?? null},
      'update', ${getTableName(table)}, ${id}, ${version}, ${label}, fold(concat_ws(char(10), ${label}, ${actor_name}, ${impersonator_name})),
      json_object(${column.name}, json_array(given.value ->> 1, given.value ->> 2))
    from ${given} cross join ${table} where ${id} = given.value ->> 0`)
}

/** Who did something, and in whose name, as history, ledger and steps hold it. */
export function authorColumns({ id, name, impersonator }: Author) {
  return { actor_id: id, actor_name: name, impersonator_id: impersonator?.id ?? null, impersonator_name: impersonator?.name ?? null }
}

export function diffFields(table: SQLiteTable, before: StoredRow, values: StoredRow): ChangedFields {
  const { derived, secret } = rulesOf(table)
  const fields: ChangedFields = {}
  for (const [name, after] of Object.entries(values)) {
    const old = before[name] ?? null
    if (derived.has(name) || isSame(old, after ?? null)) continue
    fields[name] = secret.has(name) ? [null, null] : [old, after ?? null]
  }
  return fields
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
}

export function reverseChanges(fields: ChangedFields): ChangedFields {
  return Object.fromEntries(Object.entries(fields).map(([name, [before, after]]) => [name, [after, before]]))
}
