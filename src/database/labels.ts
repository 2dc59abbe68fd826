import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from './open.ts'
import { findRules, tableByName } from './references.ts'
import { changes } from './schema/index.ts'
import { whereIn } from './where-in.ts'

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
