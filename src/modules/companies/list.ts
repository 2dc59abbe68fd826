import { eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Database } from '../../database/open.ts'
import { companies, users } from '../../database/schema/index.ts'
import { whereIn } from '../../database/where-in.ts'
import type { List } from '../../web/list/state.ts'
import { may } from './access.ts'

const manager = alias(users, 'manager')

export type CompanyRow = ReturnType<ReturnType<typeof rowsByIds>>[number]

export function companyList(db: Database): List<CompanyRow> {
  return {
    name: 'companies',
    title: 'Companies',
    labelOf: ({ org }) => org,
    card: '/company/edit/',
    add: { path: '/company/add', label: 'Add company' },
    columns: [
      { key: 'org', label: 'Organization', show: 'link', sort: sql`${companies.search}` },
      { key: 'manager', label: 'Manager', show: 'person', sort: sql`${manager.search}` },
      { key: 'created_at', label: 'Created', show: 'date', sort: sql`${companies.created_at}`, hidden: true },
      { key: 'updated_at', label: 'Updated', show: 'date', hidden: true },
    ],
    sizes: [25, 50, 'all'],
    sort: { key: 'created_at', dir: 'desc' },
    table: companies,
    joins: sql`left join ${users} ${sql.identifier('manager')} on ${manager.id} = ${companies.manager_id}`,
    may,
    bulk: true,
    find: 'companies',
    rows: rowsByIds(db),
  }
}

function rowsByIds(db: Database) {
  const query = db
    .select({
      id: companies.id,
      org: companies.org,
      manager_id: companies.manager_id,
      created_at: companies.created_at,
      updated_at: companies.updated_at,
      manager: { lastname: manager.lastname, name: manager.name, middlename: manager.middlename },
    })
    .from(companies)
    .leftJoin(manager, eq(manager.id, companies.manager_id))
    .where(whereIn(companies.id, sql.placeholder('ids')))
    .prepare()
  return (ids: number[]) => query.all({ ids: JSON.stringify(ids) })
}
