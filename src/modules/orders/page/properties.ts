import { eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { FastifyRequest } from 'fastify'
import { fullName } from '../../../core/text.ts'
import { companies, manufactures, orders, prepareOnce, stocks, users } from '../../../database/index.ts'
import { describeValue } from '../../../web/form/describe-value.ts'
import type { Field } from '../../../web/form/form.ts'
import { orderForm } from '../form.ts'
import type { Order } from '../order.ts'

/** As text what the form asks for about customer, delivery and dates, and who and what is responsible. */
export function presentProperties({ server, t }: FastifyRequest, order: Order) {
  const { stock, manufacture, manager } = findFacts(server.db).get({ order: order.id }) ?? {}
  const values: Record<string, unknown> = { ...order }
  const property = (label: string, text: string, href?: string) => ({ label: t(label), value: text || '—', href })
  const groups = orderForm.groups.slice(2, 5).map(({ title, fields }) => ({
    title: t(title),
    properties: Object.entries<Field>(fields).map(([name, field]) =>
      property(field.label, describeValue(name, field, values[name], {}, t), linkTo(name, values[name])),
    ),
  }))
  groups.at(-1)?.properties.push(property('Warehouse', stock ?? ''), property('Production site', manufacture ?? ''))
  const contact = [
    property('Full name', manager ? fullName(manager) : ''),
    property('Phone', manager?.phone ?? '', linkTo('phone', manager?.phone)),
    property('Email', manager?.email ?? '', linkTo('email', manager?.email)),
  ]
  return [...groups, { title: t('Manager'), properties: contact }]
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
