import type { PolicyKey } from './policies.ts'

/** Surprising rules of the specification. They apply as written by default; RULES=strict switches all of them to the evident intention. */
export interface Rules {
  productionRowEdit: PolicyKey
  productionRowDelete: PolicyKey
  administratorSave: PolicyKey
  administratorEmailUnique: boolean
  discountNeedsPolicy: boolean
  usedStatusDeletable: boolean
  specificationNumberRepeats: boolean
}

const asSpecified: Rules = {
  productionRowEdit: 'manager_can_edit',
  productionRowDelete: 'manager_can_delete',
  administratorSave: 'manager_can_edit',
  administratorEmailUnique: false,
  discountNeedsPolicy: false,
  usedStatusDeletable: true,
  specificationNumberRepeats: true,
}

const strict: Rules = {
  productionRowEdit: 'production_can_edit',
  productionRowDelete: 'production_can_delete',
  administratorSave: 'admin_can_edit',
  administratorEmailUnique: true,
  discountNeedsPolicy: true,
  usedStatusDeletable: false,
  specificationNumberRepeats: false,
}

export function policyEffects(rules: Rules): Partial<Record<PolicyKey, string>> {
  if (rules.administratorSave === 'admin_can_edit') return {}
  return {
    admin_can_edit: 'Activate and deactivate administrators. Editing their details needs "Edit managers".',
    manager_can_edit: 'Edit, activate, and deactivate managers. Also edit the details of administrators.',
    manager_can_delete: 'Delete managers and production users.',
    production_can_edit: 'Edit, activate, and deactivate production users. The list offers editing only together with "Edit managers".',
    production_can_delete: 'Has no effect: deleting production users needs "Delete managers".',
    company_can_edit_discount: 'Has no effect: whoever can edit a company can edit its discounts.',
  }
}

export const rulesBySetting = { 'as-specified': asSpecified, strict }
