import { eq, getTableColumns, getTableName, sql } from 'drizzle-orm'
import { type Author, diffFields, logChange, type RecordTable } from './audit-log.ts'
import type { Database } from './open.ts'
import { prepareOnce } from './prepare-once.ts'
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
  const result = db.insert(table).values(values).run()
  const recordId = Number(result.lastInsertRowid)
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

function updateColumns(db: Database, table: RecordTable, id: number, values: Values): void {
  const columns = getTableColumns(table)
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  const encoded = given.map(([name, value]) => [name, value === null ? null : columns[name]?.mapToDriverValue(value)])
  cachedUpdate(
    db,
    table,
    given.map(([name]) => name),
  ).run({ ...Object.fromEntries(encoded), id })
}

/** Building an update takes longer than running it, and forms save the same columns all day. */
function cachedUpdate(db: Database, table: RecordTable, names: string[]) {
  const key = [getTableName(table), ...names].join()
  const known = updates(db).get(key) ?? prepareUpdate(db, table, names)
  updates(db).set(key, known)
  return known
}

const updates = prepareOnce(() => new Map<string, ReturnType<typeof prepareUpdate>>())

function prepareUpdate(db: Database, table: RecordTable, names: string[]) {
  const values = Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`]))
  return db
    .update(table)
    .set(values)
    .where(eq(table.id, sql.placeholder('id')))
    .prepare()
}
