import { eq } from 'drizzle-orm'
import { dateFields, editableFields } from '../../../core/order-editable-fields.ts'
import { companies, manufactures, prepareOnce, stocks } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import type { Field, Fields } from '../../../records/fields/index.ts'
import { describeValue } from '../../../records/form/describe-value.ts'
import type { Section } from '../../../records/form/form.ts'
import { contactLink } from '../../../view/contact-link.ts'
import { orderForm, orderGroups, unseenOf } from '../form.ts'
import type { Order } from '../order.ts'
import type { EditLink, SectionName } from '../sections.ts'

/** As text what the form asks for about customer, delivery and dates, and where the order is made and kept. */
export function viewOfProperties(context: Context, order: Order) {
  const { server, actor, t } = context
  // What other programs set is not missed where they have not.
  const unseen = [...unseenOf(actor), ...(order.external_id ? [] : ['external_id'])]
  const { stock, manufacture } = placesOf(server.db).get({ company: order.owner_company_id }) ?? {}
  const present = ({ title, fields }: Section) => ({
    title: t(title),
    properties: Object.keys(fields).flatMap((name) => (unseen.includes(name) ? [] : viewOfProperty(context, order, name))),
  })
  const production = present(orderGroups.production)
  production.properties.push(
    { name: 'stock', label: t('Warehouse'), value: stock ?? '' },
    { name: 'manufacture', label: t('Production site, in short'), value: manufacture ?? '' },
  )
  return { customer: present(orderGroups.customer), delivery: present(orderGroups.delivery), production }
}

/** What is filled in or switched on, dates first, and of what is not filled in where this person does so. */
export function viewOfDetails(context: Context, order: Order, edits: Partial<Record<SectionName, EditLink>>) {
  const { production, customer, delivery } = viewOfProperties(context, order)
  const dates = { ...production, properties: [...production.properties].sort((a, b) => Number(isDate(b)) - Number(isDate(a))) }
  const fold = ({ title, properties }: { title: string; properties: Property[] }) => ({
    title,
    properties: properties.filter(({ name, value }) => value && order[name as keyof Order] !== false),
  })
  const groups = { dates: fold(dates), customer: fold(customer), delivery: fold(delivery) }
  const open = editableFields(context.actor, order.statusPermissions)
  const missing = ({ properties }: { properties: Property[] }, edit: EditLink | undefined) =>
    properties.flatMap(({ name, label, value }) => (edit && !value && open.has(name) ? [{ label, href: fieldAddress(edit, name) }] : []))
  const empty = [...missing(dates, edits.production), ...missing(customer, edits.customer), ...missing(delivery, edits.delivery)]
  const filled = ({ title, properties }: { title: string; properties: Property[] }) => (properties.length > 0 ? [title] : [])
  const parts = [...filled(groups.dates), context.t('Contacts'), ...filled(groups.customer), ...filled(groups.delivery)]
  return { ...groups, empty, parts }
}

const fieldAddress = ({ href }: EditLink, name: string) => `${href}${href.includes('?') ? '&' : '?'}field=${name}`

const isDate = ({ name }: Property) => dateFields.some((field) => field === name)

interface Property {
  name: string
  label: string
  /** Empty where there is none. */
  value: string
  /** To call or to write to. */
  href?: string
}

export function viewOfProperty({ t }: Context, order: Order, name: string): Property {
  const field = (orderForm.fields as Fields)[name] as Field
  const value = { ...order }[name as keyof Order]
  const text = value === null || value === '' ? '' : describeValue(name, field, value, {}, t)
  return { name, label: t(field.label), value: text, href: contactLink(name, value) }
}

/** Where the orders of a company are made and kept. */
export const placesOf = prepareOnce((db, params) =>
  db
    .select({ stock: stocks.name, manufacture: manufactures.name })
    .from(companies)
    .leftJoin(stocks, eq(stocks.id, companies.stock_id))
    .leftJoin(manufactures, eq(manufactures.id, companies.manufacture_id))
    .where(eq(companies.id, params.company))
    .prepare(),
)
