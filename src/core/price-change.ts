import { lineLimits } from './pricing.ts'

/** By hundredths of a percent, or by kopecks. */
export interface PriceChange {
  by: 'percent' | 'amount'
  hundredths: number
}

/** The new price in kopecks, rounded half up; nothing where it would be below zero or above what a price may be. */
export function changedPrice(price: number, { by, hundredths }: PriceChange): number | undefined {
  const changed = by === 'amount' ? price + hundredths : Math.floor((price * (10_000 + hundredths) + 5000) / 10_000)
  return changed >= 0 && changed <= lineLimits.price ? changed : undefined
}
