import { extname } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { allows } from '../../../core/access.ts'
import { lineCost } from '../../../core/order-cost.ts'
import { editableFields } from '../../../core/order-editable-fields.ts'
import { seesPrices } from '../../../core/prices.ts'
import { fullName } from '../../../core/text.ts'
import { requirableFields } from '../../../core/transition-rules.ts'
import { categories, companies, manufactures, orderItems, orders, prepareOnce, stocks, users } from '../../../database/index.ts'
import type { Acting } from '../../../web/acting.ts'
import { describeValue } from '../../../web/form/describe-value.ts'
import { type Field, fieldsOf, type Group } from '../../../web/form/form.ts'
import { previewKind } from '../../../web/uploads/file-type.ts'
import { may as companyMay } from '../../companies/access.ts'
import { findCompany } from '../../companies/company.ts'
import { may as dealerMay, findDealer } from '../../users/dealers/access.ts'
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
    return key || open.has(field) ? [{ ...document, editable: open.has(field) }] : []
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

/** As text what the form asks for about customer, delivery and dates, and who and what is responsible. */
export function presentProperties(acting: Acting, order: Order) {
  const { server, actor, t } = acting
  const unseen = unseenOf(actor)
  const { stock, manufacture, manager } = findFacts(server.db).get({ order: order.id }) ?? {}
  const present = ({ title, fields }: Group) => ({
    title: t(title),
    properties: Object.keys(fields).flatMap((name) => (unseen.includes(name) ? [] : presentProperty(acting, order, name))),
  })
  const fact = (label: string, text: string | null | undefined, href?: string) => ({ label: t(label), value: text || '—', href })
  const production = present(orderGroups.production)
  production.properties.push(fact('Warehouse', stock), fact('Production site', manufacture))
  const name = manager && fullName(manager)
  const contact = [
    fact('Full name', name),
    fact('Phone', manager?.phone, linkTo('phone', manager?.phone)),
    fact('Email', manager?.email, linkTo('email', manager?.email)),
  ]
  return {
    customer: present(orderGroups.customer),
    delivery: present(orderGroups.delivery),
    production,
    manager: { title: t('Manager'), name, properties: contact },
  }
}

/** A field of an order as text, with an address to call or to write to where it is one. */
export function presentProperty({ t }: Acting, order: Order, name: string) {
  const field = fieldsOf(orderForm, { mode: 'edit' }).get(name) as Field
  const value = { ...order }[name as keyof Order]
  return { label: t(field.label), value: describeValue(name, field, value, {}, t) || '—', href: linkTo(name, value) }
}

function linkTo(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  if (name === 'phone') return `tel:${value.replace(/[^\d+]/g, '')}`
  return name === 'email' ? `mailto:${encodeURIComponent(value).replace('%40', '@')}` : undefined
}

const managers = alias(users, 'managers')

export const findFacts = prepareOnce((db, given) => {
  const { lastname, name, middlename, phone, email } = managers
  return db
    .select({ stock: stocks.name, manufacture: manufactures.name, manager: { lastname, name, middlename, phone, email } })
    .from(orders)
    .leftJoin(companies, eq(companies.id, orders.owner_company_id))
    .leftJoin(stocks, eq(stocks.id, companies.stock_id))
    .leftJoin(manufactures, eq(manufactures.id, companies.manufacture_id))
    .leftJoin(users, eq(users.id, orders.dealer_id))
    .leftJoin(managers, sql`${managers.id} = coalesce(${orders.owner_manager_id}, ${users.manager_id})`)
    .where(eq(orders.id, given.order))
    .prepare()
})

/** Company and dealer of an order, with the addresses of their cards where this person may open them. */
export function presentOwners({ server: { db }, actor }: Acting, order: Order) {
  const company = findCompany(db, order.owner_company_id ?? 0)
  const dealer = findDealer(db, order.dealer_id ?? 0)
  return {
    company: company && { name: company.org, href: allows(companyMay.view, actor, company) ? `/companies/${company.id}` : undefined },
    dealer: dealer && { name: fullName(dealer), href: allows(dealerMay.view, actor, dealer) ? `/dealers/edit/${dealer.id}` : undefined },
  }
}
