import { eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { group, managesAlone } from '../../../core/access.ts'
import { fullName } from '../../../core/text.ts'
import { companies, type Database, invitations, users, whereIn } from '../../../database/index.ts'
import { timeColumns } from '../../../records/list/columns.ts'
import { type Column, type ExportColumn, type Filter, valuesOf } from '../../../records/list/list.ts'
import { companyFilter } from '../../../records/list/record-filters.ts'
import { readRows } from '../../../records/list/rows.ts'
import { managerFilter } from '../../companies/choices.ts'
import { activeColumn, column, invitationColumn, telegramColumn } from '../list.ts'
import { userLabel } from '../user.ts'
import type { UserType } from '../user-type.ts'

const manager = alias(users, 'manager')
const own = alias(users, 'own_manager')
const managerName = { lastname: manager.lastname, name: manager.name, middlename: manager.middlename }

const columns = [
  column('lastname', { kind: 'short', opens: true, sort: users.search }),
  column('name', { kind: 'short' }),
  {
    key: 'company',
    label: 'Company',
    kind: 'name',
    value: companies.org,
    sort: companies.search,
    join: sql`left join ${companies} on ${companies.id} = ${users.company_id}`,
    through: { table: companies, column: users.company_id },
  },
  column('phone'),
  { key: 'manager', label: 'Manager', kind: 'person', value: managerName, hidden: (actor) => managesAlone(actor, 'dealer_can_view') },
  telegramColumn,
  activeColumn,
  { key: 'last_auth', label: 'Last visit', kind: 'moment', value: users.last_auth, hidden: true },
  ...timeColumns(users),
  invitationColumn,
] as const satisfies readonly Column[]

const exportColumns: ExportColumn[] = [
  { label: 'ID', width: 10, value: users.id },
  { label: 'Company', width: 40, value: companies.org },
  { label: 'Name', width: 20, value: users.name },
  { label: 'Lastname', value: users.lastname },
  { label: 'Manager', width: 36, value: managerName, kind: 'person' },
  { label: 'Active', width: 10, value: users.active, kind: 'switch' },
  { label: 'Created', value: users.created_at, kind: 'moment' },
]

export function dealerListOptions(db: Database): ReturnType<UserType['list']> {
  return {
    sheet: { columns: exportColumns },
    columns,
    filters: [companyFilter(users.company_id), byManager, byActive],
    sort: { key: 'lastname', dir: 'asc' },
    searchHint: 'name, company, manager, email',
    find: 'dealers',
    rows: rowsByIds(db),
  }
}

const ofCompanies = managerFilter(companies.manager_id)

/** Of dealers without a manager of their company, by their own. */
const byManager: Filter = {
  ...managerFilter(users.manager_id),
  where: (value) => {
    const condition = ofCompanies.where(value)
    const managed = sql`${users.company_id} in (select ${companies.id} from ${companies} where ${companies.manager_id} is not null)`
    return (
      condition &&
      sql`(${users.company_id} in (select ${companies.id} from ${companies} where ${companies.manager_id} is not null and ${condition})
        or (${managerFilter(users.manager_id).where(value)} and (${users.company_id} is null or not ${managed})))`
    )
  },
}

const byActive: Filter = {
  name: 'active',
  label: 'Account',
  options: ({ t }) => [
    { value: '1', label: t('Active') },
    { value: '0', label: t('Deactivated') },
  ],
  where: (value) => (value === '1' || value === '0' ? eq(users.active, value === '1') : undefined),
}

function rowsByIds(db: Database) {
  const { id, superadmin, group_id, manager_id } = users
  const fields = {
    ...valuesOf(columns),
    ...{ id, superadmin, group_id, manager_id },
    company_manager_id: companies.manager_id,
    own_manager: { id: own.id, lastname: own.lastname, name: own.name, middlename: own.middlename },
  }
  const query = db
    .select(fields)
    .from(users)
    .leftJoin(companies, eq(companies.id, users.company_id))
    .leftJoin(manager, sql`${manager.id} = coalesce(${companies.manager_id}, ${users.manager_id})`)
    .leftJoin(own, sql`${own.id} = ${users.manager_id} and ${own.group_id} = ${group.manager} and ${own.id} is not ${manager.id}`)
    .leftJoin(invitations, eq(invitations.user_id, users.id))
    .where(whereIn(users.id, sql.placeholder('ids')))
  return readRows(fields, query, (rows, { t }) =>
    rows.map(({ own_manager: own, company, ...row }) => {
      const title = own ? `${t('Own manager')}: ${fullName(own)}` : undefined
      const manager = own ? [{ text: t('(own: {name})', { name: own.lastname }) }] : []
      return { ...row, label: userLabel(row), company: company ?? t('No company'), notes: { manager }, titles: { manager: title } }
    }),
  )
}
