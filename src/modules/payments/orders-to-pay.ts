import { distribute } from '../../core/payments.ts'
import type { Allocation } from '../ledger/allocations.ts'

export interface OrderToPay {
  id: number
  /** Kopecks. */
  lacks: number
  due_day: string | null
}

/** How an amount is split: over the orders in this order, as far as each lacks money. */
export function proposeSplit(amount: number, lacking: readonly Pick<OrderToPay, 'id' | 'lacks'>[]): Allocation[] {
  return distribute(
    amount,
    lacking.map(({ id, lacks }) => ({ order_id: id, amount: lacks })),
  )
}
