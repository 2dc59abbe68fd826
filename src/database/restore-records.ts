import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { diffFields, logChanges, type ReferenceValue, setReferences } from './audit-log.ts'
import { whereIn } from './conditions.ts'
import { insertRows } from './insert-rows.ts'
import type { Database } from './open.ts'
import { prepareText } from './prepare-once.ts'
import type { Author } from './records.ts'
import { parentReferences, tableByName } from './references.ts'
import { type ClearedReference, type RemovedRecord, trash } from './schema/trash.ts'
import { restoreCredentials } from './trashed-credentials.ts'

export interface RestoreConflict {
  reason: 'taken' | 'missing' | 'changed'
  label: string
  table: string
  columns: string[]
  other?: { table: string; id: number }
}

export type TrashedRecord = typeof trash.$inferSelect

/**
 * Restores deleted records: their rows as they were, and the references that became null. A batch in parts is restored from its end,
 * because what was deleted first may be referenced by what was deleted later.
 * @returns what no longer fits: the transaction is to be rolled back then
 */
export function restoreRecords(
  db: Database,
  trashed: TrashedRecord[],
  otherConflicts: RestoreConflict[],
  author: Author,
): RestoreConflict[] {
  // Records of one batch may reference each other.
  db.$client.pragma('defer_foreign_keys = ON')
  const conflicts = [...otherConflicts, ...missingParents(db, trashed), ...insertAll(db, trashed), ...reattach(db, trashed, author)]
  if (conflicts.length > 0) return conflicts
  for (const [entity, records] of Map.groupBy(trashed, ({ entity }) => entity))
    restoreCredentials(
      db,
      entity,
      records.map(({ record_id }) => record_id),
    )
  const entries = trashed.map(({ entity, record_id, label, removed }) => {
    const row = removed.rows[0]?.row ?? {}
    const fields = diffFields(tableByName(entity), {}, row)
    return { action: 'restore' as const, entity, record_id, record_version: row.version as number, label, fields }
  })
  logChanges(db, entries, author)
  return []
}

/** Many rows in one statement; where some do not fit, one by one, to learn which. */
function insertAll(db: Database, trashed: TrashedRecord[]): RestoreConflict[] {
  const all = trashed.flatMap(({ label, removed }) => removed.rows.map((removedRow) => ({ label, removedRow })))
  const groups = Map.groupBy(all, ({ removedRow }) => `${removedRow.table} ${columnsOf(removedRow)}`)
  return [...groups.values()].flatMap((group) => {
    const found = group.flatMap(({ removedRow }) => removedRow)
    if (!insertionProblem(db, found)) return []
    return group.flatMap(({ label, removedRow }) => {
      const columns = insertionProblem(db, [removedRow])
      return columns ? [{ reason: 'taken' as const, label, table: removedRow.table, columns }] : []
    })
  })
}

type RemovedRow = RemovedRecord['rows'][number]

/** Columns added since the deletion get their defaults, removed ones are skipped. */
function columnsOf({ table, row }: RemovedRow): string[] {
  return Object.keys(getTableColumns(tableByName(table))).filter((name) => name in row)
}

function insertionProblem(db: Database, rows: RemovedRow[]): string[] | undefined {
  const [first] = rows as [RemovedRow]
  const values = rows.map(({ row }) => row)
  try {
    insertRows(db, tableByName(first.table), columnsOf(first), values)
  } catch (error) {
    return conflictingColumns(error)
  }
}

function conflictingColumns(error: unknown): string[] {
  const { code, message } = error as { code?: string; message: string }
  if (code !== 'SQLITE_CONSTRAINT_UNIQUE' && code !== 'SQLITE_CONSTRAINT_PRIMARYKEY') throw error
  return [...message.matchAll(/\.(\w+)/g)].map(([, column]) => column as string)
}

