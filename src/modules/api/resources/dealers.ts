import { eq, getTableColumns } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import { companies, prepareOnce, users, whereIn } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { boolean, integer, moment, orNull, string } from '../../../records/fields/json-schema.ts'
import { type Dealer, dealerAccess, findDealer } from '../../users/dealers/access.ts'
import { dealerForm } from '../../users/dealers/form.ts'
import { recordedDealerCard } from '../../users/dealers/routes.ts'
import { isoTime, jsonOfFields } from '../fields-json.ts'
import { idsOf, type Resource, registeredList } from './resource.ts'

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

export const dealerResource: Resource<Dealer, Dealer> = {
  name: 'dealers',
  schema: 'Dealer',
  table: users,
  find: findDealer,
  may: dealerAccess,
  list: registeredList('dealers'),
  walk: users.created_at,
  rows: ({ server }, ids) => byIds(server.db).all(idsOf(ids)),
  rowJson: jsonOfDealer,
  json: jsonOfDealer,
  card: recordedDealerCard as never,
  fields: {
    ...{ id: integer, version: integer, tg_id: orNull(string), manager_id: orNull(integer), active: boolean },
    ...{ created_at: moment, updated_at: moment },
  },
}
