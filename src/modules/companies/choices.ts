import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { group } from '../../core/access.ts'
import { searchWords } from '../../core/text.ts'
import { companies, containsWords, type Database, users } from '../../database/index.ts'
import { type Choice, choiceLimit } from '../../records/fields/index.ts'
import type { FindChoices } from '../../records/form/choices.ts'
import { mayBeNamed } from '../../records/list/conditions.ts'
import { unlimited } from '../../records/list/ids.ts'
import type { Filter } from '../../records/list/list.ts'
import { equalsId, namedBy, toOptions } from '../../records/list/record-filters.ts'

export function findCompanyChoices(db: Database, by: { id: number } | { query: string }, permitted?: SQL): Choice[] {
  const wanted = 'id' in by ? eq(companies.id, by.id) : containsWords(sql`${companies.org}`, searchWords(by.query))
  const found = db.select({ id: companies.id, name: companies.org }).from(companies).where(and(wanted, permitted))
  return found.orderBy(companies.search, companies.id).limit(choiceLimit).all()
}

const fullNameText = sql<string>`concat_ws(' ', nullif(${users.lastname}, ''), nullif(${users.name}, ''), nullif(${users.middlename}, ''))`

export const findManagers: FindChoices = ({ server }, by) => {
  const wanted = 'id' in by ? eq(users.id, by.id) : containsWords(fullNameText, searchWords(by.query))
  return selectManagers(server.db, wanted).limit(choiceLimit).all()
}

export function selectManagers(db: Database, where?: SQL) {
  const managers = and(eq(users.group_id, group.manager), where)
  return db.select({ id: users.id, name: fullNameText }).from(users).where(managers).orderBy(users.search, users.id)
}

const nobody = 'none'

export function managerFilter(column: SQLiteColumn): Filter {
  return {
    name: 'manager',
    label: 'Manager',
    options: (context, limit = unlimited, seen) => {
      const { server, actor, t } = context
      if (actor.group_id !== group.administrator) return []
      const managers = selectManagers(server.db, mayBeNamed(context, 'managers', users.id, namedBy(column)(seen)))
      return [{ value: nobody, label: t('No manager') }, ...toOptions(managers.limit(limit).all())]
    },
    where: (value) => (value === nobody ? isNull(column) : equalsId(column, value)),
  }
}
