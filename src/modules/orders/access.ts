import { eq, inArray, or, sql } from 'drizzle-orm'
import { type Actor, allOf, allows, anyOf, everyone, group, has, isGroup, isSameId, type Ownership, type Rule } from '../../core/access.ts'
import { dateFields, fieldsEditableBy } from '../../core/order-editable-fields.ts'
import { ofPrices } from '../../core/prices.ts'
import { isAtSite, ofManagers } from '../../core/scopes.ts'
import { companies, deputies, orders, users } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { parseId } from '../../http/request/input.ts'
import { findOrder, type OrderFacts } from './order.ts'

const ofTheirCompany: Ownership<OrderFacts> = {
  description: 'orders of your company',
  refusal: 'Another company placed this order.',
  predicate: (actor, order) => isSameId(order.owner_company_id, actor.company_id),
  where: (actor) => eq(orders.owner_company_id, actor.company_id ?? 0),
  whose: (order) => eq(users.company_id, order.owner_company_id ?? 0),
}

const supervised = ofManagers<OrderFacts>({
  description: 'orders of companies you manage',
  managerOf: ({ owner_manager_id }) => owner_manager_id,
  where: (managers) => inArray(orders.owner_manager_id, managers),
  whose: ({ owner_manager_id: manager }) => sql`(${users.id} = ${manager}
    or ${users.id} in (select ${deputies.deputy_id} from ${deputies} where ${deputies.manager_id} = ${manager}))`,
})

const ofTheirSite: Ownership<OrderFacts> = {
  description: 'orders of companies with your production site or warehouse',
  predicate: isAtSite,
  where: (actor) => sql`${orders.owner_company_id} in (select ${companies.id} from ${companies}
    where ${companies.manufacture_id} = ${actor.manufacture_id} or ${companies.stock_id} = ${actor.stock_id})`,
  whose: (order) => or(eq(users.manufacture_id, order.company_manufacture_id ?? 0), eq(users.stock_id, order.company_stock_id ?? 0)),
}

const inEditableStatus: Ownership<OrderFacts> = {
  description: 'orders you can edit in their current status',
  predicate: (actor, order) => fieldsEditableBy(actor.group_id, order.statusPermissions).size > 0,
}

const inSchedulableStatus: Ownership<OrderFacts> = {
  description: 'orders whose dates you can set in their current status',
  predicate: (actor, order) => {
    const open = fieldsEditableBy(actor.group_id, order.statusPermissions)
    return dateFields.some((name) => open.has(name))
  },
}

const inDeletableStatus: Ownership<OrderFacts> = {
  description: 'orders the dealer can delete in their current status',
  predicate: (_actor: Actor, order) => order.statusPermissions.has('order_dealer_can_delete'),
}

const withoutStatus: Ownership<OrderFacts & { status_id: number | null }> = {
  description: 'orders without a status',
  predicate: (_actor, order) => order.status_id === null,
}

const seenBy = (ofTheirCompanies: Ownership<OrderFacts>) =>
  anyOf<OrderFacts>(
    has('order_can_view'),
    isGroup(group.dealer, ofTheirCompany),
    isGroup(group.manager, ofTheirCompanies),
    isGroup(group.production, ofTheirSite),
  )

// Every other right presupposes seeing the order.
const view = seenBy(supervised.read)
const act = seenBy(supervised.act)

/** Payments are amounts. */
const pays = anyOf<OrderFacts>(has(ofPrices.needs))

export const orderAccess = {
  list: view,
  view,
  /** Whatever is more than reading asks for it. */
  act,
  /** Dealers are reminded by those who look after them. */
  remind: allOf(act, anyOf(isGroup(group.administrator), isGroup(group.manager))),
  /** Dealers may open a work sheet, but make nothing. */
  viewWorkSheet: allOf(view, anyOf(isGroup(group.administrator), isGroup(group.manager), isGroup(group.production))),
  /** What dealers offer to their own customers is made of what they pay. */
  offer: allOf(view, pays, anyOf(isGroup(group.dealer))),
  add: anyOf<OrderFacts>(has('order_can_add'), isGroup(group.dealer), isGroup(group.manager)),
  edit: allOf(act, anyOf(has('order_can_edit'), everyone(inEditableStatus))),
  schedule: allOf(act, anyOf(has('order_can_edit'), everyone(inSchedulableStatus))),
  delete: allOf(act, anyOf(has('order_can_delete'), isGroup(group.dealer, inDeletableStatus))),
  viewPayments: allOf(view, pays),
  /** Of those who may not confirm one it counts once somebody has. */
  reportPayment: allOf(act, pays, anyOf(isGroup(group.dealer), isGroup(group.manager), has('payment_can_confirm'))),
  payFromBalance: allOf(act, pays, anyOf(isGroup(group.dealer), has('payment_can_confirm'))),
  decidePayment: allOf(act, pays, anyOf(has('payment_can_confirm'))),
  assignStatus: allOf<OrderFacts & { status_id: number | null }>(act, anyOf(isGroup(group.administrator, withoutStatus))),
} satisfies Record<string, Rule<OrderFacts & { status_id: number | null }>>

export function visibleOrderId({ server, actor }: Context, text: string | null): number | undefined {
  const order = findOrder(server.db, parseId(text) ?? -1)
  return order && allows(orderAccess.view, actor, order) ? order.id : undefined
}
