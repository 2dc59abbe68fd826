import { and, eq, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { isDealer } from '../../core/access.ts'
import { type categories, companies, type Database, type manufactures, type stocks } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { parseId } from '../../http/request/input.ts'
import type { Choice } from '../fields/index.ts'
import { mayBeNamed, whereClause } from './conditions.ts'
import { unlimited } from './ids.ts'
import type { Filter } from './list.ts'

/** Selects the ids that a column has in the rows that somebody sees. */
export type NamedIds = (seen: SQL | undefined) => SQL

export const namedBy =
  (column: SQLiteColumn): NamedIds =>
  (seen) =>
    sql`select ${column} from ${column.table} ${whereClause(seen)}`

/** Dealers have one company, so there is nothing for them to choose. */
export function companyFilter(column: SQLiteColumn, named = namedBy(column)): Filter {
  const select = (context: Context, limit: number, seen?: SQL, only?: SQL) => {
    const where = and(only, mayBeNamed(context, 'companies', companies.id, named(seen)))
    const rows = context.server.db.select({ id: companies.id, name: companies.org }).from(companies).where(where)
    return rows.orderBy(companies.search, companies.id).limit(limit).all()
  }
  return {
    name: 'company',
    label: 'Company',
    options: (context, limit = unlimited, seen) => (isDealer(context.actor) ? [] : toOptions(select(context, limit, seen))),
    nameOf: (context, value, seen) => select(context, 1, seen, equalsId(companies.id, value))[0]?.name,
    where: (value) => equalsId(column, value),
  }
}

export function equalsId(column: SQLiteColumn, value: string): SQL | undefined {
  const id = parseId(value)
  return id === undefined ? undefined : eq(column, id)
}

export function toOptions(choices: Choice[]) {
  return choices.map(({ id, name }) => ({ value: String(id), label: name }))
}

/** A short list of names that others refer to. */
type ReferenceTable = typeof stocks | typeof manufactures | typeof categories

export function nameChoices(db: Database, table: ReferenceTable, where?: SQL, limit = unlimited): Choice[] {
  return db.select({ id: table.id, name: table.name }).from(table).where(where).orderBy(table.search, table.id).limit(limit).all()
}

/** A filter by one record of a reference list. */
export function referenceFilter(name: string, label: string, table: ReferenceTable, where: (id: number) => SQL, named: NamedIds): Filter {
  return {
    name,
    label,
    further: true,
    options: (context, limit, seen) =>
      toOptions(nameChoices(context.server.db, table, mayBeNamed(context, getTableName(table), table.id, named(seen)), limit)),
    where: (value) => {
      const id = parseId(value)
      return id === undefined ? undefined : where(id)
    },
  }
}

/** A filter by the record of a reference list that a column names. */
export function columnFilter(name: string, label: string, table: ReferenceTable, column: SQLiteColumn): Filter {
  return referenceFilter(name, label, table, (id) => eq(column, id), namedBy(column))
}
