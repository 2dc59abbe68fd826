import { getTableColumns, getTableName } from 'drizzle-orm'
import { type Author, diffFields, logChange, type RecordTable } from './audit-log.ts'
import type { Database } from './open.ts'
import { prepareText } from './prepare-once.ts'
import type { ChangedFields } from './schema/audit-log.ts'

export type { Author, RecordTable } from './audit-log.ts'

type Values = Record<string, unknown>

/** Inserts a record and its change history. Call it inside `write`. */
export function createRecord(
  db: Database,
  table: RecordTable,
  values: Values,
  label: string | ((id: number) => string),
  author: Author,
  addRows: (id: number) => ChangedFields = () => ({}),
): number {
  const recordId = insertColumns(db, table, values)
  const fields = { ...diffFields(table, {}, values), ...addRows(recordId) }
  const name = typeof label === 'string' ? label : label(recordId)
  logChange(db, { action: 'create', entity: getTableName(table), recordId, recordVersion: 1, label: name, fields }, author)
  return recordId
}

/** Saves the fields that differ, raises the version and writes the history; does nothing when nothing differs. Call it inside `write`. */
export function updateRecord(
  db: Database,
  table: RecordTable,
  before: Values & { id: number; version: number },
  values: Values,
  label: string,
  author: Author,
  rows: ChangedFields = {},
): ChangedFields {
  const fields = { ...diffFields(table, before, values), ...rows }
  if (Object.keys(fields).length === 0) return fields
  const recordVersion = before.version + 1
  updateColumns(db, table, before.id, { ...values, version: recordVersion, updated_at: Date.now() })
  logChange(db, { action: 'update', entity: getTableName(table), recordId: before.id, recordVersion, label, fields }, author)
  return fields
}

/** Preparing a statement takes longer than running it, with all the triggers it fires, and forms save the same columns all day. */
function insertColumns(db: Database, table: RecordTable, values: Values): number {
  const given = givenColumns(table, values)
  const names = given.map(({ name }) => `"${name}"`).join()
  const text = `insert into "${getTableName(table)}" (${names}) values (${given.map(() => '?').join()})`
  return Number(prepareText(db, text).run(...given.map(({ value }) => value)).lastInsertRowid)
}

function updateColumns(db: Database, table: RecordTable, id: number, values: Values): void {
  const given = givenColumns(table, values)
  const assignments = given.map(({ name }) => `"${name}" = ?`).join()
  prepareText(db, `update "${getTableName(table)}" set ${assignments} where id = ?`).run(...given.map(({ value }) => value), id)
}

function givenColumns(table: RecordTable, values: Values): { name: string; value: unknown }[] {
  const columns = getTableColumns(table)
  return Object.entries(values).flatMap(([name, value]) => {
    const column = value === undefined ? undefined : columns[name]
    return column ? [{ name, value: value === null ? null : column.mapToDriverValue(value) }] : []
  })
}
