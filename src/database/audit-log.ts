import { eq, getTableColumns, getTableName, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { searchText } from '../core/text.ts'
import { labelOf } from './labels.ts'
import type { Database } from './open.ts'
import { prepareOnce } from './prepare-once.ts'
import { rulesOf } from './references.ts'
import { type ChangedFields, changes, type StoredRow } from './schema/audit-log.ts'
import { whereIn } from './where-in.ts'

export interface Author {
  id: number | null
  name: string
  impersonator?: { id: number; name: string }
  address?: string
  userAgent?: string
}

export type RecordTable = SQLiteTable & Record<'id' | 'version' | 'updated_at', SQLiteColumn>

export const systemName = 'The cabinet'

interface AuditEntry {
  action: (typeof changes.$inferInsert)['action']
  entity: string
  recordId: number
  recordVersion: number
  label: string
  fields: ChangedFields
  at?: number
}

/** Writes one entry of the change history. Call it in the transaction of the change. */
export function logChange(
  db: Database,
  { action, entity, recordId, recordVersion, label, fields, at = Date.now() }: AuditEntry,
  author: Author,
): void {
  insertChange(db).run({
    ...authorColumns(author),
    at,
    action,
    entity,
    record_id: recordId,
    record_version: recordVersion,
    label,
    fields,
    search: searchText(label, author.name, author.impersonator?.name),
  })
}

const insertChange = prepareOnce((db) => {
  const { placeholder } = sql
  return db
    .insert(changes)
    .values({
      at: placeholder('at'),
      actor_id: placeholder('actor_id'),
      actor_name: placeholder('actor_name'),
      impersonator_id: placeholder('impersonator_id'),
      impersonator_name: placeholder('impersonator_name'),
      address: placeholder('address'),
      action: placeholder('action'),
      entity: placeholder('entity'),
      record_id: placeholder('record_id'),
      record_version: placeholder('record_version'),
      label: placeholder('label'),
      fields: placeholder('fields'),
      search: placeholder('search'),
    })
    .prepare()
})

/**
 * Raises the version of a record that changed because another one did, so that open forms notice, and writes its history; its own
 * update time stays.
 */
export function touch(
  db: Database,
  table: RecordTable,
  record: VersionedRecord,
  label: string,
  fields: ChangedFields,
  author: Author,
): void {
  const recordVersion = record.version + 1
  db.update(table).set({ version: recordVersion }).where(eq(table.id, record.id)).run()
  logChange(db, { action: 'update', entity: getTableName(table), recordId: record.id, recordVersion, label, fields }, author)
}

interface VersionedRecord {
  id: number
  version: number
}

interface ReferenceChange {
  table: SQLiteTable
  column: SQLiteColumn
  ids: number[]
  value: [before: unknown, after: unknown]
  author: Author
}

export function setReference(db: Database, { table, column, ids, value, author }: ReferenceChange): void {
  if (ids.length === 0) return
  const { id, version } = getTableColumns(table) as RecordTable
  const raised = version && { version: sql`${version} + 1` }
  db.update(table)
    .set({ [column.name]: value[1], ...raised })
    .where(whereIn(id, ids))
    .run()
  if (version) logChanges(db, table as RecordTable, ids, { [column.name]: value }, author)
}

/** One SQL statement, since there may be thousands of records. */
function logChanges(db: Database, table: RecordTable, ids: number[], fields: ChangedFields, author: Author): void {
  const { at, actor_id, actor_name, impersonator_id, impersonator_name, address } = authorColumns(author)
  const label = labelOf(table)
  db.run(sql`insert into ${changes} (at, actor_id, actor_name, impersonator_id, impersonator_name, address,
      action, entity, record_id, record_version, label, search, fields)
    select ${at}, ${actor_id}, ${actor_name}, ${impersonator_id}, ${impersonator_name}, ${address},
      'update', ${getTableName(table)}, ${table.id}, ${table.version}, ${label}, fold(concat_ws(char(10), ${label}, ${actor_name}, ${impersonator_name})), ${JSON.stringify(fields)}
    from ${table} where ${whereIn(table.id, ids)}`)
}

function authorColumns({ id, name, impersonator, address }: Author) {
  return {
    at: Date.now(),
    actor_id: id,
    actor_name: name,
    impersonator_id: impersonator?.id ?? null,
    impersonator_name: impersonator?.name ?? null,
    address: address ?? null,
  }
}

export function diffFields(table: SQLiteTable, before: StoredRow, values: StoredRow): ChangedFields {
  const { derived, secret } = rulesOf(table)
  const fields: ChangedFields = {}
  for (const [name, after] of Object.entries(values)) {
    const old = before[name] ?? null
    if (derived.has(name) || JSON.stringify(old) === JSON.stringify(after ?? null)) continue
    fields[name] = secret.has(name) ? [null, null] : [old, after ?? null]
  }
  return fields
}

export function reverseChanges(fields: ChangedFields): ChangedFields {
  return Object.fromEntries(Object.entries(fields).map(([name, [before, after]]) => [name, [after, before]]))
}
