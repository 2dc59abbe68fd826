import { seesPrices } from '../../../core/prices.ts'
import type { Context } from '../../../http/request/context.ts'
import { paymentsOf } from '../../ledger/payment.ts'
import type { Order } from '../order.ts'

/** What was decided about the payments of an order, for those who see prices; one that was reversed had been confirmed. Why stands with the payment. */
export function viewOfDecisions({ server, actor, t }: Context, order: Order) {
  if (!seesPrices(actor)) return []
  return paymentsOf(server.db, order.id).flatMap(({ id, state, amount, decider_id, decider_name, decided_at: at }) => {
    if (at === null) return []
    const sentence = state === 'rejected' ? '{name} rejected a payment of {amount}' : '{name} confirmed a payment of {amount}'
    const said = t(sentence, { name: decider_name, amount: t.money(amount) })
    return { kind: 'decision' as const, id, at, author_id: decider_id, impersonator_name: null, sentence: said }
  })
}
