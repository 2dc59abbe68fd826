import { eq, getTableColumns } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import { companies, prepareOnce, users, whereIn } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { isoTime, jsonOfFields } from '../../../records/api/fields-json.ts'
import { idsOf } from '../../../records/api/resource.ts'
import { boolean, integer, moment, orNull, string } from '../../../records/fields/json-schema.ts'
import type { AnyCard } from '../../../records/kind/card.ts'
import type { Resource } from '../../../records/kind/resource.ts'
import { type Dealer, dealerAccess, findDealer } from './access.ts'
import { dealerForm } from './form.ts'

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
export const dealerResource = (card: AnyCard): Resource<Dealer, Dealer> => ({
  name: 'dealers',
  schema: 'Dealer',
  table: users,
  find: findDealer,
  may: dealerAccess,
  walk: users.created_at,
  rows: ({ server }, ids) => byIds(server.db).all(idsOf(ids)),
  rowJson: jsonOfDealer,
  json: jsonOfDealer,
  card,
  fields: {
    ...{ id: integer, version: integer, tg_id: orNull(string), manager_id: orNull(integer), active: boolean },
    ...{ created_at: moment, updated_at: moment },
  },
})
