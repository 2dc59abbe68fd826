import labels from './labels.json' with { type: 'json' }
import type { PolicyKey } from './policies.ts'

/** Surprising rules of the specification: first as it is written, which is the default, then what it evidently means (RULES=strict). */
const rules = {
  productionRowEdit: ['manager_can_edit', 'production_can_edit'],
  productionRowDelete: ['manager_can_delete', 'production_can_delete'],
  administratorSave: ['manager_can_edit', 'admin_can_edit'],
  administratorEmailUnique: [false, true],
  discountNeedsPolicy: [false, true],
  usedStatusDeletable: [true, false],
  specificationNumberRepeats: [true, false],
} as const satisfies Record<string, readonly [asSpecified: PolicyKey | boolean, strict: PolicyKey | boolean]>

export type Rules = { [Name in keyof typeof rules]: (typeof rules)[Name][number] }

export const rulesBySetting = { 'as-specified': selectRules(0), strict: selectRules(1) }

function selectRules(at: 0 | 1): Rules {
  return Object.fromEntries(Object.entries(rules).map(([name, readings]) => [name, readings[at]])) as Rules
}

export function policyEffects(rules: Rules): Partial<Record<PolicyKey, string>> {
  return rules.administratorSave === 'admin_can_edit' ? {} : labels.policyEffects
}