function missingParents(db: Database, trashed: TrashedRecord[]): RestoreConflict[] {
  const coming = new Set(trashed.flatMap(({ removed }) => removed.rows.map(({ table, row }) => `${table} ${row.id}`)))
  return trashed.flatMap(({ batch, label, removed }) =>
    removed.rows.flatMap(({ table, row }, at) =>
      parentReferences(tableByName(table)).flatMap(({ column, parent, target, cascades }) => {
        const id = row[column.name] as number | null | undefined
        if (id === null || id === undefined || coming.has(`${parent} ${id}`)) return []
        if (prepareText(db, `select 1 from "${parent}" where "${target}" = ?`).get(id)) return []
        // Related rows may lose this reference, as if they had been there when its target was deleted.
        if (at > 0 && !cascades) row[column.name] = null
        else if (!cascades && leaveToParent(db, batch, parent, { table, column: column.name, value: id, ids: [row.id as number] }))
          row[column.name] = null
        else return { reason: 'missing' as const, label, table, columns: [column.name], other: { table: parent, id } }
        return []
      }),
    ),
  )
}

/** A record of the same batch that is restored later will bring the reference back. */
function leaveToParent(db: Database, batch: string, entity: string, reference: ClearedReference): boolean {
  const named = and(eq(trash.entity, entity), eq(trash.record_id, reference.value as number))
  const later = and(eq(trash.batch, batch), named, isNull(trash.restored_at))
  const parent = db.select({ id: trash.id, removed: trash.removed }).from(trash).where(later).get()
  if (!parent) return false
  const removed = { ...parent.removed, references: [...parent.removed.references, reference] }
  db.update(trash).set({ removed }).where(eq(trash.id, parent.id)).run()
  return true
}

function reattach(db: Database, trashed: TrashedRecord[], author: Author): RestoreConflict[] {
  const all = trashed.flatMap(({ label, removed }) => removed.references.map((reference) => ({ label, reference })))
  const groups = Map.groupBy(all, ({ reference }) => `${reference.table} ${reference.column}`)
  return [...groups.values()].flatMap((group) => reattachColumn(db, group, author))
}

function reattachColumn(db: Database, group: { label: string; reference: ClearedReference }[], author: Author): RestoreConflict[] {
  const [{ reference: first }] = group as [(typeof group)[number]]
  const table = tableByName(first.table)
  const column = getTableColumns(table)[first.column] as SQLiteColumn
  const ids = group.flatMap(({ reference }) => reference.ids)
  const present = readReference(db, table, column, ids)
  const conflicts: RestoreConflict[] = []
  const changes: ReferenceValue[] = []
  for (const { label, reference } of group)
    for (const id of reference.ids) {
      const value = present.get(id)
      if (value === null) changes.push([id, null, reference.value])
      else if (value !== undefined && value !== reference.value)
        conflicts.push({ reason: 'changed', label, table: first.table, columns: [first.column], other: { table: first.table, id } })
    }
  for (const { reference } of group) {
    const missing = reference.ids.filter((id) => !present.has(id))
    if (missing.length > 0) reattachInTrash(db, reference, new Set(missing))
  }
  setReferences(db, { table, column, changes, author })
  return conflicts
}

function reattachInTrash(db: Database, { table, column, value }: ClearedReference, missing: ReadonlySet<number>): void {
  for (const { id, removed } of trashedWith(db, table, missing)) {
    const lacking = removed.rows.filter(
      (trashed) => trashed.table === table && missing.has(trashed.row.id as number) && trashed.row[column] === null,
    )
    for (const { row } of lacking) row[column] = value
    if (lacking.length > 0) db.update(trash).set({ removed }).where(eq(trash.id, id)).run()
  }
}

/** Rows that go with another record are found only by looking through all of the trash. */
function trashedWith(db: Database, table: string, ids: ReadonlySet<number>) {
  const goesWithOthers = parentReferences(tableByName(table)).some(({ cascades }) => cascades)
  const found = goesWithOthers
    ? sql`instr(${trash.removed}, ${`"table":"${table}"`}) > 0`
    : and(eq(trash.entity, table), whereIn(trash.record_id, [...ids]))
  const deleted = and(isNull(trash.restored_at), found)
  return db.select({ id: trash.id, removed: trash.removed }).from(trash).where(deleted).all()
}

function readReference(db: Database, table: SQLiteTable, column: SQLiteColumn, ids: number[]): Map<number, unknown> {
  const { id } = getTableColumns(table) as { id: SQLiteColumn }
  return new Map(db.values<[number, unknown]>(sql`select ${id}, ${column} from ${table} where ${whereIn(id, ids)}`))
}
