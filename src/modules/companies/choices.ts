import { and, eq, type SQL, sql } from 'drizzle-orm'
import { group } from '../../core/access.ts'
import { searchWords } from '../../core/text.ts'
import { type categories, companies, contains, type Database, type manufactures, type stocks, users } from '../../database/index.ts'
import { choiceLimit, type FindChoices } from '../../web/form/choices.ts'
import type { Choice } from '../../web/form/fields.ts'
import { matchAll } from '../../web/list/query.ts'

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

export function nameChoices(db: Database, table: typeof stocks | typeof manufactures | typeof categories): Choice[] {
  return db.select({ id: table.id, name: table.name }).from(table).orderBy(table.search, table.id).all()
}
