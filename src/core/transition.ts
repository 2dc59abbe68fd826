import { type Actor, group, isSameId } from './access.ts'
import type { StatusPolicyKey } from './default-workflow.ts'

/** What a transition may ask for, with the names people know it by (specification, selectable required fields). */
export const requirableFields = {
  sn: 'Serial number',
  specification: 'Specification',
  payment_order: 'Payment confirmation',
  invoice: 'Invoice',
  date_make: 'Production date',
  date_delivery: 'Delivery date',
  date_payment: 'Payment date',
  payment: 'Payment type',
  receiver: 'Customer full name',
  phone: 'Phone',
  email: 'Email',
  delivery: 'Delivery method',
  address: 'Address',
} as const
export type RequirableField = keyof typeof requirableFields

/** What a transition may set by itself. */
export const forcibleFields = {
  deferred_payment: 'Deferred payment',
  date_make: 'Production date',
  date_delivery: 'Delivery date',
  date_payment: 'Payment date',
  sn: 'Serial number',
} as const
export type ForcibleField = keyof typeof forcibleFields

export const flags = ['dealer_can', 'manager_can', 'production_can', 'dealers_can', 'managers_can', 'productions_can'] as const
export type Flag = (typeof flags)[number]

export interface Transition extends Record<Flag, boolean> {
  id: number
  parent_status_id: number
  child_status_id: number
  required_fields: readonly string[]
  forced_fields: readonly string[]
}

/** Whom a status may tell, by its four flags. */
export const parties = ['manager', 'admin', 'dealer', 'make'] as const
export type Party = (typeof parties)[number]

export interface Status extends Record<`notify_${Party}`, boolean> {
  id: number
  index: number
  status_key: string
  name: string
  color: string | null
  /** The status policies that are on. */
  policies: ReadonlySet<StatusPolicyKey>
}

/** The whole order status model. */
export interface Workflow {
  /** In the order of their index. */
  statuses: readonly Status[]
  transitions: readonly Transition[]
}

/** Whose order it is: facts that the permission of a transition depends on. */
export type OrderOwners = {
  dealer_id: number | null
  /** The manager of the company that the order belongs to. */
  owner_manager_id: number | null
}

/** Which flags would let a person perform a transition of this order (transition rules 3 to 5); none for administrators, who need none. */
export function matchingFlags({ id, group_id }: Pick<Actor, 'id' | 'group_id'>, order: OrderOwners): Flag[] {
  if (group_id === group.dealer) return isSameId(order.dealer_id, id) ? ['dealer_can', 'dealers_can'] : ['dealers_can']
  if (group_id === group.manager) return isSameId(order.owner_manager_id, id) ? ['manager_can', 'managers_can'] : ['managers_can']
  if (group_id === group.production) return ['production_can', 'productions_can']
  return []
}

/** May this person perform this transition of this order (transition rules 2 to 5)? */
export function mayPerform(transition: Transition, actor: Pick<Actor, 'id' | 'group_id'>, order: OrderOwners): boolean {
  return actor.group_id === group.administrator || matchingFlags(actor, order).some((flag) => transition[flag])
}

/** Who may perform a transition besides administrators; "any dealer" says "the dealer of the order" too. */
export function performers(transition: Transition): Flag[] {
  const wider: Partial<Record<Flag, Flag>> = { dealer_can: 'dealers_can', manager_can: 'managers_can', production_can: 'productions_can' }
  return flags.filter((flag) => transition[flag] && !(wider[flag] && transition[wider[flag]]))
}

type OrderValues = Readonly<Record<string, unknown>>

/** A field is filled when something but spaces is in it. */
export function isFilled(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() !== '' : value !== null && value !== undefined
}

/** The required fields of a transition that an order lacks (transition rule 6). */
export function missingFields(transition: Transition, order: OrderValues): RequirableField[] {
  return transition.required_fields.filter(
    (field): field is RequirableField => Object.hasOwn(requirableFields, field) && !isFilled(order[field]),
  )
}

export type ForcedValues = Partial<Record<Exclude<ForcibleField, 'deferred_payment'>, string> & { deferred_payment: true }>

/**
 * What a transition sets (transition rule 7), whether or not it changes anything.
 * @param today the calendar date, YYYY-MM-DD
 * @param nextSerial called only when a serial number is needed
 */
export function forcedValues(transition: Transition, order: OrderValues, today: string, nextSerial: () => string): ForcedValues {
  const set: Record<ForcibleField, () => unknown> = {
    deferred_payment: () => true,
    date_make: () => today,
    date_delivery: () => today,
    date_payment: () => today,
    sn: () => (isFilled(order.sn) ? order.sn : nextSerial()),
  }
  const forced = transition.forced_fields.filter((field): field is ForcibleField => Object.hasOwn(set, field))
  return Object.fromEntries(forced.map((field) => [field, set[field]()]))
}

/** Which parties a status tells when an order enters it (transition rule 8). */
export function notifiedParties(status: Pick<Status, `notify_${Party}`>): Party[] {
  return parties.filter((party) => status[`notify_${party}`])
}

/** The people behind the parties of one order. */
export type PartyMembers = Record<Party, readonly number[]>

/** Who is told when an order enters a status: each person once. */
export function recipients(status: Pick<Status, `notify_${Party}`>, people: PartyMembers): number[] {
  return [...new Set(notifiedParties(status).flatMap((party) => people[party]))]
}
