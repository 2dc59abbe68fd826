import { type Actor, checkAccess, type Group, group, isDealer } from './access.ts'
import type { StatusPolicyKey } from './default-workflow.ts'

/** For whom an order is, how it reaches them and how it is paid. */
export const contactFields = ['payment', 'receiver', 'phone', 'email', 'delivery', 'address', 'comment'] as const
export const dateFields = ['date_make', 'date_delivery', 'date_payment'] as const
export type OrderDate = (typeof dateFields)[number]

/** Whose members each policy of a status allows to edit what. */
export const policyScope = {
  order_dealer_can_edit: { group: group.dealer, fields: contactFields },
  order_manager_can_edit: { group: group.manager, fields: [...contactFields, ...dateFields, 'sn', 'deferred_payment', 'external_id'] },
  order_production_can_edit: { group: group.production, fields: [...contactFields, 'sn'] },
  order_dealer_can_edit_items: { group: group.dealer, fields: ['items'] },
  order_manager_can_edit_items: { group: group.manager, fields: ['items'] },
  order_dealer_can_attach: { group: group.dealer, fields: ['payment_order'] },
  order_manager_can_attach: { group: group.manager, fields: ['specification', 'invoice'] },
  order_production_can_schedule: { group: group.production, fields: dateFields },
  order_dealer_can_delete: { group: group.dealer, fields: [] },
} as const satisfies Record<StatusPolicyKey, { group: Group; fields: readonly string[] }>

const { order_manager_can_attach, order_dealer_can_attach } = policyScope

/** The fields of an order that hold a document. */
export const orderFiles = [...order_manager_can_attach.fields, ...order_dealer_can_attach.fields] as const
export type OrderFile = (typeof orderFiles)[number]

/** What somebody edits as far as a policy allows it: the form of an order has no other fields for what is stored of it. */
export type OrderField = 'dealer_id' | (typeof policyScope)[StatusPolicyKey]['fields'][number]

export const orderFields: readonly string[] = ['dealer_id', ...new Set(Object.values(policyScope).flatMap<string>(({ fields }) => fields))]

export function fieldsEditableBy(groupId: number, statusPermissions: ReadonlySet<StatusPolicyKey>): Set<string> {
  const open = [...statusPermissions].filter((key) => policyScope[key]?.group === groupId)
  return new Set(open.flatMap<string>((key) => policyScope[key].fields))
}

export function fieldsOfNewOrder(actor: Actor): Set<string> {
  if (checkAccess(actor, 'order_can_add')) return new Set(orderFields)
  const own = fieldsEditableBy(actor.group_id, new Set(Object.keys(policyScope) as StatusPolicyKey[]))
  return isDealer(actor) ? own : own.add('dealer_id')
}

export function editableFields(actor: Actor, statusPermissions: ReadonlySet<StatusPolicyKey>): Set<string> {
  return checkAccess(actor, 'order_can_edit') ? new Set(orderFields) : fieldsEditableBy(actor.group_id, statusPermissions)
}
