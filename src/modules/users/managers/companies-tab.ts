import { eq, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { anyOf, everyone, has } from '../../../core/access.ts'
import { ofPrices } from '../../../core/prices.ts'
import { companies, contains, type Database, whereIn } from '../../../database/index.ts'
import { template } from '../../../http/request/template.ts'
import { openList } from '../../../records/card/list-tabs.ts'
import { cardPart, listTab, type Tab } from '../../../records/kind/card.ts'
import type { List } from '../../../records/list/state.ts'
import type { ListView } from '../../../records/list/view.ts'
import { companyAccess } from '../../companies/access.ts'
import type { User } from '../user.ts'

export const companiesTab: Tab<User> = {
  name: 'dealers',
  label: 'Dealers',
  rule: anyOf(has('manager_can_view_dealers')),
  ...cardPart(listTab, (request: FastifyRequest, manager: User) => openList(request, companiesOf(request.server.db, manager))),
}

const rowTemplate = template<{ list: ListView }>('companies/of-manager-rows.njk')

function companiesOf(db: Database, manager: User): List<typeof companies.$inferSelect> {
  return {
    name: 'dealers',
    title: 'Companies',
    place: { path: `/managers/edit/${manager.id}`, query: { tab: 'dealers' } },
    card: '/company/edit/',
    labelOf: ({ org }) => org,
    rowTemplate,
    columns: [
      { key: 'org', label: 'Organization', kind: 'name', sort: companies.search },
      { key: 'contract_number', label: 'Contract', kind: 'short' },
      { key: 'phone', label: 'Phone', kind: 'phone' },
      { key: 'email', label: 'Email', kind: 'text' },
      { key: 'discount', label: 'Discount, %', kind: 'number', sort: companies.discount, ...ofPrices },
    ],
    sizes: [10, 50, 100, 'all'],
    sort: { key: 'org', dir: 'asc' },
    table: companies,
    baseCondition: eq(companies.manager_id, manager.id),
    may: { list: anyOf(everyone()), view: companyAccess.view },
    find: (word) =>
      contains(sql`concat_ws(char(10), ${companies.org}, ${companies.contract_number}, ${companies.phone}, ${companies.email})`, word),
    rows: (ids) => db.select().from(companies).where(whereIn(companies.id, ids)).all(),
  }
}
