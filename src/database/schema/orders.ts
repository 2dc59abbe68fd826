import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { type OrderFile, orderFiles } from '../../core/order-editable-fields.ts'
import { bases, priceOrigins, type Unit, unitCodes, vatRates } from '../../core/pricing.ts'
import {
  actorColumns,
  belongsTo,
  ephemeralRows,
  flag,
  id,
  recordRules,
  refersTo,
  searched,
  timestamp,
  trashedRows,
  versionedColumns,
} from './columns.ts'
import { companies } from './companies.ts'
import { products } from './products.ts'
import { categories } from './references.ts'
import { statuses } from './statuses.ts'
import { users } from './users.ts'

const units = Object.keys(unitCodes) as [Unit, ...Unit[]]

const optionalText = () => text()

const fileColumns = () =>
  Object.fromEntries(orderFiles.map((name) => [name, optionalText()])) as Record<OrderFile, ReturnType<typeof optionalText>>

export const orders = sqliteTable(
  'orders',
  {
    id: id(),
    status_id: refersTo(() => statuses.id),
    dealer_id: refersTo(() => users.id),
    /** The dealer's company when the order was created; counts once the dealer is deleted. */
    company_id: refersTo(() => companies.id),
    /** Whether it belongs to that company for good: its dealer has moved to another one without it. */
    company_stays: flag(false),
    /** The current company and its manager, maintained by triggers. */
    owner_company_id: integer(),
    owner_manager_id: integer(),
    specification_number: integer(),
    sn: text(),
    ...fileColumns(),
    date_make: text(),
    date_delivery: text(),
    date_payment: text(),
    payment: text(),
    receiver: text(),
    phone: text(),
    email: text(),
    delivery: text(),
    address: text(),
    deferred_payment: flag(false),
    comment: text(),
    cost: integer().notNull().default(0),
    /** When the order entered its status, maintained by triggers. */
    status_since: timestamp().notNull().default(0),
    /** The day from which its company owes what it costs; empty while nothing is due. */
    due_since: text(),
    external_id: text(),
    ...versionedColumns,
  },
  (table) => [
    uniqueIndex('orders_external').on(table.external_id).where(sql`external_id is not null`),
    index('orders_status').on(table.status_id, table.created_at, table.id),
    index('orders_dealer').on(table.dealer_id),
    index('orders_company').on(table.company_id),
    // End with status and cost, so that tabs are counted and amounts of a period summed from the index alone.
    index('orders_owner').on(table.owner_company_id, table.created_at, table.id, table.status_id, table.cost),
    index('orders_manager').on(table.owner_manager_id, table.created_at, table.id, table.status_id, table.cost),
    index('orders_created').on(table.created_at, table.id, table.status_id, table.cost),
    index('orders_updated').on(table.updated_at, table.id),
    index('orders_number').on(table.specification_number, table.id),
    index('orders_cost').on(table.cost, table.id),
    // Few are late, so that the filter reads no others.
    ...[table.date_make, table.date_delivery].map((day) => index(`orders_${day.name}_due`).on(table.status_id, day)),
    // The status first where a queue is a range of days within a status, the day first where a list is sorted by it.
    index('orders_stuck').on(table.status_id, table.status_since),
    index('orders_owner_status').on(table.owner_company_id, table.status_id, table.status_since),
    index('orders_manager_status').on(table.owner_manager_id, table.status_id, table.status_since),
    index('orders_since').on(table.status_since, table.id),
    ...[table.date_make, table.date_delivery, table.date_payment].map((day) => index(`orders_${day.name}`).on(day, table.id)),
    ...orderFiles.map((name) => index(`orders_${name}`).on(table[name]).where(sql`${table[name]} is not null`)),
  ],
)

recordRules(orders, {
  label: sql`concat('#', ${orders.id}, ' (' || ${orders.specification_number} || ')')`,
  derived: ['company_stays', 'owner_company_id', 'owner_manager_id', 'status_since'],
  files: [...orderFiles],
})

