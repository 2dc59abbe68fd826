import { extname } from 'node:path'
import { eq } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { unitNames, vatNames } from '../../../core/labels.ts'
import { dateFields, editableFields } from '../../../core/order-editable-fields.ts'
import { seesPrices } from '../../../core/prices.ts'
import { lineCost, sumAmounts, vatWithin } from '../../../core/pricing.ts'
import { categories, companies, manufactures, orderItems, orders, prepareOnce, stocks, users } from '../../../database/index.ts'
import type { Acting } from '../../../web/acting.ts'
import { describeValue } from '../../../web/form/describe-value.ts'
import { type Field, type Fields, fieldsOf, type Group } from '../../../web/form/form.ts'
import { previewKind } from '../../../web/uploads/file-type.ts'
import { attachedFile } from '../../../web/uploads/uploaded.ts'
import { contactLink } from '../../../web/view/contact-link.ts'
import { describeOrigin } from '../../products/price-origin.ts'
import { orderFiles, orderForm, orderGroups, unseenOf } from '../form.ts'
import type { Order } from '../order.ts'

/** The lines of an order, with what they cost for those who may see it. */
export function presentLines(acting: Acting, order: Order) {
  const stored = linesOf(acting.server.db).all({ order: order.id })
  const pieces = stored.reduce((sum, { item }) => sum + item.quantity, 0)
  if (!seesPrices(acting.actor)) return { lines: stored.map((line) => describeLine(acting, line)), pieces }
  const lines = stored.map((line) => ({ ...describeLine(acting, line), ...presentPrice(acting, line) }))
  const subtotal = lines.reduce((sum, { quantity, price }) => sum + quantity * (price ?? 0), 0)
  return { lines, pieces, amounts: { subtotal, discount: subtotal - order.cost, total: order.cost, vat: totalVat(lines) } }
}

type StoredLine = ReturnType<ReturnType<typeof linesOf>['all']>[number]

function describeLine({ t }: Acting, { item, category }: StoredLine) {
  const { id, name, quantity, article, unit, basis, width, height } = item
  const size = [width, height].filter((side) => side !== null).join('\u00a0×\u00a0')
  return {
    id,
    name,
    category,
    quantity,
    article,
    unit: unit && basis !== 'each' ? t(unitNames[unit]) : null,
    size: size && t('{size} mm', { size }),
  }
}

/** A line with a product shows what one piece costs, the discount included, so that price times quantity is the amount. */
function presentPrice({ server: { db }, t }: Acting, { item }: StoredLine) {
  const { price, discount, piece_price, price_origin: origin, category_id, vat } = item
  const sum = lineCost(item)
  const vatName = vat === null ? undefined : t(vatNames[vat])
  const own = { sum, vat: vatWithin(sum, vat) ?? undefined, vatName }
  if (piece_price === null || price === null || origin === null) return { price, discount, ...own }
  return { price: piece_price, included: discount, origin: describeOrigin(t, db, { price, discount, origin }, { category_id }), ...own }
}

/** Nothing where nothing is said of VAT; without an amount where there is none to pay. */
function totalVat(lines: readonly { vat?: number; vatName?: string }[]): { amount: number | undefined } | undefined {
  if (lines.every(({ vatName }) => vatName === undefined)) return undefined
  const amounts = lines.flatMap(({ vat }) => vat ?? [])
  return { amount: amounts.length > 0 ? sumAmounts(amounts) : undefined }
}

const linesOf = prepareOnce((db, given) => {
  const lines = db.select({ item: orderItems, category: categories.name }).from(orderItems)
  const named = lines.leftJoin(categories, eq(categories.id, orderItems.category_id))
  return named.where(eq(orderItems.order_id, given.order)).orderBy(orderItems.id).prepare()
})

export function presentDocuments({ server: { db }, actor, t }: Acting, order: Order) {
  const open = editableFields(actor, order.statusPermissions)
  const unseen = unseenOf(actor)
  const declared: Fields = orderForm.fields
  const keys = order as Partial<Record<string, unknown>>
  return orderFiles.flatMap((field) => {
    if (unseen.includes(field)) return []
    const key = keys[field] as string | null
    const stored = key ? attachedFile(db, { entity: 'orders', id: order.id, field }, key) : undefined
    const name = key ? (stored?.name ?? t('File')) : undefined
    const document = {
      field,
      label: t((declared[field] as Field).label),
      key,
      ...stored,
      name,
      preview: name && previewKind(extname(name)),
    }
    return key || open.has(field) ? [document] : []
  })
}

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

/** What is filled in, dates first, and the labels of what is not. */
export function presentDetails(acting: Acting, order: Order) {
  const { production, customer, delivery } = presentProperties(acting, order)
  const dates = { ...production, properties: [...production.properties].sort((a, b) => Number(isDate(b)) - Number(isDate(a))) }
  const groups = { dates: fold(dates), customer: fold(customer), delivery: fold(delivery) }
  const empty = [dates, customer, delivery].flatMap(({ properties }) => properties.filter(({ value }) => !value))
  return { ...groups, empty: empty.map(({ label }) => label) }
}

const isDate = ({ name }: Property) => dateFields.some((field) => field === name)

function fold(group: { title: string; properties: Property[] }) {
  return { ...group, properties: group.properties.filter(({ value }) => value) }
}

interface Property {
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
  return { name, label: t(field.label), value: text, href: contactLink(name, value) }
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
    .leftJoin(managers, eq(managers.id, orders.owner_manager_id))
    .where(eq(orders.id, given.order))
    .prepare()
})
