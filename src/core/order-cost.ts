import { lineAmount, sumAmounts } from './pricing.ts'

export interface PricedLine {
  quantity: number
  /** Null for a line that waits for its price. */
  price: number | null
  discount: number
  /** Of a line with a product: what one piece costs. */
  piece_price?: number | null
}

/** With these limits two hundred lines still add up to a safe integer. */
export const lineLimits = { quantity: 10_000, price: 1_000_000_000 }

/** The price of a line in whole kopecks after its discount, rounded half up. `static/js/order-cost.js` must calculate the same. */
export function lineCost({ quantity, price, discount, piece_price }: PricedLine): number {
  if (piece_price != null) return lineAmount(piece_price, quantity)
  return Math.floor((quantity * (price ?? 0) * (100 - discount) + 50) / 100)
}

export function orderCost(lines: readonly PricedLine[]): number {
  return sumAmounts(lines.map(lineCost))
}
