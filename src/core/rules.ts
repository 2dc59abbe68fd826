import type { PolicyKey } from './policies.ts'

/**
 * The rules that surprise. The specification states each of them, so they hold by default;
 * the setting RULES=strict turns all of them to the evidently intended rule.
 */
export interface Rules {
  /** Row actions of the production list borrow the managers' policies. */
  productionRowEdit: PolicyKey
  productionRowDelete: PolicyKey
  /** Saving an administrator's card asks for the managers' policy. */
  administratorSave: PolicyKey
  /** The administrator's card accepts an email that another user has. */
  administratorEmailUnique: boolean
  /** Whoever may edit a company may edit its base discount. */
  discountNeedsPolicy: boolean
  /** A status that orders use may be deleted; they are left without one. */
  usedStatusDeletable: boolean
  /** The specification number is counted from existing orders, so it can repeat after a deletion. */
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

/** What policies do under these rules, where that is not what their own description says. */
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
