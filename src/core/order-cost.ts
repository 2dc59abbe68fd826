/** What the price of a line of an order depends on; `price` in kopecks for one, `discount` in percent. */
export interface PricedLine {
  quantity: number
  price: number
  discount: number
}

/** The bounds of a line. Two hundred lines at these bounds add up exactly: every step stays a safe integer. */
export const lineLimits = { quantity: 10_000, price: 1_000_000_000 }

/** What a line costs in whole kopecks, its discount taken off, rounded half up. `static/orders.js` counts the same. */
export function lineCost({ quantity, price, discount }: PricedLine): number {
  return Math.floor((quantity * price * (100 - discount) + 50) / 100)
}

/** What an order costs: the sum of its lines, each rounded by itself. */
export function orderCost(lines: readonly PricedLine[]): number {
  return lines.reduce((sum, line) => sum + lineCost(line), 0)
}
