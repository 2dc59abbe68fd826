import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { anyOf, everyone, has } from '../../../core/access.ts'
import { companies, type Database, whereIn } from '../../../database/index.ts'
import { openList } from '../../../records/card/list-tabs.ts'
import { cardPart, listTab, type Tab } from '../../../records/kind/card.ts'
import { columnsOf } from '../../../records/list/columns.ts'
import type { List } from '../../../records/list/list.ts'
import { companyAccess } from '../../companies/access.ts'
import { companyForm } from '../../companies/form.ts'
import type { User } from '../user.ts'

export const companiesTab: Tab<User> = {
  name: 'dealers',
  label: 'Dealers',
  rule: anyOf(has('manager_can_view_dealers')),
  ...cardPart(listTab, (request: FastifyRequest, manager: User) => openList(request, companiesOf(request.server.db, manager))),
}

const column = columnsOf(companyForm, companies)

function companiesOf(db: Database, manager: User): List<typeof companies.$inferSelect> {
  return {
    name: 'dealers',
    title: 'Companies',
    place: { path: `/managers/edit/${manager.id}`, query: { tab: 'dealers' } },
    page: '/companies/',
    columns: [
      column('org', { kind: 'name', sort: companies.search, opens: true }),
      column('contract_number', { label: 'Contract', kind: 'short' }),
      column('phone'),
      column('email'),
      column('discount', { label: 'Discount, %', sort: companies.discount }),
    ],
    sizes: [10, 50, 100, 'all'],
    sort: { key: 'org', dir: 'asc' },
    table: companies,
    baseCondition: eq(companies.manager_id, manager.id),
    may: { list: anyOf(everyone()), view: companyAccess.view },
    find: [companies.org, companies.contract_number, companies.phone, companies.email],
    rows: { load: (ids) => db.select().from(companies).where(whereIn(companies.id, ids)).all() },
  }
}