export const searchedOrders = searched(orders, {
  numbers: ['id', 'specification_number'],
  columns: ['receiver', 'sn', 'address', 'external_id'],
  phones: ['phone'],
})

/** Number of orders by month (`YYYY-MM`, UTC) and status (0 for none), maintained by triggers. */
export const orderTallies = sqliteTable(
  'order_tallies',
  { status_id: integer().notNull(), month: text().notNull(), count: integer().notNull() },
  (table) => [primaryKey({ columns: [table.status_id, table.month] })],
)

export const orderItems = sqliteTable(
  'order_items',
  {
    id: id(),
    order_id: belongsTo(() => orders.id),
    category_id: refersTo(() => categories.id),
    name: text().notNull(),
    quantity: integer().notNull(),
    /** Of a unit, before the discount; null while a line without product waits for its price. */
    price: integer(),
    discount: integer().notNull(),
    // Of a line with a product, as they were when it was written. Other lines have none of this but the VAT rate.
    product_id: refersTo(() => products.id),
    article: text(),
    unit: text({ enum: units }),
    basis: text({ enum: bases }),
    width: integer(),
    height: integer(),
    /** The price of one piece in its size, after the discount. */
    piece_price: integer(),
    price_origin: text({ enum: priceOrigins }),
    priced_on: text(),
    agreed_reason: text(),
    vat: text({ enum: vatRates }),
    // Of a line that had a product once: what a piece of that cost before the discount, and the discount in percent.
    replaced_price: integer(),
    replaced_discount: integer(),
    /** What is to be made of the product. */
    remark: text(),
    /** Drawings and photos of what is to be made. */
    files: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
  },
  (table) => [
    index('order_items_order').on(table.order_id),
    index('order_items_category').on(table.category_id),
    index('order_items_product').on(table.product_id).where(sql`product_id is not null`),
    index('order_items_files').on(table.files).where(sql`files <> '[]'`),
  ],
)

trashedRows(orderItems, { files: ['files'] })

export const orderHistory = sqliteTable(
  'order_history',
  {
    id: id(),
    order_id: belongsTo(() => orders.id),
    at: timestamp().notNull(),
    transition_id: integer(),
    from_status_id: integer(),
    from_name: text(),
    to_status_id: integer(),
    to_name: text(),
    ...actorColumns,
    filled: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull().default({}),
    forced: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull().default({}),
    comment: text(),
    /** The manager whose deputy made it. */
    for_name: text(),
    /** Why the step was made although the company exceeds its credit limit. */
    exceed_reason: text(),
    /** Whether it was made because the order was paid: whoever made it booked the money. */
    when_paid: flag(false),
    /** The version of the order that this step made: its change history says what was before. */
    record_version: integer(),
    /** Until when whoever made this step may take it back; empty where nobody may. */
    undo_until: timestamp(),
    undone_at: timestamp(),
    /** The step that this one took back. */
    undoes_id: integer(),
  },
  (table) => [index('order_history_order').on(table.order_id, table.at), index('order_history_at').on(table.at)],
)

trashedRows(orderHistory)

/** Orders that somebody is still writing: the form as it was typed. */
export const orderDrafts = sqliteTable(
  'order_drafts',
  {
    id: id(),
    user_id: belongsTo(() => users.id),
    /** Names and values as they were sent. */
    fields: text({ mode: 'json' }).$type<[name: string, value: string][]>().notNull(),
    /** The keys of the uploads among them; empty where there are none. */
    files: text({ mode: 'json' }).$type<string[]>(),
    created_at: timestamp().notNull(),
    opened_at: timestamp().notNull(),
    /** Deleted by its person, who may still take that back. */
    deleted_at: timestamp(),
    /** The order that it became, to which its address leads then. */
    order_id: integer(),
  },
  (table) => [
    index('order_drafts_user').on(table.user_id, table.id),
    index('order_drafts_opened').on(table.opened_at),
    index('order_drafts_files').on(table.files).where(sql`files is not null`),
  ],
)

ephemeralRows(orderDrafts, [], { files: ['files'] })
