import { eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { group } from '../../core/access.ts'
import type { Database } from '../../database/open.ts'
import { companies, orders, statusTransitions, users } from '../../database/schema/index.ts'
import { whereIn } from '../../database/where-in.ts'
import type { List } from '../../web/list/state.ts'
import { may } from './access.ts'
import { managerFilter } from './filters.ts'

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
      { key: 'city', label: 'City', hidden: true },
      { key: 'dealers', label: 'Dealers', hidden: true },
      { key: 'open_orders', label: 'Open orders', hidden: true },
      { key: 'discount', label: 'Discount, %', sort: sql`${companies.discount}`, hidden: true },
      { key: 'created_at', label: 'Created', show: 'date', sort: sql`${companies.created_at}`, hidden: true },
      { key: 'updated_at', label: 'Updated', show: 'date', hidden: true },
    ],
    sizes: [25, 50, 'all'],
    sort: { key: 'created_at', dir: 'desc' },
    table: companies,
    filters: [managerFilter(companies.manager_id)],
    joins: sql`left join ${users} ${sql.identifier('manager')} on ${manager.id} = ${companies.manager_id}`,
    may,
    bulk: true,
    searched: 'organization, manager',
    find: 'companies',
    rows: rowsByIds(db),
  }
}

const countDealers = sql<number>`(select count(*) from ${users} dealer where dealer.company_id = ${companies.id} and dealer.group_id = ${group.dealer})`

/** Orders in a status that leads on. */
const countOpenOrders = sql<number>`(select count(*) from ${orders} where ${orders.owner_company_id} = ${companies.id}
  and ${orders.status_id} in (select ${statusTransitions.parent_status_id} from ${statusTransitions}))`

function cityOf(address: string | null): string | null {
  return address?.match(/(?:^|,)\s*(?:г\.|город|city of)\s*([^,]+)/i)?.[1] ?? null
}

function rowsByIds(db: Database) {
  const query = db
    .select({
      id: companies.id,
      org: companies.org,
      manager_id: companies.manager_id,
      discount: companies.discount,
      address: sql<string | null>`coalesce(nullif(${companies.address}, ''), ${companies.legal_address})`,
      dealers: countDealers,
      open_orders: countOpenOrders,
      created_at: companies.created_at,
      updated_at: companies.updated_at,
      manager: { lastname: manager.lastname, name: manager.name, middlename: manager.middlename },
    })
    .from(companies)
    .leftJoin(manager, eq(manager.id, companies.manager_id))
    .where(whereIn(companies.id, sql.placeholder('ids')))
    .prepare()
  return (ids: number[]) => query.all({ ids: JSON.stringify(ids) }).map((company) => ({ ...company, city: cityOf(company.address) }))
}
