import { group } from './access.ts'
import { lackingFor, type OrderAccount } from './credit.ts'
import { isCanceled, type PaymentKind } from './payments.ts'
import { type Plan, type PlannedOrder, planTransition, type StepFacts, type StepProblem } from './plan-transition.ts'
import { isFilled, statusById, type Transition, type Workflow } from './transition-rules.ts'

/** What follows from the money that an order has got. */
export type PaidOutcome =
  | { kind: 'moves'; plan: Plan }
  | { kind: 'waits'; transition: Transition; problems: StepProblem[] }
  /** It is paid in full, and its status says of no transition that this is enough. */
  | { kind: 'stays' }

type PaidFacts = Pick<StepFacts, 'workflow' | 'renewedCost' | 'today' | 'nextSerial'> & {
  /** How the newest payment was made that was booked for the order. */
  paidBy?: PaymentKind
}

type PaidOrder = { cost: number; account: Pick<OrderAccount, 'paid'> }

/** The transition that orders in a status take once they are paid. What is called off is not paid for, and nobody pays for calling it off. */
export function paidTransition(workflow: Workflow, statusId: number | null): Transition | undefined {
  const isOpen = (id: number | null) => !isCanceled(statusById(workflow, id))
  return workflow.transitions.find(
    ({ when_paid, parent_status_id: from, child_status_id: to }) => when_paid && from === statusId && isOpen(from) && isOpen(to),
  )
}

/** The part of its cost, in percent, that an order has to be paid for a step that waits for it. */
export const paidPart = (transition?: Pick<Transition, 'min_paid'>): number => transition?.min_paid || 100

/** Whether so much of an order is paid as a step asks for, without one all of it; nothing that costs nothing is. */
export function isPaidFor({ cost, account }: PaidOrder, transition?: Pick<Transition, 'min_paid'>): boolean {
  return cost > 0 && lackingFor(paidPart(transition), cost, account.paid) === 0
}

/** Whether an order is paid and has not moved on: something hinders it, and its manager is expected to act. */
export function waitsThoughPaid(workflow: Workflow, order: PaidOrder & { status_id: number | null }): boolean {
  const transition = paidTransition(workflow, order.status_id)
  return transition !== undefined && isPaidFor(order, transition)
}

/**
 * What an order does by itself once money was booked for it. Who booked it need not be somebody who may make the step: the rule makes it,
 * whatever the flags of its performers say, and subject to all its other conditions. The way of payment is that of the payment.
 */
export function planWhenPaid(order: PlannedOrder, { paidBy, ...facts }: PaidFacts): PaidOutcome | undefined {
  const { workflow } = facts
  const transition = paidTransition(workflow, order.status_id)
  if (isCanceled(statusById(workflow, order.status_id)) || !isPaidFor(order, transition)) return undefined
  if (!transition) return { kind: 'stays' }
  const values = paidBy && transition.required_fields.includes('payment') && !isFilled(order.payment) ? { payment: paidBy } : {}
  const plan = planTransition(order, transition, values, { ...facts, ...rights })
  return Array.isArray(plan) ? { kind: 'waits', transition, problems: plan } : { kind: 'moves', plan }
}

/** The rule may make every step, and answers nothing that it asks. */
const rights = {
  performer: { id: 0, group_id: group.administrator, managers: [], reading: [] },
  ...{ unseen: [], seesPrices: true, mayKeepPrices: false, mayExceed: false },
}

/** What a paid order waits for, by the names of what transitions require. */
export const hindrancesOf = (problems: readonly StepProblem[]): string[] =>
  problems.map((problem) => (problem.kind === 'missing' ? problem.field : problem.kind))
