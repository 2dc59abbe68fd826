import type { Performer } from './access.ts'
import { lackingFor, type OrderAccount } from './credit.ts'
import { type DocumentKind, documentKinds, type IssuableKind, isIssuable } from './documents.ts'
import { chargeFor, dueSinceEntering, type PaymentKind } from './payments.ts'
import {
  type ForcibleField,
  isFilled,
  mayPerform,
  missingFields,
  notifiedParties,
  type OrderOwners,
  type Party,
  type Requirable,
  type RequirableField,
  type Status,
  statusById,
  type Transition,
  type UnmetCondition,
  unmetConditions,
  type Workflow,
} from './transition-rules.ts'

/** What of an order decides about its steps. */
export type PlannedOrder = Requirable &
  OrderOwners & { status_id: number | null; cost: number; due_since: string | null; account: OrderAccount }

/** What somebody answers to what a step asks: fields of the order, and the questions that are none. */
interface StepValues {
  /** Which prices apply where those of the order hold no longer. */
  prices?: string | null
  exceed_reason?: string | null
  note?: string | null
  /** A payment that is reported with the step. */
  amount?: number | null
  date?: string | null
  [field: string]: unknown
}

/** What decides about a step besides the order: who makes it, in which workflow, and what they see and may. */
export interface StepFacts {
  workflow: Workflow
  performer: Performer
  /** Fields of an order that they do not see, and therefore cannot fill in. */
  unseen: readonly string[]
  seesPrices: boolean
  mayKeepPrices: boolean
  mayExceed: boolean
  /** What the order costs at the prices of today, where those it was written with hold no longer. */
  renewedCost?: number
  today: string
  nextSerial: () => string
  /** Without it no step issues anything. */
  issuing?: Issuing
}

/** What decides about the documents that steps of an order issue. */
interface Issuing {
  /** What a document cannot do without and is not known. */
  missingFor: (kind: DocumentKind) => readonly MissingDetail[]
  /** Whether a file of the order was issued, and not uploaded by somebody. */
  isIssued: (file: string) => boolean
}

export interface MissingDetail {
  label: string
  of: 'supplier' | 'company' | 'order'
  /** What it is called beside what it is of. */
  name: string
  /** Where it is filled in, for those who may. */
  href?: string
  /** Who may, for others. */
  ask?: string
  /** What of the order it is, as transitions require it. */
  field?: RequirableField
}

export type StepProblem =
  | { kind: 'forbidden' }
  /** The order is in another status. */
  | { kind: 'moved' }
  /** @param elsewhere whether the form of the step cannot mend it */
  | { kind: 'missing'; field: RequirableField; elsewhere: boolean }
  /** It has to be said which prices apply: for those who see none somebody else says it. */
  | { kind: 'prices'; cost: number; elsewhere: boolean }
  | { kind: 'keeps_prices' }
  /** The documents that it issues cannot be made yet: what they lack, and which of them lack it. */
  | { kind: 'incomplete'; missing: readonly MissingDetail[]; documents: readonly DocumentKind[] }
  /** Whether a reason makes up for it. */
  | (UnmetCondition & { answerable: boolean })

type ForcedValues = Partial<Record<Exclude<ForcibleField, 'deferred_payment'>, string> & { deferred_payment: true }>

/** What a step does: what is written, what is booked, and who is told. */
export interface Plan {
  from: Status | undefined
  to: Status
  transition?: Transition
  filled: Record<string, unknown>
  forced: ForcedValues
  issues: DocumentKind[]
  renewsPrices: boolean
  due_since: string | null
  /** By how much the charge of the order changes, in kopecks. */
  charge: number
  payment?: { kind: PaymentKind; amount: number; date: string }
  told: Party[]
  comment?: string | null
  /** Why it is made although the company exceeds its credit limit. */
  exceed_reason?: string | null
}

/** What a transition of an order does, or all the reasons why it cannot be performed so. */
export function planTransition(order: PlannedOrder, transition: Transition, values: StepValues, facts: StepFacts): Plan | StepProblem[] {
  const problems = findProblems(order, transition, values, facts)
  return problems.length > 0 ? problems : planStep(order, transition, values, facts)
}

export function findProblems(order: PlannedOrder, transition: Transition, values: StepValues, facts: StepFacts): StepProblem[] {
  if (!mayPerform(transition, facts.performer, order)) return [{ kind: 'forbidden' }]
  if (transition.parent_status_id !== order.status_id) return [{ kind: 'moved' }]
  return [
    ...findMissing(order, transition, values, facts),
    ...findPriceProblems(values, facts),
    ...findUnmet(order, transition, values, facts),
    ...findIncomplete(order, transition, values, facts),
  ]
}

/** Prices are filled in with the lines, what somebody does not see by somebody else, and a file that is issued by the step. */
function findMissing(order: PlannedOrder, transition: Transition, values: StepValues, facts: StepFacts): StepProblem[] {
  const { unseen } = facts
  const hasPayment = order.hasPayment || Boolean(values.amount)
  const issued: readonly string[] = issuedBy(order, transition, values, facts)
  const missing = missingFields(transition, { ...order, ...values, hasPayment }).filter((field) => !issued.includes(field))
  return missing.map((field) => ({ kind: 'missing', field, elsewhere: field === 'prices' || unseen.includes(field) }))
}

