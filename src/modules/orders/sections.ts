import { type Actor, allOf, allows, anyOf, everyone, has, maySee, type Rule } from '../../core/access.ts'
import { fieldsEditableBy } from '../../core/order-editable-fields.ts'
import { isCanceled } from '../../core/payments.ts'
import { ofPrices } from '../../core/prices.ts'
import { statusById } from '../../core/transition-rules.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import type { Field } from '../../records/fields/index.ts'
import type { RecordForm } from '../../records/form/form.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderAccess } from './access.ts'
import { sectionForms } from './form.ts'
import type { Order, OrderFacts } from './order.ts'

export type SectionName = keyof typeof sectionForms

/** A part of an order that is edited by itself. */
export interface OrderSection {
  name: SectionName
  title: string
  access: Rule<OrderFacts>
  form: RecordForm
}

const accessOf: Record<SectionName, Rule<OrderFacts>> = {
  // Lines need their prices.
  lines: allOf(mayChange('lines'), anyOf<OrderFacts>(has(ofPrices.needs))),
  production: mayChange('production'),
  customer: mayChange('customer'),
  delivery: mayChange('delivery'),
  documents: mayChange('documents'),
  dealer: mayChange('dealer'),
  dates: orderAccess.schedule,
}

export const orderSections = (Object.entries(sectionForms) as [SectionName, RecordForm][]).map(
  ([name, form]): OrderSection => ({ name, form, title: form.sections[0]?.title ?? '', access: accessOf[name] }),
)

/** Who may change at least one field of a section that they see. */
function mayChange(name: SectionName): Rule<OrderFacts> {
  const fields = Object.entries<Field>(sectionForms[name].fields)
  const predicate = (actor: Actor, { statusPermissions }: OrderFacts) => {
    const [open, isSeen] = [fieldsEditableBy(actor.group_id, statusPermissions), maySee(actor)]
    return fields.some(([field, of]) => open.has(field) && isSeen(of))
  }
  return allOf(
    orderAccess.act,
    anyOf(has('order_can_edit'), everyone<OrderFacts>({ description: 'orders you can edit in their current status', predicate })),
  )
}

export interface EditLink {
  name: SectionName
  title: string
  href: string
  /** The first of them, which a key opens: lines, where these may be changed. */
  byKey: boolean
}

/** The sections of an order that this person may edit, with where each is. Nobody needs to change what was called off; administrators may, from the list. */
export function viewOfEdits({ server, actor, t }: Context, order: Order, back?: string): Partial<Record<SectionName, EditLink>> {
  if (isCanceled(statusById(loadWorkflow(server.db), order.status_id))) return {}
  const query = back ? `?${new URLSearchParams({ back })}` : ''
  const open = orderSections.filter(({ access }) => allows(access, actor, order))
  const links = open.map(({ name, title }, at): EditLink => {
    return { name, title: t(title), href: url(server, sectionPath(order.id, name)) + query, byKey: at === 0 && actor.key_shortcuts }
  })
  return Object.fromEntries(links.map((link) => [link.name, link]))
}

/** Where somebody who may do so edits a section of an order. */
export function editAddress({ server, actor }: Pick<Context, 'server' | 'actor'>, order: Order, name: SectionName): string | undefined {
  return allows(accessOf[name], actor, order) ? url(server, sectionPath(order.id, name)) : undefined
}

/** Where somebody edits an order whose row they see: its first section that is open to them. */
export function firstEditPath({ actor }: Pick<Context, 'actor'>, order: OrderFacts & { id: number }): string | undefined {
  const section = orderSections.find(({ access }) => allows(access, actor, order))
  return section && sectionPath(order.id, section.name)
}

/** @param id of an order, or what stands for it in a route */
export function sectionPath(id: number | ':id', name: SectionName): string {
  return name === 'dates' ? `/orders/${id}/dates` : `/orders/${id}/edit/${name}`
}
