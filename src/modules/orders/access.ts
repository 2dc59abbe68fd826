import { eq, sql } from 'drizzle-orm'
import { type Actor, all, anyOf, everyone, group, has, isGroup, type Ownership, type Rule, same } from '../../core/access.ts'
import { fieldsOpenTo } from '../../core/order-rights.ts'
import { companies, orders } from '../../database/schema/index.ts'
import type { OrderFacts } from './order.ts'

const ofTheirCompany: Ownership<OrderFacts> = {
  words: 'orders of your company',
  test: (actor, order) => same(order.owner_company_id, actor.company_id),
  where: (actor) => eq(orders.owner_company_id, actor.company_id ?? 0),
}

const ofTheirCompanies: Ownership<OrderFacts> = {
  words: 'orders of the companies you supervise',
  test: (actor, order) => same(order.owner_manager_id, actor.id),
  where: (actor) => eq(orders.owner_manager_id, actor.id),
}

const ofTheirPlace: Ownership<OrderFacts> = {
  words: 'orders of companies with your production site or stock',
  test: (actor, order) => same(order.company_manufacture_id, actor.manufacture_id) || same(order.company_stock_id, actor.stock_id),
  where: (actor) => sql`${orders.owner_company_id} in (select ${companies.id} from ${companies}
    where ${companies.manufacture_id} = ${actor.manufacture_id} or ${companies.stock_id} = ${actor.stock_id})`,
}

const inOpenStatus: Ownership<OrderFacts> = {
  words: 'orders in a status that lets you change something',
  test: (actor, order) => fieldsOpenTo(actor.group_id, order.lets).size > 0,
}

const inDeletableStatus: Ownership<OrderFacts> = {
  words: 'orders in a status that lets the dealer delete them',
  test: (_actor: Actor, order) => order.lets.has('order_dealer_can_delete'),
}

const withoutStatus: Ownership<OrderFacts & { status_id: number | null }> = {
  words: 'orders without a status',
  test: (_actor, order) => order.status_id === null,
}

// Seeing is needed for everything else (decisions, whose order, who sees it).
const view = anyOf<OrderFacts>(
  has('order_can_view'),
  isGroup(group.dealer, ofTheirCompany),
  isGroup(group.manager, ofTheirCompanies),
  isGroup(group.production, ofTheirPlace),
)

export const may = {
  list: view,
  view,
  add: anyOf<OrderFacts>(has('order_can_add'), isGroup(group.dealer), isGroup(group.manager)),
  edit: all(view, anyOf(has('order_can_edit'), everyone(inOpenStatus))),
  delete: all(view, anyOf(has('order_can_delete'), isGroup(group.dealer, inDeletableStatus))),
  settle: all<OrderFacts & { status_id: number | null }>(view, anyOf(isGroup(group.administrator, withoutStatus))),
} satisfies Record<string, Rule<OrderFacts & { status_id: number | null }>>
