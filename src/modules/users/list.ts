import { eq, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { group } from '../../core/access.ts'
import { type Database, invitations, manufactures, stocks, users, whereIn } from '../../database/index.ts'
import type { Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import { bodyOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { columnsOf } from '../../records/list/columns.ts'
import type { EmptyList } from '../../records/list/empty-list.ts'
import { type Column, type List, valuesOf } from '../../records/list/list.ts'
import { readRows } from '../../records/list/rows.ts'
import { type SwitchCell, switchRow } from '../../records/list/toggle.ts'
import { lackOfCompanies } from '../companies/assigned.ts'
import { addressFields } from '../notifications/channels.ts'
import { updateAccount } from './accounts.ts'
import { guardAdministrator } from './administrators.ts'
import { staffFields } from './fields.ts'
import { mayImpersonate } from './impersonation.ts'
import { invitationState, stateLabels } from './invitations/invitation.ts'
import { type User, userLabel } from './user.ts'
import type { UserRow, UserType } from './user-type.ts'

export function userList(db: Database, userType: UserType): List<UserRow> {
  const { name, title, addLabel, may } = userType
  return {
    name,
    title,
    empty: (context) => (name === 'dealers' ? lackOfCompanies(context) : undefined) ?? purposes[name],
    add: { path: `/${name}/add`, label: addLabel },
    table: users,
    baseCondition: eq(users.group_id, userType.group),
    sizes: [25, 50, 'all'],
    may: { ...may, edit: may.rowEdit ?? may.edit, impersonate: mayImpersonate },
    searchHint: 'name, email, phone',
    ...userType.list(db),
  }
}

/** Columns of everybody, named by the fields of forms. */
export const column = columnsOf({ fields: { ...staffFields, ...addressFields } }, users)

export const activeColumn = column('active', { label: 'Access', exported: { label: 'Active' } })

export const telegramColumn = column('tg_id', { kind: 'short', spare: true })

export const invitationColumn = {
  key: 'invitation',
  label: 'Invitation',
  kind: 'short',
  value: invitationState,
  words: stateLabels,
  hidden: true,
} as const satisfies Column

export const staffColumns = [
  column('image'),
  column('lastname', { kind: 'short', sort: users.search, opens: true }),
  column('name', { kind: 'short', sort: users.name }),
  column('email', { kind: 'contact', sort: users.email }),
  column('phone', { sort: users.phone }),
] as const satisfies readonly Column[]

export const placeColumns = [
  {
    key: 'stock',
    label: 'Warehouse',
    kind: 'text',
    value: stocks.name,
    sort: stocks.search,
    join: sql`left join ${stocks} on ${stocks.id} = ${users.stock_id}`,
  },
  {
    key: 'manufacture',
    label: 'Production site',
    kind: 'text',
    value: manufactures.name,
    sort: manufactures.search,
    join: sql`left join ${manufactures} on ${manufactures.id} = ${users.manufacture_id}`,
  },
] as const satisfies readonly Column[]

export function staffRows(db: Database) {
  const { id, group_id, version, superadmin } = users
  const fields = {
    ...valuesOf([...staffColumns, ...placeColumns, telegramColumn, activeColumn, invitationColumn]),
    ...{ id, group_id, version, superadmin },
  }
  const query = db
    .select(fields)
    .from(users)
    .leftJoin(stocks, eq(stocks.id, users.stock_id))
    .leftJoin(manufactures, eq(manufactures.id, users.manufacture_id))
    .leftJoin(invitations, eq(invitations.user_id, users.id))
    .where(whereIn(users.id, sql.placeholder('ids')))
  return readRows(fields, query, (rows, { t }) =>
    rows.map((row) => {
      const states = [row.superadmin && 'Superadministrator', row.invitation && stateLabels[row.invitation]]
      const isUnplaced = row.group_id === group.production && !row.stock && !row.manufacture
      const notes = {
        email: states.flatMap((state) => (state ? { text: t(state) } : [])),
        manufacture: isUnplaced ? [{ text: t('None: sees no orders') }] : [],
      }
      // Whoever deactivates a manager is asked about the companies.
      return { ...row, label: userLabel(row), notes, asks: row.group_id === group.manager }
    }),
  )
}

const activeCell = template<SwitchCell>('components/switch-cell.njk')

/** POST /<list>/{id}/active. With `ask`, a deactivation redirects to the hand-over page if there is something to hand over. */
export function toggleActive(list: List<UserRow>, { askFirst }: UserType) {
  const save = switchRow(list, 'active', activeCell, (context, user: User, active) => {
    if (active && !user.active) guardAdministrator(context, user, 'administrator-added')
    updateAccount(context.server, user, { active }, context.author)
  })
  return (request: FastifyRequest, user: User): Done => {
    const body = bodyOf(request)
    const asks = body.has('ask') && body.get('value') === '0'
    const question = asks ? askFirst?.(request, user) : undefined
    if (!question) return save(request, user)
    const location = url(request.server, question)
    return { location, fragment: (reply) => reply.header('HX-Redirect', location).send() }
  }
}

/** What an empty list says about those who would be in it. */
const purposes: Record<string, EmptyList> = {
  dealers: { title: 'No dealers yet', text: 'Dealers read the news and place orders for the customers of their company.' },
  managers: { title: 'No managers yet', text: 'Managers look after companies with their dealers and move orders on.' },
  productions: {
    title: 'No production users yet',
    text: 'Production users see the orders of their site, plan dates, and report what is made.',
  },
}
