import { type Group, group } from './access.ts'
import type { DocumentKind, DocumentState, NumberedKind } from './documents.ts'
import labels from './labels.json' with { type: 'json' }
import type { Due, EntryKind, PaymentDirection, PaymentKind, PaymentState } from './payments.ts'
import type { Unit, VatRate } from './pricing.ts'
import type { Expectation, ExpectedParty, Flag, Party } from './transition-rules.ts'

export const groupNames: Record<Group, string> = labels.groups

/** What one person of a group is. */
export const groupMemberNames: Record<Group, string> = labels.groupMembers

export const groupNamesInText: Record<Group, string> = labels.groupsInText

export const performerLabels: Record<Flag, string> = labels.performers

export const performerNames: Record<Flag, string> = labels.performersInText

export const partyLabels: Record<Party, string> = {
  manager: performerLabels.manager_can,
  admin: groupNames[group.administrator],
  dealer: performerLabels.dealer_can,
  make: groupNames[group.production],
}

export const expectationLabels: Record<Expectation, string> = {
  default: 'Default',
  dealer: performerLabels.dealer_can,
  manager: performerLabels.manager_can,
  production: groupNames[group.production],
  nobody: 'No one',
}

export const paymentKindLabels: Record<PaymentKind, string> = { transfer: 'Bank transfer', card: 'Bank card', cash: 'Cash' }

export const jobKindLabels: Record<string, string> = labels.jobKinds

export const jobStateLabels: Record<string, string> = labels.jobStates

export const paymentStateLabels: Record<PaymentState, string> = {
  reported: 'Reported',
  confirmed: 'Confirmed',
  rejected: 'Rejected',
  reversed: 'Reversed',
}

export const paymentDirectionLabels: Record<PaymentDirection, string> = { incoming: 'Incoming', refund: 'Refund' }

export const documentKindLabels: Record<DocumentKind, string> = {
  invoice: 'Invoice',
  specification: 'Specification',
  offer: 'Commercial offer',
  delivery_note: 'Delivery note',
}

const { specification: _, ...numbered } = documentKindLabels
export const numberedKindLabels: Record<NumberedKind, string> = numbered

export const documentStateLabels: Record<DocumentState, string> = { issued: 'Issued', replaced: 'Replaced', canceled: 'Canceled' }

/** What entries are called: a charge that is taken back, in part or as a whole, is a reversal. */
export const entryLabels: Record<EntryKind | 'reversal', string> = {
  charge: 'Charge',
  reversal: 'Reversal',
  payment: 'Payment',
  correction: 'Correction',
  refund: 'Refund',
}

export const dueLabels: Record<Due, string> = { starts: 'Becomes due', ends: 'Ceases to be due' }

export const expectedNames: Record<ExpectedParty | 'nobody', string> = {
  dealer: performerNames.dealer_can,
  manager: performerNames.manager_can,
  production: performerNames.production_can,
  nobody: 'nobody',
}

/** Whose turn it is with an order, to others than them. */
export const turnLabels: Record<Group, string> = {
  [group.administrator]: 'Waiting for an administrator',
  [group.dealer]: 'Waiting for the dealer',
  [group.manager]: 'Waiting for the manager',
  [group.production]: 'Waiting for production',
}

/** The same of several orders. */
export const turnsLabels: Record<Group, string> = {
  [group.administrator]: 'Orders that wait for an administrator',
  [group.dealer]: 'Orders that wait for the dealer',
  [group.manager]: 'Orders that wait for the manager',
  [group.production]: 'Orders that wait for production',
}

export const partyGroups: Record<Party, Group> = {
  manager: group.manager,
  admin: group.administrator,
  dealer: group.dealer,
  make: group.production,
}

/** What a paid order can wait for: fields, and prices that hold; room within the limit. */
export const hindranceNames: Record<string, string> = { ...labels.requirableFields, within_limit: 'Credit limit' }

export const unitNames: Record<Unit, string> = labels.units

export const vatNames: Record<VatRate, string> = labels.vat

export const viewedKindLabels = labels.viewedKinds

export const securityEventLabels = labels.securityEvents

export type SecurityEventName = keyof typeof securityEventLabels
