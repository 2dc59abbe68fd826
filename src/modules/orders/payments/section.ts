import { extname } from 'node:path'
import { allows } from '../../../core/access.ts'
import { paymentKindLabels, paymentStateLabels } from '../../../core/labels.ts'
import { seesPrices } from '../../../core/prices.ts'
import { mayPerform, outgoingTransitions, type Transition, unmetConditions } from '../../../core/transition-rules.ts'
import type { Database } from '../../../database/index.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { previewKind } from '../../../http/uploads/file-type.ts'
import { allocationsTo } from '../../ledger/allocations.ts'
import { type Payment, paymentFileName, rejectedOf } from '../../ledger/payment.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { orderAccess } from '../access.ts'
import type { Order } from '../order.ts'
import { asksForPayment } from '../transitions/step-form.ts'
import { amountsOf, awaitedConfirmation, creditFor, openOf } from './amounts.ts'

/** What was paid for an order, for those who see prices. */
export function viewOfPayments(context: Context, order: Order, payments: Payment[]) {
  const { server, actor } = context
  if (!seesPrices(actor)) return undefined
  const mayDecide = allows(orderAccess.decidePayment, actor, order)
  const amounts = amountsOf(server.db, order)
  const paid = new Map(allocationsTo(server.db, order.id).map(({ payment_id, amount }) => [payment_id, amount]))
  const rows = payments.map((payment) => ({
    ...viewOfPayment(context, payment),
    ofOrder: paid.get(payment.id) ?? 0,
    over: payment.state === 'reported' ? Math.max(0, payment.amount - amounts.left) : 0,
  }))
  const mayReport = amounts.left > 0 && !amounts.canceled && allows(orderAccess.reportPayment, actor, order)
  const reporting = findReportingStep(context, order)?.id
  const rejected = rejectedOf(server.db, [order.id]).get(order.id)
  return {
    amounts,
    ...creditFor(context, order, openOf(amounts)),
    /** Whether what was paid for a canceled order pays it no longer. */
    returned:
      amounts.canceled && amounts.paid === 0 && rows.some(({ code, direction }) => code === 'confirmed' && direction === 'incoming'),
    rows,
    mayDecide,
    awaited: awaitedConfirmation(context, order),
    /** The newest payment, where it was rejected and is still to be paid. */
    rejected: amounts.left > 0 ? rows.find(({ id }) => id === rejected) : undefined,
    mayReport,
    /** How this person enters or reports one, unless a step asks for it: there is one dialog for one thing. */
    entry:
      mayReport && (mayDecide || reporting === undefined)
        ? { label: context.t(mayDecide ? 'Enter payment' : 'Report payment'), href: url(server, `/orders/${order.id}/payments`) }
        : undefined,
    /** The step that asks for a payment. */
    reporting,
    /** The same, where that is how this person reports one: there is one dialog for one thing. */
    step: mayDecide ? undefined : reporting,
  }
}

/** The step in whose dialog a payment of the order can be reported. */
function findReportingStep(context: Context, order: Order): Transition | undefined {
  return outgoingTransitions(loadWorkflow(context.server.db), order.status_id).find(
    (step) =>
      mayPerform(step, context.actor, order) &&
      asksForPayment(context, step, order) &&
      unmetConditions(step, order.cost, order.account).length === 0,
  )
}

export type PaymentView = ReturnType<typeof viewOfPayment>

export function viewOfPayment({ server: { db }, t }: Context, payment: Payment) {
  const { id, direction, state, amount, date, kind, note, reason, reporter_name, decider_name, decided_at, created_at } = payment
  const { reversed_on, reverser_name } = payment
  const by = { state: t(paymentStateLabels[state]), kind: t(paymentKindLabels[kind]), reporter_name, decider_name }
  return {
    id,
    direction,
    amount,
    date,
    note,
    reason,
    ...by,
    code: state,
    created_at,
    decided_at,
    reversed_on,
    reverser_name,
    file: viewOfFile(db, payment),
  }
}

export function viewOfFile(db: Database, payment: Payment) {
  const name = paymentFileName(db, payment)
  return name && { key: payment.file, name, preview: previewKind(extname(name)) }
}
