import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { allows, isDealer } from '../../core/access.ts'
import { fullName } from '../../core/text.ts'
import { categories, companies, type manufactures, orderItems, orders, type stocks } from '../../database/index.ts'
import { parseId } from '../../http/request/input.ts'
import { whereClause } from '../../records/list/conditions.ts'
import type { Filter } from '../../records/list/list.ts'
import { equalsId, type NamedIds, referenceFilter } from '../../records/list/record-filters.ts'
import { productAccess } from '../products/access.ts'
import { findProduct, productLabel } from '../products/product.ts'
import { dealerAccess as dealerMay, findDealer } from '../users/dealers/access.ts'

// Filters of orders by records that they belong to or have.

export const byDealer: Filter = {
  name: 'dealer',
  label: 'Dealer',
  nameOf: ({ server, actor }, value) => {
    const dealer = findDealer(server.db, Number(value))
    return dealer && allows(dealerMay.view, actor, dealer) ? fullName(dealer) : undefined
  },
  where: (value) => equalsId(orders.dealer_id, value),
}

export const byProduct: Filter = {
  name: 'product',
  label: 'Product',
  nameOf: ({ server, actor }, value) => {
    const product = findProduct(server.db, Number(value))
    return product && allows(productAccess.view, actor, product) ? productLabel(product) : undefined
  },
  where: (value) => {
    const id = parseId(value)
    const lines = sql`select ${orderItems.order_id} from ${orderItems} where ${orderItems.product_id} = ${id}`
    return id === undefined ? undefined : sql`${orders.id} in (${lines})`
  },
}

export function byPlace(name: string, label: string, table: typeof stocks | typeof manufactures, column: SQLiteColumn): Filter {
  const ofCompanies = (id: number) => sql`${orders.owner_company_id} in (select ${companies.id} from ${companies} where ${column} = ${id})`
  const named: NamedIds = (seen) =>
    sql`select ${column} from ${companies} where ${companies.id} in (select ${orders.owner_company_id} from ${orders} ${whereClause(seen)})`
  const filter = referenceFilter(name, label, table, ofCompanies, named)
  return {
    ...filter,
    options: (context, ...more) => (isDealer(context.actor) ? [] : (filter.options?.(context, ...more) ?? [])),
  }
}

const withCategory = (id: number) =>
  sql`${orders.id} in (select ${orderItems.order_id} from ${orderItems} where ${orderItems.category_id} = ${id})`

const categoriesOf: NamedIds = (seen) =>
  seen
    ? sql`select ${orderItems.category_id} from ${orderItems} where ${orderItems.order_id} in (select ${orders.id} from ${orders} where ${seen})`
    : sql`select ${orderItems.category_id} from ${orderItems}`

export const byCategory = referenceFilter('category', 'Category', categories, withCategory, categoriesOf)
