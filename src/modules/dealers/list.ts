import { eq, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { among } from '../../database/among.ts'
import type { Database } from '../../database/open.ts'
import { companies, users } from '../../database/schema/index.ts'
import { contains, nameContains } from '../../web/list/search.ts'
import type { Kind } from '../people/kind.ts'

const manager = alias(users, 'manager')

export type DealerRow = ReturnType<ReturnType<typeof rowsByIds>>[number]

/** What the list of dealers shows, searches and sorts by. */
export function dealerColumns(db: Database): ReturnType<Kind['list']> {
  return {
    template: 'dealers/rows.njk',
    tools: 'dealers/tools.njk',
    columns: [
      { key: 'company', label: 'Company', sort: sql`${companies.search}` },
      { key: 'name', label: 'Name' },
      { key: 'lastname', label: 'Last name' },
      { key: 'tg_id', label: 'Telegram' },
      { key: 'manager', label: 'Manager' },
      { key: 'active', label: 'Active' },
      { key: 'created_at', label: 'Created', sort: sql`${users.created_at}`, hidden: true },
      { key: 'updated_at', label: 'Changed', hidden: true },
    ],
    sort: { key: 'created_at', dir: 'desc' },
    joins: sql`left join ${companies} on ${companies.id} = ${users.company_id}`,
    find: (word) => or(contains(users, word), ofCompanies(word), ofManagers(word)),
    rows: rowsByIds(db),
  }
}

// Few companies and managers stand behind many dealers: they are searched first, and their dealers reached by index.

function ofCompanies(word: string) {
  return sql`${users.company_id} in (select ${companies.id} from ${companies} where ${contains(companies, word)})`
}

function ofManagers(word: string) {
  return sql`${users.manager_id} in (select ${users.id} from ${users} where ${nameContains(users, word)})`
}

function rowsByIds(db: Database) {
  const query = db
    .select({
      id: users.id,
      name: users.name,
      lastname: users.lastname,
      middlename: users.middlename,
      tg_id: users.tg_id,
      active: users.active,
      superadmin: users.superadmin,
      group_id: users.group_id,
      manager_id: users.manager_id,
      created_at: users.created_at,
      updated_at: users.updated_at,
      company: companies.org,
      company_manager_id: companies.manager_id,
      manager: { lastname: manager.lastname, name: manager.name, middlename: manager.middlename },
    })
    .from(users)
    .leftJoin(companies, eq(companies.id, users.company_id))
    .leftJoin(manager, eq(manager.id, users.manager_id))
    .where(among(users.id, sql.placeholder('ids')))
    .prepare()
  return (ids: number[]) => query.all({ ids: JSON.stringify(ids) })
}
