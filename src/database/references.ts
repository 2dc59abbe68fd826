import { getTableColumns, getTableName, is, type SQL, sql, Table } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { whereIn } from './conditions.ts'
import type { Database } from './open.ts'
import { findRules } from './schema/columns.ts'
import * as schema from './schema/index.ts'
import { changes } from './schema/index.ts'

export const tables = Object.values(schema).filter((value): value is SQLiteTable & typeof value => is(value, Table))

export function rulesOf(table: SQLiteTable) {
  const declared = findRules(table)
  if (!declared) throw new Error(`The schema does not say what history and trash make of ${getTableName(table)}`)
  return declared
}

/** The foreign keys that point at a table, read from the schema so that a new table is covered by itself. */
export function childReferences(parent: SQLiteTable) {
  return references.filter((reference) => reference.parent === getTableName(parent))
}

export function parentReferences(child: SQLiteTable) {
  return references.filter((reference) => reference.table === child)
}

function foreignKeysOf(table: SQLiteTable) {
  const { foreignKeys } = getTableConfig(table)
  if (foreignKeys.length === 0 || !rulesOf(table).trashed) return []
  return foreignKeys.map((key) => {
    const { columns, foreignTable, foreignColumns } = key.reference()
    return {
      table,
      column: columns[0] as SQLiteColumn,
      parent: getTableName(foreignTable),
      target: (foreignColumns[0] as SQLiteColumn).name,
      cascades: key.onDelete === 'cascade',
    }
  })
}

const references = tables.flatMap(foreignKeysOf)

const tablesByName = new Map(tables.map((table) => [getTableName(table), table]))

export function tableByName(name: string): SQLiteTable {
  return tablesByName.get(name) as SQLiteTable
}

export function referencedTable(column: string): string | undefined {
  return references.find((reference) => reference.column.name === column)?.parent
}

export function labelOf(table: SQLiteTable): SQL {
  const { id, name } = getTableColumns(table)
  return findRules(table)?.label ?? (name ? sql`${name}` : sql`concat('#', ${id})`)
}

export function findLabels(db: Database, entity: string, ids: number[]): Map<number, string> {
  const table = tableByName(entity)
  const { id } = getTableColumns(table)
  const present = db.all<LabelRow>(sql`select ${id} as id, ${labelOf(table)} as label from ${table} where ${whereIn(id as never, ids)}`)
  const names = new Map(present.map((row) => [row.id, row.label]))
  const missing = ids.filter((one) => !names.has(one))
  return new Map([...names, ...findLastLabels(db, entity, missing)])
}

interface LabelRow {
  id: number
  label: string
}

function findLastLabels(db: Database, entity: string, ids: number[]): [number, string][] {
  if (ids.length === 0) return []
  const condition = sql`${changes.entity} = ${entity} and ${whereIn(changes.record_id, ids)} and ${changes.label} <> ''`
  // With max(), SQLite takes the other columns from the row that holds the maximum.
  const rows = db.all<LabelRow>(
    sql`select ${changes.record_id} as id, ${changes.label} as label, max(${changes.id}) from ${changes} where ${condition} group by ${changes.record_id}`,
  )
  return rows.map((row) => [row.id, row.label])
}
