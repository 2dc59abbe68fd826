import type { PolicyKey } from './policies.ts'

/**
 * The rules that surprise. The specification states each of them, so they hold by default;
 * the setting RULES=strict turns all of them to the evidently intended rule.
 */
export interface Rules {
  /** Row actions of the production list borrow the managers' policies. */
  productionRowEdit: PolicyKey
  productionRowDelete: PolicyKey
  /** Impersonating production stays a manager right either way: there is no production_can_auth. */
  productionRowAuth: PolicyKey
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
  productionRowAuth: 'manager_can_auth',
  administratorSave: 'manager_can_edit',
  administratorEmailUnique: false,
  discountNeedsPolicy: false,
  usedStatusDeletable: true,
  specificationNumberRepeats: true,
}

const strict: Rules = {
  productionRowEdit: 'production_can_edit',
  productionRowDelete: 'production_can_delete',
  productionRowAuth: 'manager_can_auth',
  administratorSave: 'admin_can_edit',
  administratorEmailUnique: true,
  discountNeedsPolicy: true,
  usedStatusDeletable: false,
  specificationNumberRepeats: false,
}

export const rulesBySetting = { 'as-specified': asSpecified, strict }
