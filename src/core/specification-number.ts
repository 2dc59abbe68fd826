interface Numbering {
  start: number | null
  orders: number
  highest: number | null
}

/** Specification number of a new order (company rule 2), from values read in the transaction that creates it. */
export function specificationNumber({ start, orders, highest }: Numbering, repeats: boolean): number {
  if (repeats) return (start ?? 0) + orders + 1
  return Math.max((highest ?? 0) + 1, start ?? 1)
}
