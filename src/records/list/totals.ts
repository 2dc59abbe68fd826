/** Of all that a list finds, in the last row of its table. */
export interface Total {
  kopecks: number
  href?: string
}

/** By the keys of columns; of very many they come after the page. */
export type Totals = Record<string, Total> | 'later'
