import { extname } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { lineCost } from '../../../core/order-cost.ts'
import { editableFields } from '../../../core/order-editable-fields.ts'
import { seesPrices } from '../../../core/prices.ts'
import { requirableFields } from '../../../core/transition-rules.ts'
import { categories, companies, manufactures, orderItems, orders, prepareOnce, stocks, users } from '../../../database/index.ts'
import type { Acting } from '../../../web/acting.ts'
import { describeValue } from '../../../web/form/describe-value.ts'
import { type Field, fieldsOf, type Group } from '../../../web/form/form.ts'
import { previewKind } from '../../../web/uploads/file-type.ts'
import { orderForm, orderGroups, unseenOf } from '../form.ts'
import type { Order } from '../order.ts'

/** The lines of an order, with what they cost for those who may see it. */
export function presentLines({ server, actor }: Acting, order: Order) {
  const lines = linesOf(server.db)
    .all({ order: order.id })
    .map((line) => ({ ...line, sum: lineCost(line) }))
  const subtotal = lines.reduce((sum, { quantity, price }) => sum + quantity * (price ?? 0), 0)
  const pieces = lines.reduce((sum, line) => sum + line.quantity, 0)
  if (!seesPrices(actor)) return { lines: lines.map(({ id, name, category, quantity }) => ({ id, name, category, quantity })), pieces }
  return { lines, pieces, amounts: { subtotal, discount: subtotal - order.cost, total: order.cost } }
}

const linesOf = prepareOnce((db, given) => {
  const { id, name, quantity, price, discount } = orderItems
  const lines = db.select({ id, name, category: categories.name, quantity, price, discount }).from(orderItems)
  const named = lines.leftJoin(categories, eq(categories.id, orderItems.category_id))
  return named.where(eq(orderItems.order_id, given.order)).orderBy(id).prepare()
})

const names = ['specification', 'invoice', 'payment_order'] as const

export function presentDocuments({ server: { db }, actor, t }: Acting, order: Order) {
  const open = editableFields(actor, order.statusPermissions)
  const unseen = unseenOf(actor)
  return names.flatMap((field) => {
    if (unseen.includes(field)) return []
    const key = order[field]
    const stored = key ? storedDocument(db).get({ order: order.id, key }) : undefined
    const name = key ? (stored?.name ?? t('File')) : undefined
    const document = { field, label: t(requirableFields[field]), key, ...stored, name, preview: name && previewKind(extname(name)) }
    return key || open.has(field) ? [document] : []
  })
}

const storedDocument = prepareOnce((db) =>
  db.$client.prepare<{ order: number; key: string }, { name: string; size: number; at: number; actor_name: string }>(
    `select uploads.name, uploads.size, changes.at, changes.actor_name from changes cross join uploads
      where changes.entity = 'orders' and changes.record_id = :order and instr(changes.fields, :key) > 0
        and uploads.key = :key and uploads.user_id = changes.actor_id and uploads.at <= changes.at
      order by changes.record_version desc, uploads.id desc limit 1`,
  ),
)

/** As text what the form asks for about customer, delivery and dates, and where the order is made and kept. */
export function presentProperties(acting: Acting, order: Order) {
  const { server, actor, t } = acting
  const unseen = unseenOf(actor)
  const { stock, manufacture } = findFacts(server.db).get({ order: order.id }) ?? {}
  const present = ({ title, fields }: Group) => ({
    title: t(title),
    properties: Object.keys(fields).flatMap((name) => (unseen.includes(name) ? [] : presentProperty(acting, order, name))),
  })
  const production = present(orderGroups.production)
  production.properties.push(
    { name: 'stock', label: t('Warehouse'), value: stock ?? '' },
    { name: 'manufacture', label: t('Production site'), value: manufacture ?? '' },
  )
  return { customer: present(orderGroups.customer), delivery: present(orderGroups.delivery), production }
}

export interface Property {
  name: string
  label: string
  /** Empty where there is none. */
  value: string
  /** To call or to write to. */
  href?: string
}

export function presentProperty({ t }: Acting, order: Order, name: string): Property {
  const field = fieldsOf(orderForm, { mode: 'edit' }).get(name) as Field
  const value = { ...order }[name as keyof Order]
  const text = value === null || value === '' ? '' : describeValue(name, field, value, {}, t)
  return { name, label: t(field.label), value: text, href: linkTo(name, value) }
}

/** The address by which to call or to write to somebody. */
export function linkTo(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  if (name === 'phone') return `tel:${value.replace(/[^\d+]/g, '')}`
  return name === 'email' ? `mailto:${encodeURIComponent(value).replace('%40', '@')}` : undefined
}

const managers = alias(users, 'managers')

export const findFacts = prepareOnce((db, given) => {
  const { id, lastname, name, middlename, image, phone, email } = managers
  return db
    .select({ stock: stocks.name, manufacture: manufactures.name, manager: { id, lastname, name, middlename, image, phone, email } })
    .from(orders)
    .leftJoin(companies, eq(companies.id, orders.owner_company_id))
    .leftJoin(stocks, eq(stocks.id, companies.stock_id))
    .leftJoin(manufactures, eq(manufactures.id, companies.manufacture_id))
    .leftJoin(users, eq(users.id, orders.dealer_id))
    .leftJoin(managers, sql`${managers.id} = coalesce(${orders.owner_manager_id}, ${users.manager_id})`)
    .where(eq(orders.id, given.order))
    .prepare()
})
