import { asc, eq, type SQL, sql } from 'drizzle-orm'
import { unitNames, vatNames } from '../../../core/labels.ts'
import { ofPrices } from '../../../core/prices.ts'
import { categories, companies, type Database, orderItems, orders, statuses, users, whereIn } from '../../../database/index.ts'
import type { Lines } from '../../../records/list/list.ts'

/** In kopecks, as `lineCost` has it. */
const amountOfLine = sql<number>`ifnull(${orderItems.piece_price} * ${orderItems.quantity},
  (${orderItems.quantity} * ifnull(${orderItems.price}, 0) * (100 - ${orderItems.discount}) + 50) / 100)`

const rate = sql`cast(${orderItems.vat} as integer)`

/** The VAT within the amount of a line, rounded half up as `vatWithin` does; null where there is none to name. */
export const vatOfLine = sql<
  number | null
>`iif(${orderItems.vat} <> 'none', (2 * ${amountOfLine} * ${rate} + 100 + ${rate}) / (2 * (100 + ${rate})), null)`

/** A line that waits for its price has no amount yet. */
const priced = (amount: SQL | typeof orderItems.piece_price) => sql`iif(${orderItems.price} is null, null, ${amount})`

const columns = [
  { label: 'Order', width: 10, value: orders.id },
  { label: 'Spec. No.', width: 12, value: orders.specification_number },
  { label: 'Company', value: companies.org },
  { label: 'Dealer', value: { lastname: users.lastname, name: users.name, middlename: users.middlename } },
  { label: 'Status', kind: 'status', value: statuses.name },
  { label: 'Order created', kind: 'moment', value: orders.created_at },
  { label: 'Article', width: 16, value: orderItems.article },
  { label: 'Product', width: 40, value: orderItems.name },
  { label: 'Category', value: categories.name },
  { label: 'Width, mm', width: 12, value: orderItems.width },
  { label: 'Height, mm', width: 12, value: orderItems.height },
  { label: 'Remark', width: 40, value: orderItems.remark },
  { label: 'Drawings and photos', width: 12, value: sql<number | null>`nullif(json_array_length(${orderItems.files}), 0)` },
  { label: 'Quantity', width: 12, value: orderItems.quantity },
  { label: 'Unit', width: 10, value: orderItems.unit, words: unitNames },
  { label: 'Price', kind: 'money', width: 16, value: orderItems.price, ...ofPrices },
  { label: 'Discount, %', width: 12, value: orderItems.discount, ...ofPrices },
  { label: 'Price per piece', kind: 'money', width: 16, value: orderItems.piece_price, ...ofPrices },
  { label: 'Amount', kind: 'money', width: 16, value: priced(amountOfLine), ...ofPrices },
  { label: 'VAT', width: 12, value: orderItems.vat, words: vatNames, ...ofPrices },
  { label: 'VAT included', kind: 'money', width: 16, value: priced(vatOfLine), ...ofPrices },
] as const satisfies Lines['columns']

/** Lines of orders, a row each, with what tells their orders apart. */
export function orderLines(db: Database): Lines {
  const fields = Object.fromEntries(columns.map(({ label, value }) => [label, value]))
  const query = db
    .select(fields)
    .from(orderItems)
    .innerJoin(orders, eq(orders.id, orderItems.order_id))
    .leftJoin(companies, eq(companies.id, orders.owner_company_id))
    .leftJoin(users, eq(users.id, orders.dealer_id))
    .leftJoin(statuses, eq(statuses.id, orders.status_id))
    .leftJoin(categories, eq(categories.id, orderItems.category_id))
    .where(whereIn(orderItems.order_id, sql.placeholder('ids')))
    .orderBy(asc(orderItems.id))
  return { title: 'Order lines', columns, selection: { fields, query } }
}
