import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { group } from '../../core/access.ts'
import { companies } from '../../database/index.ts'
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
    options: (context, limit = unlimited, seen) => (context.actor.group_id === group.dealer ? [] : toOptions(select(context, limit, seen))),
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
