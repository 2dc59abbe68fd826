import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { diffFields, logChange, setReference } from './audit-log.ts'
import type { Database } from './open.ts'
import { prepareOnce } from './prepare-once.ts'
import type { Author } from './records.ts'
import { parentReferences, tableByName } from './references.ts'
import { type ClearedReference, type RemovedRecord, trash } from './schema/audit-log.ts'
import { whereIn } from './where-in.ts'

export interface RestoreConflict {
  reason: 'taken' | 'missing' | 'changed'
  label: string
  table: string
  columns: string[]
  other?: { table: string; id: number }
}

export class RestoreConflictError extends Error {
  readonly conflicts: RestoreConflict[]
  constructor(conflicts: RestoreConflict[]) {
    super('what was deleted does not fit any more')
    this.conflicts = conflicts
  }
}

export type TrashedRecord = typeof trash.$inferSelect

/** Restores deleted records, all or none: their rows as they were, and the references that became null. */
export function restoreRecords(db: Database, trashed: TrashedRecord[], otherConflicts: RestoreConflict[], author: Author): void {
  // Records of one batch may reference each other.
  db.$client.pragma('defer_foreign_keys = ON')
  const conflicts = [
    ...otherConflicts,
    ...missingParents(db, trashed),
    ...trashed.flatMap((record) => insertRows(db, record)),
    ...trashed.flatMap((record) => reattach(db, record, author)),
  ]
  if (conflicts.length > 0) throw new RestoreConflictError(conflicts)
  for (const { entity, record_id, label, removed } of trashed) {
    const row = removed.rows[0]?.row ?? {}
    const fields = diffFields(tableByName(entity), {}, row)
    logChange(db, { action: 'restore', entity, recordId: record_id, recordVersion: row.version as number, label, fields }, author)
  }
}

function insertRows(db: Database, { label, removed }: TrashedRecord): RestoreConflict[] {
  return removed.rows.flatMap((removedRow) => {
    try {
      insertRow(db, removedRow)
      return []
    } catch (error) {
      return { reason: 'taken', label, table: removedRow.table, columns: conflictingColumns(error) }
    }
  })
}

type RemovedRow = RemovedRecord['rows'][number]

/** Columns added since the deletion get their defaults, removed ones are skipped. */
function insertRow(db: Database, { table, row }: RemovedRow): void {
  const columns = Object.entries(getTableColumns(tableByName(table))).filter(([name]) => name in row)
  const values = columns.map(([name, column]) => (row[name] === null ? null : column.mapToDriverValue(row[name])))
  prepareInsert(
    db,
    table,
    columns.map(([name]) => name),
  ).run(values)
}

function prepareInsert(db: Database, table: string, names: string[]) {
  const text = `insert into "${table}" (${names.map((name) => `"${name}"`).join()}) values (${names.map(() => '?').join()})`
  return cachedStatement(db, text)
}

function cachedStatement(db: Database, text: string) {
  const known = statements(db)
  const one = known.get(text) ?? db.$client.prepare(text)
  known.set(text, one)
  return one
}

const statements = prepareOnce(() => new Map<string, ReturnType<Database['$client']['prepare']>>())

function conflictingColumns(error: unknown): string[] {
  const { code, message } = error as { code?: string; message: string }
  if (code !== 'SQLITE_CONSTRAINT_UNIQUE' && code !== 'SQLITE_CONSTRAINT_PRIMARYKEY') throw error
  return [...message.matchAll(/\.(\w+)/g)].map(([, column]) => column as string)
}

function missingParents(db: Database, trashed: TrashedRecord[]): RestoreConflict[] {
  const coming = new Set(trashed.flatMap(({ removed }) => removed.rows.map(({ table, row }) => `${table} ${row.id}`)))
  return trashed.flatMap(({ label, removed }) =>
    removed.rows.flatMap(({ table, row }, at) =>
      parentReferences(tableByName(table)).flatMap(({ column, parent, target, cascades }) => {
        const id = row[column.name] as number | null | undefined
        if (id === null || id === undefined || coming.has(`${parent} ${id}`)) return []
        if (cachedStatement(db, `select 1 from "${parent}" where "${target}" = ?`).get(id)) return []
        // Related rows may lose this reference, as if they had been there when its target was deleted.
        if (at > 0 && !cascades) row[column.name] = null
        else return { reason: 'missing' as const, label, table, columns: [column.name], other: { table: parent, id } }
        return []
      }),
    ),
  )
}

function reattach(db: Database, { label, removed }: TrashedRecord, author: Author): RestoreConflict[] {
  return removed.references.flatMap((reference) => {
    const table = tableByName(reference.table)
    const present = readReference(db, table, reference)
    if (present.length < reference.ids.length) reattachInTrash(db, reference, new Set(present.map(({ id }) => id)))
    const empty = present.filter(({ value }) => value === null).map(({ id }) => id)
    const column = getTableColumns(table)[reference.column] as never
    setReference(db, { table, column, ids: empty, value: [null, reference.value], author })
    return present
      .filter(({ value }) => value !== null && value !== reference.value)
      .map(({ id }) => ({
        reason: 'changed' as const,
        label,
        table: reference.table,
        columns: [reference.column],
        other: { table: reference.table, id },
      }))
  })
}

function reattachInTrash(db: Database, { table, column, value, ids }: ClearedReference, present: ReadonlySet<number>): void {
  const missing = new Set(ids.filter((id) => !present.has(id)))
  const mentions = sql`instr(${trash.removed}, ${`"table":"${table}"`}) > 0`
  const later = db
    .select({ id: trash.id, removed: trash.removed })
    .from(trash)
    .where(and(isNull(trash.restored_at), mentions))
    .all()
  for (const { id, removed } of later) {
    const lacking = removed.rows.filter(
      (trashed) => trashed.table === table && missing.has(trashed.row.id as number) && trashed.row[column] === null,
    )
    for (const { row } of lacking) row[column] = value
    if (lacking.length > 0) db.update(trash).set({ removed }).where(eq(trash.id, id)).run()
  }
}

function readReference(db: Database, table: SQLiteTable, { column, ids }: ClearedReference) {
  const { id, [column]: value } = getTableColumns(table)
  return db.all<{ id: number; value: unknown }>(sql`select ${id} as id, ${value} as value from ${table} where ${whereIn(id as never, ids)}`)
}
