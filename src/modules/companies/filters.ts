import { eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Actor, group } from '../../core/access.ts'
import { companies, type Database, prepareOnce } from '../../database/index.ts'
import { parseId } from '../../web/http.ts'
import { unlimited } from '../../web/list/rows.ts'
import type { Filter } from '../../web/list/state.ts'
import { selectManagers } from './choices.ts'

const nobody = 'none'

export function companyFilter(column: SQLiteColumn): Filter {
  return {
    name: 'company',
    label: 'Company',
    options: ({ server, actor }, limit) => companiesOf(server.db, actor, limit),
    where: (value) => equalsId(column, value),
  }
}

export function managerFilter(column: SQLiteColumn): Filter {
  return {
    name: 'manager',
    label: 'Manager',
    options: ({ server, actor, t }, limit) =>
      actor.group_id === group.administrator ? [{ value: nobody, label: t('No manager') }, ...managers(server.db, limit)] : [],
    where: (value) => (value === nobody ? isNull(column) : equalsId(column, value)),
  }
}

export function equalsId(column: SQLiteColumn, value: string): SQL | undefined {
  const id = parseId(value)
  return id === undefined ? undefined : eq(column, id)
}

function companiesOf(db: Database, actor: Actor, limit = unlimited) {
  if (actor.group_id === group.administrator) return companyNames(db).all({ limit })
  return actor.group_id === group.manager ? companyNamesOf(db).all({ limit, manager: actor.id }) : []
}

const companyNames = prepareOnce((db) => namedCompanies(db).prepare())

const companyNamesOf = prepareOnce((db, given) => namedCompanies(db).where(eq(companies.manager_id, given.manager)).prepare())

function namedCompanies(db: Database) {
  const rows = { value: sql<string>`cast(${companies.id} as text)`, label: companies.org }
  return db.select(rows).from(companies).orderBy(companies.search, companies.id).limit(sql.placeholder('limit'))
}

function managers(db: Database, limit = unlimited) {
  const named = managerNames(db).all({ limit })
  return named.map(({ id, name }) => ({ value: String(id), label: name }))
}

const managerNames = prepareOnce((db, given) => selectManagers(db).limit(given.limit).prepare())