function findPriceProblems({ prices }: StepValues, { renewedCost, seesPrices, mayKeepPrices }: StepFacts): StepProblem[] {
  if (renewedCost === undefined) return []
  if (seesPrices && prices === 'keep' && !mayKeepPrices) return [{ kind: 'keeps_prices' }]
  return seesPrices && prices ? [] : [{ kind: 'prices', cost: renewedCost, elsewhere: !seesPrices }]
}

/** Whoever may exceed the credit limit says why; all other conditions have to be met. */
function findUnmet(order: PlannedOrder, transition: Transition, values: StepValues, facts: StepFacts): StepProblem[] {
  const unmet = unmetConditions(transition, costOf(order, values, facts), order.account)
  return unmet.flatMap((one) => {
    const answerable = one.kind === 'within_limit' && facts.mayExceed
    return answerable && values.exceed_reason ? [] : { ...one, answerable }
  })
}

function findIncomplete(order: PlannedOrder, transition: Transition, values: StepValues, facts: StepFacts): StepProblem[] {
  const isUnsaid = ({ field }: MissingDetail) => !field || !transition.required_fields.includes(field)
  const lacking = (kind: DocumentKind) => (facts.issuing?.missingFor(kind) ?? []).filter(isUnsaid)
  const documents = issuedBy(order, transition, values, facts).filter((kind) => lacking(kind).length > 0)
  const missing = [...new Map(documents.flatMap(lacking).map((detail) => [detail.label, detail])).values()]
  return missing.length > 0 ? [{ kind: 'incomplete', missing, documents }] : []
}

/** What a step issues: nothing that somebody has uploaded instead, and no invoice where nothing is left to pay. */
export function issuedBy(order: PlannedOrder, { issues = [] }: Transition, values: StepValues, facts: StepFacts): DocumentKind[] {
  const { issuing } = facts
  if (!issuing) return []
  const files: Partial<Record<IssuableKind, unknown>> = { ...order, ...values }
  const isUploaded = (kind: DocumentKind) => isIssuable(kind) && isFilled(files[kind]) && !issuing.isIssued(String(files[kind]))
  const cost = costOf(order, values, facts)
  const isPaid = lackingFor(100, cost, order.account.paid) === 0 && (cost > 0 || issuing.missingFor('invoice').length === 0)
  return documentKinds.filter((kind) => issues.includes(kind) && !isUploaded(kind) && !(kind === 'invoice' && isPaid))
}

function costOf({ cost }: PlannedOrder, { prices }: StepValues, { renewedCost }: StepFacts): number {
  return renewedCost !== undefined && prices === 'renew' ? renewedCost : cost
}

/** What a step does once nothing hinders it. */
export function planStep(order: PlannedOrder, transition: Transition, values: StepValues, facts: StepFacts): Plan {
  const to = statusById(facts.workflow, transition.child_status_id)
  if (!to) throw new Error(`transition ${transition.id} leads nowhere`)
  const { prices, exceed_reason, note, amount, date, ...filled } = values
  const cost = costOf(order, values, facts)
  const exceeds = unmetConditions(transition, cost, order.account).some(({ kind }) => kind === 'within_limit')
  const kind = (filled.payment ?? order.payment ?? 'transfer') as PaymentKind
  return {
    ...planStatus(facts.workflow, { ...order, cost }, to, facts.today),
    transition,
    filled,
    forced: forcedValues(transition, { ...order, ...filled }, facts),
    issues: issuedBy(order, transition, values, facts),
    renewsPrices: facts.renewedCost !== undefined && prices === 'renew',
    payment: amount ? { kind, amount, date: date ?? facts.today } : undefined,
    comment: note,
    exceed_reason: exceeds ? exceed_reason : undefined,
  }
}

/** What a step sets by itself; a serial number is taken only where there is none. */
function forcedValues(transition: Transition, order: Readonly<Record<string, unknown>>, { today, nextSerial }: StepFacts): ForcedValues {
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

/** What entering a status does, without any transition: when an order is placed, or its status assigned. */
export function planStatus(
  workflow: Workflow,
  { status_id, due_since, cost, account }: Pick<PlannedOrder, 'status_id' | 'due_since' | 'cost' | 'account'>,
  to: Status,
  today: string,
): Plan {
  const since = dueSinceEntering(to.due, due_since, today)
  return {
    from: statusById(workflow, status_id),
    to,
    filled: {},
    forced: {},
    issues: [],
    renewsPrices: false,
    due_since: since,
    charge: chargeFor({ due_since: since, cost }) - account.charged,
    told: notifiedParties(to),
  }
}

/** An order as it is once a plan was applied to it, with its lines priced where that was required. */
export function orderAfter<Planned extends PlannedOrder>(
  order: Planned,
  { to, filled, forced, due_since, charge, transition }: Plan,
): Planned {
  const { charged, balance } = order.account
  return {
    ...order,
    ...filled,
    ...forced,
    status_id: to.id,
    due_since,
    lacksPrices: order.lacksPrices && !transition?.required_fields.includes('prices'),
    account: { ...order.account, charged: charged + charge, balance: balance - charge },
  }
}
