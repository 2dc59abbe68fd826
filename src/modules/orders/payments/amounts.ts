import { allows, isDealer } from '../../../core/access.ts'
import { isCanceled } from '../../../core/payments.ts'
import { seesPrices } from '../../../core/prices.ts'
import { statusById } from '../../../core/transition-rules.ts'
import type { Database } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { today } from '../../../i18n/format.ts'
import { paymentAccess } from '../../ledger/access.ts'
import { describeDeciders } from '../../ledger/deciders.ts'
import { findPayer } from '../../ledger/payer.ts'
import { reportedSum, reportedSums } from '../../ledger/payment.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { orderAccess } from '../access.ts'
import type { Order } from '../order.ts'

/** In kopecks. Only confirmed money counts; what is left is less than nothing where too much was paid, as for a canceled order. */
export function amountsOf(db: Database, order: Order) {
  const { cost, account } = order
  const canceled = isCanceled(statusById(loadWorkflow(db), order.status_id))
  const left = (canceled ? 0 : cost) - account.paid
  return { cost, charged: account.charged, paid: account.paid, reported: reportedSum(db, order.id), left, canceled }
}

/** What has to be confirmed before an order goes on, by this person or by somebody else; dealers go on reporting. */
export const unconfirmedSum = ({ server, actor }: Context, orderId: number): number =>
  !isDealer(actor) && seesPrices(actor) ? reportedSum(server.db, orderId) : 0

export interface AwaitedConfirmation {
  /** Whether whoever reads can confirm it. */
  own: boolean
  text: string
}

/** What an order waits for while money is not confirmed: `own` where this person can do it, else with who can. */
export function awaitedConfirmation(context: Context, order: Order): AwaitedConfirmation | undefined {
  const { actor, t } = context
  if (unconfirmedSum(context, order.id) === 0) return undefined
  if (allows(orderAccess.decidePayment, actor, order)) return { own: true, text: t('Confirm payment') }
  return { own: false, text: describeDeciders(context, orderAccess.decidePayment, order) ?? t('Payment not confirmed yet') }
}

/** What is neither paid nor reported: who pays it does not pay what waits to be confirmed once more. */
export const openOf = ({ left, reported }: ReturnType<typeof amountsOf>): number => Math.max(0, left - reported)

/** What of the company's money pays nothing and can pay what is open of an order, and how much of it then does; all in kopecks. */
export function creditFor({ server: { db }, actor }: Context, order: Order, open: number) {
  const { payer_id, credit: ofPayer } = order.account
  const mayPay = open > 0 && ofPayer > 0 && allows(orderAccess.payFromBalance, actor, order)
  const payer = mayPay && payer_id ? findPayer(db, payer_id) : undefined
  const credit = payer && allows(paymentAccess.report, actor, payer) ? ofPayer : 0
  /** It settles what is enough for all that is neither paid nor reported. */
  return { credit, pays: Math.min(credit, open), settles: credit > 0 && credit >= open }
}

/** Of those of some orders that are due, by their ids, for whoever sees prices. */
export function openAmounts({ server: { db }, actor }: Context, some: Order[]): Map<number, number> {
  const due = seesPrices(actor) ? some.filter(({ due_since, cost, account }) => due_since && cost > account.paid) : []
  const ids = due.map(({ id }) => id)
  const reported = reportedSums(db, ids)
  const open = due.map(({ id, cost, account }): [number, number] => [id, cost - account.paid - (reported.get(id) ?? 0)])
  return new Map(open.filter(([, amount]) => amount > 0))
}

/** What a form of a payment is filled in with today. */
export function proposePayment(db: Database, order: Order) {
  const open = openOf(amountsOf(db, order))
  return { amount: open > 0 ? open : null, date: today(), kind: 'transfer' as const }
}
