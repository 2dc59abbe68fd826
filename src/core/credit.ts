interface CompanyAccount {
  /** In kopecks, like all amounts: less than nothing is owed. Money that pays no order, or one before it is charged, is no part of it. */
  balance: number
  /** What orders past their days lack. */
  lacking: number
  /** Null where it is not checked. */
  limit: number | null
}

export interface Credit {
  owed: number
  overdue: number
  /** What is left of the limit, less than nothing where it is exceeded; null where there is none. */
  left: number | null
}

export function creditOf({ balance, lacking, limit }: CompanyAccount): Credit {
  const owed = Math.max(0, -balance)
  return { owed, overdue: Math.min(owed, lacking), left: limit === null ? null : limit + balance }
}

/** What was booked of an order, and how its company stands: its balance without money that pays no order, or another one before that is charged. */
export interface OrderAccount {
  charged: number
  paid: number
  balance: number
  credit_limit: number | null
}

/** What of an order has to be paid yet, so that so many percent of its cost are. */
export function lackingFor(percent: number, cost: number, paid: number): number {
  const least = (BigInt(cost) * BigInt(percent) + 99n) / 100n
  return Math.max(0, Number(least) - paid)
}

/** By how much the company would exceed its limit with this order counted as due. */
export function excessWith(cost: number, { charged, balance, credit_limit }: OrderAccount): number {
  return credit_limit === null ? 0 : Math.max(0, cost - charged - balance - credit_limit)
}
