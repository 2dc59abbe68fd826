import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Actor, group } from '../../core/access.ts'
import { searchWords } from '../../core/text.ts'
import {
  type categories,
  companies,
  contains,
  type Database,
  type manufactures,
  prepareOnce,
  type stocks,
  users,
} from '../../database/index.ts'
import { choiceLimit, type FindChoices } from '../../web/form/choices.ts'
import type { Choice } from '../../web/form/fields.ts'
import { parseId } from '../../web/http.ts'
import { matchAll } from '../../web/list/query.ts'
import { unlimited } from '../../web/list/rows.ts'
import type { Filter } from '../../web/list/state.ts'

export function findCompanyChoices(db: Database, by: { id: number } | { query: string }, permitted?: SQL): Choice[] {
  const wanted = 'id' in by ? eq(companies.id, by.id) : matchAll(searchWords(by.query), (word) => contains(sql`${companies.org}`, word))
  const found = db.select({ id: companies.id, name: companies.org }).from(companies).where(and(wanted, permitted))
  return found.orderBy(companies.search, companies.id).limit(choiceLimit).all()
}

const fullNameText = sql<string>`concat_ws(' ', nullif(${users.lastname}, ''), nullif(${users.name}, ''), nullif(${users.middlename}, ''))`

export const findManagers: FindChoices = ({ server }, by) => {
  const wanted = 'id' in by ? eq(users.id, by.id) : matchAll(searchWords(by.query), (word) => contains(fullNameText, word))
  return selectManagers(server.db, wanted).limit(choiceLimit).all()
}

export function selectManagers(db: Database, where?: SQL) {
  const managers = and(eq(users.group_id, group.manager), where)
  return db.select({ id: users.id, name: fullNameText }).from(users).where(managers).orderBy(users.search, users.id)
}

type ReferenceTable = typeof stocks | typeof manufactures | typeof categories

export function nameChoices(db: Database, table: ReferenceTable, limit = unlimited): Choice[] {
  return db.select({ id: table.id, name: table.name }).from(table).orderBy(table.search, table.id).limit(limit).all()
}

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
    options: ({ server, actor, t }, limit = unlimited) => {
      if (actor.group_id !== group.administrator) return []
      return [{ value: nobody, label: t('No manager') }, ...toOptions(managerNames(server.db).all({ limit }))]
    },
    where: (value) => (value === nobody ? isNull(column) : equalsId(column, value)),
  }
}

export function equalsId(column: SQLiteColumn, value: string): SQL | undefined {
  const id = parseId(value)
  return id === undefined ? undefined : eq(column, id)
}

/** A filter by one record of a reference list. */
export function referenceFilter(name: string, label: string, table: ReferenceTable, where: (id: number) => SQL): Filter {
  return {
    name,
    label,
    further: true,
    options: ({ server }, limit) => toOptions(nameChoices(server.db, table, limit)),
    where: (value) => {
      const id = parseId(value)
      return id === undefined ? undefined : where(id)
    },
  }
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

const managerNames = prepareOnce((db, given) => selectManagers(db).limit(given.limit).prepare())

function toOptions(choices: Choice[]) {
  return choices.map(({ id, name }) => ({ value: String(id), label: name }))
}
