/** What the number of a new order depends on, read in the transaction that creates it. */
export interface Numbering {
  /** The company's first number, 0 when empty. */
  start: number | null
  /** How many existing orders have a dealer of the company. */
  orders: number
  /** The highest number any order of the company was ever given, if any. */
  highest: number | null
}

/**
 * Specification number of a new order (company rule 2).
 * @param repeats as specified: counted from the orders that exist, so a number can come again after a deletion;
 *   otherwise always above the highest given so far
 */
export function specificationNumber({ start, orders, highest }: Numbering, repeats: boolean): number {
  if (repeats) return (start ?? 0) + orders + 1
  return Math.max((highest ?? 0) + 1, start ?? 1)
}
