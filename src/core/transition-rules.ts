import { group, isAmong, isSameId, type Performer } from './access.ts'
import { excessWith, lackingFor, type OrderAccount } from './credit.ts'
import type { Seeded, StatusPolicyKey } from './default-workflow.ts'
import labels from './labels.json' with { type: 'json' }
import type { Due } from './payments.ts'

export const { requirableFields, forcibleFields } = labels
export type RequirableField = keyof typeof requirableFields
export type ForcibleField = keyof typeof forcibleFields

export const flags = ['dealer_can', 'manager_can', 'production_can', 'dealers_can', 'managers_can', 'productions_can'] as const
export type Flag = (typeof flags)[number]

export interface Transition extends Record<Flag, boolean>, Seeded {
  id: number
  parent_status_id: number
  child_status_id: number
  action_name?: string | null
  required_fields: readonly string[]
  forced_fields: readonly string[]
  /** Kinds of documents. */
  issues?: readonly string[]
  /** In percent of the cost. */
  min_paid?: number | null
  within_limit?: boolean
  /** Whether an order takes it by itself once enough of it is paid. */
  when_paid?: boolean
}

export const parties = ['manager', 'admin', 'dealer', 'make'] as const
export type Party = (typeof parties)[number]

export const expectedParties = ['dealer', 'manager', 'production'] as const
export type ExpectedParty = (typeof expectedParties)[number]

/** What a status can say about who is expected to act on its orders. */
export const expectations = ['default', ...expectedParties, 'nobody'] as const
export type Expectation = (typeof expectations)[number]

export interface Status extends Record<`notify_${Party}`, boolean>, Seeded {
  id: number
  index: number
  status_key: string
  name: string
  color: string | null
  policies: ReadonlySet<StatusPolicyKey>
  expected: Expectation
  due: Due | null
}

export interface Workflow {
  statuses: readonly Status[]
  transitions: readonly Transition[]
}

export function statusById({ statuses }: Workflow, id: number | null | undefined): Status | undefined {
  return statuses.find((status) => status.id === id)
}

export function isFinal({ transitions }: Workflow, statusId: number): boolean {
  return !transitions.some(({ parent_status_id }) => parent_status_id === statusId)
}

/** In the order of the statuses that they lead to. */
export function outgoingTransitions({ statuses, transitions }: Workflow, statusId: number | null): Transition[] {
  const rank = new Map(statuses.map(({ id }, index) => [id, index]))
  const outgoing = transitions.filter(({ parent_status_id }) => parent_status_id === statusId)
  return outgoing.sort((a, b) => (rank.get(a.child_status_id) ?? 0) - (rank.get(b.child_status_id) ?? 0))
}

/** Transitions that lead forward: to a final status only when there is no other. */
export function onwardTransitions(workflow: Workflow, statusId: number | null): Transition[] {
  const outgoing = outgoingTransitions(workflow, statusId)
  const forward = outgoing.filter(({ child_status_id }) => !isFinal(workflow, child_status_id))
  return forward.length > 0 ? forward : outgoing
}

export type OrderOwners = {
  dealer_id: number | null
  owner_manager_id: number | null
}

/** Which permission flags let a person perform transitions of this order (transition rules 3 to 5); administrators need none. */
export function matchingFlags({ id, group_id, managers, reading }: Performer, order: OrderOwners): Flag[] {
  if (group_id === group.dealer) return isSameId(order.dealer_id, id) ? ['dealer_can', 'dealers_can'] : ['dealers_can']
  if (group_id === group.manager) {
    if (isAmong(managers, order.owner_manager_id)) return ['manager_can', 'managers_can']
    return isAmong(reading, order.owner_manager_id) ? [] : ['managers_can']
  }
  if (group_id === group.production) return ['production_can', 'productions_can']
  return []
}

export function mayPerform(transition: Transition, actor: Performer, order: OrderOwners): boolean {
  return actor.group_id === group.administrator || matchingFlags(actor, order).some((flag) => transition[flag])
}

export function performers(transition: Transition): Flag[] {
  const wider: Partial<Record<Flag, Flag>> = { dealer_can: 'dealers_can', manager_can: 'managers_can', production_can: 'productions_can' }
  return flags.filter((flag) => transition[flag] && !(wider[flag] && transition[wider[flag]]))
}

export function isFilled(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() !== '' : value !== null && value !== undefined
}

/** What transitions ask about an order. */
export interface Requirable extends Partial<Record<Exclude<RequirableField, 'prices'>, unknown>> {
  /** Whether a line waits for its price. */
  lacksPrices: boolean
  /** Whether there is a payment that was not rejected. */
  hasPayment: boolean
}

/**
 * `prices` is no field of an order: it is missing while one of its lines waits for its price. The confirmation of a payment is there with
 * its file or with a payment that was not rejected.
 */
export function missingFields(transition: Transition, order: Requirable): RequirableField[] {
  return transition.required_fields.filter(
    (field): field is RequirableField => Object.hasOwn(requirableFields, field) && isMissing(field as RequirableField, order),
  )
}

function isMissing(field: RequirableField, order: Requirable): boolean {
  if (field === 'prices') return order.lacksPrices
  return !isFilled(order[field]) && !(field === 'payment_order' && order.hasPayment)
}

export type UnmetCondition = { kind: 'min_paid'; percent: number; lacking: number } | { kind: 'within_limit'; excess: number }

/** What of the conditions of a transition an order with this account does not meet, amounts in kopecks. */
export function unmetConditions({ min_paid, within_limit }: Transition, cost: number, account: OrderAccount): UnmetCondition[] {
  const lacking = min_paid ? lackingFor(min_paid, cost, account.paid) : 0
  const excess = within_limit ? excessWith(cost, account) : 0
  return [
    ...(min_paid && lacking > 0 ? [{ kind: 'min_paid' as const, percent: min_paid, lacking }] : []),
    ...(excess > 0 ? [{ kind: 'within_limit' as const, excess }] : []),
  ]
}

/** What a transition requires: names of fields, and its conditions. */
export function requirementsOf({ required_fields, min_paid, within_limit }: Transition): string[] {
  return [...required_fields, ...(min_paid ? [`min_paid ${min_paid}`] : []), ...(within_limit ? ['within_limit'] : [])]
}

export function notifiedParties(status: Pick<Status, `notify_${Party}`>): Party[] {
  return parties.filter((party) => status[`notify_${party}`])
}

type PartyMembers = Record<Party, readonly number[]>

export function recipients(told: readonly Party[], people: PartyMembers): number[] {
  return [...new Set(told.flatMap((party) => people[party]))]
}
