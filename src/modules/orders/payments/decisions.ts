import type { Context } from '../../../http/request/context.ts'
import type { Payment } from '../../ledger/payment.ts'

/** What was decided about payments; one that was reversed had been confirmed. Why stands with the payment. */
export function viewOfDecisions({ t }: Context, payments: Payment[]) {
  return payments.flatMap(({ id, state, amount, decider_id, decider_name, decided_at: at }) => {
    if (at === null) return []
    const sentence = state === 'rejected' ? '{name} rejected a payment of {amount}' : '{name} confirmed a payment of {amount}'
    const said = t(sentence, { name: decider_name, amount: t.money(amount) })
    return { kind: 'decision' as const, id, at, author_id: decider_id, impersonator_name: null, sentence: said }
  })
}
