import { getTableColumns, getTableName } from 'drizzle-orm'
import { type Author, diffFields, logChange, type RecordTable, type RecordValues, type StoredRecord } from './audit-log.ts'
import { driverValues, insertRows } from './insert-rows.ts'
import type { Database } from './open.ts'
import { prepareText } from './prepare-once.ts'
import type { ChangedFields, StoredRow } from './schema/audit-log.ts'

export type { Author, RecordTable } from './audit-log.ts'

/** Refuses names that are no columns, which a spread value would carry unnoticed. */
type ColumnsOnly<T extends RecordTable, V> = { [Name in Exclude<keyof V, ColumnName<T>>]: never }
type ColumnName<T extends RecordTable> = T extends unknown ? keyof T['$inferInsert'] : never

/**
 * Inserts a record and its change history. Call it inside `write`.
 * @param values what the columns hold; a name that is no column does not compile
 * @param label what the history calls the record
 * @param addRows inserts what belongs to the record and returns it as further changed fields
 * @returns the new record's id
 */
export function createRecord<T extends RecordTable, V extends T['$inferInsert']>(
  db: Database,
  table: T,
  values: V & ColumnsOnly<T, V>,
  label: string | ((id: number) => string),
  author: Author,
  addRows: (id: number) => ChangedFields = () => ({}),
): number {
  const record_id = insertRows(db, table, givenColumns(table, values), [values])
  const fields = { ...diffFields(table, {}, values), ...addRows(record_id) }
  const name = typeof label === 'string' ? label : label(record_id)
  logChange(db, { action: 'create', entity: getTableName(table), record_id, record_version: 1, label: name, fields }, author)
  return record_id
}

/**
 * Saves the fields that differ, raises the version and writes the history; does nothing when nothing differs. Call it inside `write`.
 * @param before the record as it is stored now
 * @param values what columns are to hold; a name that is no column does not compile
 * @param rows further changed fields, of rows that belong to the record and are saved already
 * @returns what differed, each with the value before and after
 */
export function updateRecord<T extends RecordTable, V extends RecordValues<T>>(
  db: Database,
  table: T,
  before: StoredRecord<T>,
  values: V & ColumnsOnly<T, V>,
  label: string,
  author: Author,
  rows: ChangedFields = {},
): ChangedFields {
  const fields = { ...diffFields(table, before, values), ...differencesOf(rows) }
  if (Object.keys(fields).length === 0) return fields
  const record_version = before.version + 1
  updateColumns(db, table, before.id, { ...values, version: record_version, updated_at: Date.now() })
  logChange(db, { action: 'update', entity: getTableName(table), record_id: before.id, record_version, label, fields }, author)
  return fields
}

/** Of rows, those that are not the same before and after. */
export function differencesOf(rows: ChangedFields): ChangedFields {
  return Object.fromEntries(Object.entries(rows).filter(([, [was, is]]) => JSON.stringify(was) !== JSON.stringify(is)))
}

/** Preparing a statement takes longer than running it, with all the triggers it fires, and forms save the same columns all day. */
function updateColumns(db: Database, table: RecordTable, id: number, values: StoredRow): void {
  const names = givenColumns(table, values)
  const assignments = names.map((name) => `"${name}" = ?`).join()
  prepareText(db, `update "${getTableName(table)}" set ${assignments} where id = ?`).run(...driverValues(table, names, values), id)
}

function givenColumns(table: RecordTable, values: StoredRow): string[] {
  return Object.keys(getTableColumns(table)).filter((name) => values[name] !== undefined)
}
