import { eq, getTableColumns } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { allows, either, group, ignoringScope } from '../../../core/access.ts'
import { groupNames } from '../../../core/labels.ts'
import { companies, prepareOnce, users, whereIn } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { isoTime, jsonOfFields } from '../../../records/api/fields-json.ts'
import { rowsBy } from '../../../records/api/resource.ts'
import { boolean, integer, moment, orNull, string } from '../../../records/fields/json-schema.ts'
import { showChoices, whenAsked } from '../../../records/form/choices.ts'
import type { AnyCard, Fact } from '../../../records/kind/card.ts'
import type { ImportPart } from '../../../records/kind/registry.ts'
import type { Resource } from '../../../records/kind/resource.ts'
import { readingPath } from '../../../records/list/record-paths.ts'
import { companyAccess as companyMay } from '../../companies/access.ts'
import { findCompany } from '../../companies/company.ts'
import { recordViewsTab } from '../../record-views/tab.ts'
import { userCard } from '../card.ts'
import { fullNameColumn } from '../full-name.ts'
import { invitationOfNew } from '../invitations/send-invitation.ts'
import { userList } from '../list.ts'
import { userTypeRoutes } from '../routes.ts'
import { noPassword, type User } from '../user.ts'
import type { UserType } from '../user-type.ts'
import { type Dealer, dealerAccess, dealerFacts, findDealer } from './access.ts'
import { dealersBulkChange } from './bulk-change.ts'
import { describeFollowing, settleOrders } from './change-company.ts'
import { companyChoices, dealerForm, dealerFormPanel, findCompanies, suggestedCompany } from './form.ts'
import { dealerListOptions } from './list.ts'

/** @param overview what orders, which lie above, say of dealers besides */
export function dealerRoutes(app: FastifyInstance, overview: UserType['overview']): void {
  const list = userList(app.db, dealerType)
  dealersBulkChange(app, list)
  userTypeRoutes(app, { ...dealerType, overview, imports: dealerImports, api: dealerResource(recordedDealerCard as never) }, list)
  app.get(
    '/dealers/companies',
    { access: either(dealerAccess.add, ignoringScope(dealerAccess.edit)), answers: 'fragment' },
    showChoices(findCompanies),
  )
}

export const dealerType: UserType = {
  name: 'dealers',
  group: group.dealer,
  icon: 'users',
  letter: 'd',
  title: groupNames[group.dealer],
  roleLabel: 'Dealer',
  addLabel: 'Add dealer',
  newTitle: 'New dealer',
  created: 'Dealer {name} added',
  question: 'Delete {count} dealers?',
  done: '{count} dealers deleted',
  may: dealerAccess,
  form: dealerForm,
  panel: dealerFormPanel,
  choices: (context, dealer, input) => whenAsked({ company_id: () => companyChoices(context, input, dealer) }),
  suggested: (context, input) => ({ company_id: suggestedCompany(context, input)[0]?.id }),
  again: ({ company_id }) => ({ ...(company_id && { company: String(company_id) }) }),
  find: findDealer,
  factsOf: dealerFacts,
  list: dealerListOptions,
  related: { orders: 'dealer' },
  tabs: [recordViewsTab('dealers', '/dealers')],
  formState: askOfOrders,
  beforeSave: (context, dealer, change) => settleOrders(context, dealer as Dealer, change),
  facts: describeDealer,
  initialValues: ({ actor }) => ({ manager_id: actor.id }),
}

/** Of dealers whom imports and the API add: nobody registers them in person, so they have the manager of their company. */
const recordedDealerCard = userCard({
  ...dealerType,
  initialValues: ({ server: { db } }, values) => {
    const { company_id } = values as Partial<User>
    return { manager_id: findCompany(db, company_id ?? 0)?.manager_id ?? null }
  },
})

const dealerImports: ImportPart = {
  keys: ['external_id', 'email'],
  unique: 'email',
  finders: { company_id: findCompanies },
  initial: { password: noPassword },
  splits: { full_name: fullNameColumn },
  invitation: invitationOfNew(group.dealer),
  adds: { company_id: 'companies' },
  reverting: { orders: 'move' },
  card: recordedDealerCard as never,
}

/** Whoever may give the dealer another company is asked what becomes of the orders. */
function askOfOrders(context: Context, dealer: User): ReturnType<Required<UserType>['formState']> {
  if (!allows(dealerAccess.edit, context.actor, dealer as Dealer)) return { states: { orders: 'hidden' } }
  const what = describeFollowing(context, [dealer.id])
  return what ? { hints: { orders: { text: 'Affects {what}.', params: { what } } } } : {}
}

function describeDealer(context: Context, dealer: User): Fact[] {
  const company = findCompany(context.server.db, dealer.company_id ?? 0)
  return [
    {
      label: 'Company',
      text: company?.org,
      href: company && allows(companyMay.view, context.actor, company) ? readingPath(context, 'companies', company.id) : undefined,
    },
  ]
}

const byIds = prepareOnce((db, params) =>
  db
    .select({ ...getTableColumns(users), company_manager_id: companies.manager_id })
    .from(users)
    .leftJoin(companies, eq(companies.id, users.company_id))
    .where(whereIn(users.id, params.ids))
    .prepare(),
)

/** What the card of a dealer shows and the list does not: not everybody who sees the list may open every card. */
const onlyOnCard = ['middlename', 'phone', 'email']

function jsonOfDealer({ actor }: Context, dealer: Dealer) {
  const { id, version, tg_id, manager_id, active, created_at, updated_at } = dealer
  const fields = jsonOfFields(dealerForm, dealer, allows(dealerAccess.view, actor, dealer) ? [] : onlyOnCard)
  return { id, version, ...fields, tg_id, manager_id, active, created_at: isoTime(created_at), updated_at: isoTime(updated_at) }
}

/** @param card by which programs add and change dealers */
const dealerResource = (card: AnyCard): Resource<Dealer, Dealer> => ({
  name: 'dealers',
  schema: 'Dealer',
  table: users,
  find: findDealer,
  may: dealerAccess,
  walk: users.created_at,
  rows: rowsBy(byIds),
  json: jsonOfDealer,
  card,
  fields: {
    ...{ id: integer, version: integer, tg_id: orNull(string), manager_id: orNull(integer), active: boolean },
    ...{ created_at: moment, updated_at: moment },
  },
})
