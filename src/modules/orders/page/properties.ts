import type { FastifyRequest } from 'fastify'
import { fullName } from '../../../core/text.ts'
import { describeValue } from '../../../web/form/describe-value.ts'
import { fieldsOf } from '../../../web/form/form.ts'
import { orderForm } from '../form.ts'
import type { Order } from '../order.ts'
import { findFacts } from './facts.ts'

interface Property {
  label: string
  value: string
  href?: string
}

const groups = [
  { title: 'Customer', names: ['receiver', 'phone', 'email', 'comment'] },
  { title: 'Delivery and payment', names: ['delivery', 'address', 'payment', 'deferred_payment'] },
  { title: 'Production and dates', names: ['sn', 'date_payment', 'date_make', 'date_delivery'] },
]

const fields = fieldsOf(orderForm, { mode: 'edit' })

export function presentProperties({ server, t }: FastifyRequest, order: Order) {
  const values: Record<string, unknown> = { ...order }
  const present = (name: string): Property => {
    const field = fields.get(name)
    const value = values[name]
    if (!field) throw new Error(`the order form has no ${name}`)
    return { label: t(field.label), value: describeValue(name, field, value, {}, t), href: linkTo(name, value) }
  }
  const { stock, manufacture, manager } = findFacts(server.db).get({ order: order.id }) ?? {}
  const place = [
    { label: t('Warehouse'), value: stock || '—' },
    { label: t('Production site'), value: manufacture || '—' },
  ]
  const contact = [
    { label: t('Full name'), value: manager ? fullName(manager) : '—' },
    { label: t('Phone'), value: manager?.phone || '—', href: linkTo('phone', manager?.phone) },
    { label: t('Email'), value: manager?.email || '—', href: linkTo('email', manager?.email) },
  ]
  const [customer, delivery, dates] = groups.map(({ title, names }) => ({ title: t(title), properties: names.map(present) }))
  return [
    customer,
    delivery,
    dates && { ...dates, properties: [...dates.properties, ...place] },
    { title: t('Manager'), properties: contact },
  ].filter((group) => group !== undefined)
}

function linkTo(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  if (name === 'phone') return `tel:${value.replace(/[^\d+]/g, '')}`
  return name === 'email' ? `mailto:${encodeURIComponent(value).replace('%40', '@')}` : undefined
}
