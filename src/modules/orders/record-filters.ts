import { eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { allows, isDealer, type Rule } from '../../core/access.ts'
import { fullName } from '../../core/text.ts'
import { categories, companies, type manufactures, orderItems, orders, type stocks } from '../../database/index.ts'
import { parseId } from '../../http/request/input.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { whereClause } from '../../records/list/conditions.ts'
import type { Filter } from '../../records/list/list.ts'
import { type NamedIds, referenceFilter } from '../../records/list/record-filters.ts'
import { productAccess } from '../products/access.ts'
import { findProduct, productLabel } from '../products/product.ts'
import { dealerAccess, findDealer } from '../users/dealers/access.ts'

// Filters of orders by records that they belong to or have.

const ofDealer = (id: number) => eq(orders.dealer_id, id)

export const byDealer = namedFilter('dealer', 'Dealer', { find: findDealer, view: dealerAccess.view, titleOf: fullName }, ofDealer)

const withProduct = (id: number) =>
  sql`${orders.id} in (select ${orderItems.order_id} from ${orderItems} where ${orderItems.product_id} = ${id})`

export const byProduct = namedFilter(
  'product',
  'Product',
  { find: findProduct, view: productAccess.view, titleOf: productLabel },
  withProduct,
)

/** A filter that only an address sets: its record is named for those who may see it. */
function namedFilter<R>(
  name: string,
  label: string,
  { find, view, titleOf }: { find: FindRecord<R>; view: Rule<R>; titleOf: (record: R) => string },
  where: (id: number) => SQL,
): Filter {
  return {
    name,
    label,
    nameOf: ({ server, actor }, value) => {
      const record = find(server.db, Number(value))
      return record && allows(view, actor, record) ? titleOf(record) : undefined
    },
    where: (value) => {
      const id = parseId(value)
      return id === undefined ? undefined : where(id)
    },
  }
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
