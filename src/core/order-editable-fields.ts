import { type Actor, checkAccess, type Group, group } from './access.ts'
import type { StatusPolicyKey } from './default-workflow.ts'

const contactFields = ['payment', 'receiver', 'phone', 'email', 'delivery', 'address', 'comment']
export const dateFields = ['date_make', 'date_delivery', 'date_payment'] as const
export type DateField = (typeof dateFields)[number]

export const policyScope: Record<StatusPolicyKey, { group: Group; fields: readonly string[] }> = {
  order_dealer_can_edit: { group: group.dealer, fields: contactFields },
  order_manager_can_edit: { group: group.manager, fields: [...contactFields, ...dateFields, 'sn', 'deferred_payment', 'external_id'] },
  order_production_can_edit: { group: group.production, fields: [...contactFields, 'sn'] },
  order_dealer_can_edit_items: { group: group.dealer, fields: ['items'] },
  order_manager_can_edit_items: { group: group.manager, fields: ['items'] },
  order_dealer_can_attach: { group: group.dealer, fields: ['payment_order'] },
  order_manager_can_attach: { group: group.manager, fields: ['specification', 'invoice'] },
  order_production_can_schedule: { group: group.production, fields: dateFields },
  order_dealer_can_delete: { group: group.dealer, fields: [] },
}

export const orderFields: readonly string[] = ['dealer_id', ...new Set(Object.values(policyScope).flatMap(({ fields }) => fields))]

export function fieldsEditableBy(groupId: number, statusPermissions: ReadonlySet<StatusPolicyKey>): Set<string> {
  const open = [...statusPermissions].filter((key) => policyScope[key]?.group === groupId)
  return new Set(open.flatMap((key) => policyScope[key].fields))
}

export function fieldsOfNewOrder(actor: Actor): Set<string> {
  if (checkAccess(actor, 'order_can_add')) return new Set(orderFields)
  const own = fieldsEditableBy(actor.group_id, new Set(Object.keys(policyScope) as StatusPolicyKey[]))
  return actor.group_id === group.dealer ? own : own.add('dealer_id')
}

export function editableFields(actor: Actor, statusPermissions: ReadonlySet<StatusPolicyKey>): Set<string> {
  return checkAccess(actor, 'order_can_edit') ? new Set(orderFields) : fieldsEditableBy(actor.group_id, statusPermissions)
}
