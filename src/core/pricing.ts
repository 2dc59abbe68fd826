/** Codes of OKEI, the Russian classifier of units. */
export const unitCodes = { pcs: '796', m2: '055', m: '018', set: '839' } as const
export type Unit = keyof typeof unitCodes

export const bases = ['each', 'area', 'length'] as const
export type PriceBasis = (typeof bases)[number]

export const vatRates = ['none', '0', '5', '7', '10', '20', '22'] as const
export type VatRate = (typeof vatRates)[number]

export const priceOrigins = ['list', 'base', 'category', 'contract', 'agreed'] as const
type PriceOrigin = (typeof priceOrigins)[number]

/** Millimeters. A length is a width. */
export interface Size {
  width: number | null
  height: number | null
}

/** What of a product decides which sizes it comes in and what a piece costs. Sizes in millimeters, `minimum` in hundredths of m² or m. */
export interface PricedProduct {
  basis: PriceBasis
  width_min: number | null
  width_max: number | null
  height_min: number | null
  height_max: number | null
  minimum: number | null
}

/** What a company has agreed on: a price in kopecks, and discounts in percent. Null where there is none. */
export interface Terms {
  contract: number | null
  agreed: number | null
  category: number | null
  base: number | null
}

export interface UnitPrice {
  price: number
  discount: number
  origin: PriceOrigin
}

export class AmountTooLarge extends RangeError {}

/** The price of a unit in kopecks, the discount on it in percent and where they come from; null when nothing is asked for the product yet. */
export function unitPriceFor(list: number | null, { contract, agreed, category, base }: Terms): UnitPrice | null {
  const price = contract ?? list
  if (price === null) return null
  if (agreed !== null) return { price, discount: agreed, origin: 'agreed' }
  if (contract !== null) return { price, discount: 0, origin: 'contract' }
  if (category !== null) return { price, discount: category, origin: 'category' }
  return base ? { price, discount: base, origin: 'base' } : { price, discount: 0, origin: 'list' }
}

/** Discount of a category in percent (company rule 1): the company's row for the category, otherwise its base discount. */
export function discountOf(categoryId: number | null, rows: { category_id: number; discount: number }[], base: number | null): number {
  return rows.find((row) => row.category_id === categoryId)?.discount ?? base ?? 0
}

const measures = {
  each: { unit: undefined, parts: [], divisor: 1n, minimum: 0n },
  area: { unit: 'm2', parts: ['width', 'height'], divisor: 1_000_000n, minimum: 10_000n },
  length: { unit: 'm', parts: ['width'], divisor: 1000n, minimum: 10n },
} as const satisfies Record<PriceBasis, { unit: Unit | undefined; parts: readonly (keyof Size)[]; divisor: bigint; minimum: bigint }>

/** What the price of a product is for: its own unit only where that is how it is counted. */
export function pricedUnit(basis: PriceBasis, unit: Unit): Unit {
  return measures[basis].unit ?? unit
}

/** The sizes that a piece of a product with this basis has. */
export function sizesOf(basis: PriceBasis): readonly (keyof Size)[] {
  return measures[basis].parts
}

/**
 * The price of one piece in whole kopecks: the price of a unit times the size, of which at least the minimum is charged, less the
 * discount, rounded half up.
 * @throws AmountTooLarge when a number does not hold it exactly
 */
export function piecePrice({ price, discount }: Pick<UnitPrice, 'price' | 'discount'>, product: PricedProduct, size: Size): number {
  const { divisor } = measures[product.basis]
  return exactNumber(roundHalfUp(BigInt(price) * chargedSize(product, size) * BigInt(100 - discount), divisor * 100n))
}

/** In mm² or mm, or in pieces. */
function chargedSize({ basis, minimum }: PricedProduct, size: Size): bigint {
  const { parts, minimum: hundredth } = measures[basis]
  const actual = parts.map((part) => BigInt(size[part] ?? 0)).reduce((product, one) => product * one, 1n)
  const least = BigInt(minimum ?? 0) * hundredth
  return actual > least ? actual : least
}

/**
 * The price of one piece before its discount. A line does not say which minimum was charged: where it was more than the size, the price
 * follows from what the piece costs.
 */
export function grossPiece(unit: Pick<UnitPrice, 'price' | 'discount'>, basis: PriceBasis, size: Size, piece: number): number {
  const unlimited = { basis, minimum: null, width_min: null, width_max: null, height_min: null, height_max: null }
  if (piecePrice(unit, unlimited, size) === piece) return piecePrice({ ...unit, discount: 0 }, unlimited, size)
  return exactNumber(roundHalfUp(BigInt(piece) * 100n, BigInt(100 - unit.discount)))
}

/**
 * What a line costs: its pieces, each at its price in kopecks.
 * @throws AmountTooLarge when a number does not hold it exactly
 */
export function lineAmount(piece: number, quantity: number): number {
  return exactNumber(BigInt(piece) * BigInt(quantity))
}

interface LinePrice {
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
export function lineCost({ quantity, price, discount, piece_price }: LinePrice): number {
  if (piece_price != null) return lineAmount(piece_price, quantity)
  return Math.floor((quantity * (price ?? 0) * (100 - discount) + 50) / 100)
}

export function orderCost(lines: readonly LinePrice[]): number {
  return sumAmounts(lines.map(lineCost))
}

/** @throws AmountTooLarge when a number does not hold it exactly */
export function sumAmounts(amounts: readonly number[]): number {
  return exactNumber(amounts.reduce((sum, amount) => sum + BigInt(amount), 0n))
}

/** The VAT within an amount in kopecks, rounded half up; null where there is none to name. */
export function vatWithin(amount: number, rate: VatRate | null): number | null {
  if (rate === null || rate === 'none') return null
  return exactNumber(roundHalfUp(BigInt(amount) * BigInt(rate), 100n + BigInt(rate)))
}

/** What an amount without VAT comes to with it, rounded half up. */
export function withVat(amount: number, rate: VatRate | null): number {
  return exactNumber(roundHalfUp(BigInt(amount) * BigInt(100 + vatPercent(rate)), 100n))
}

export const vatPercent = (rate: VatRate | null): number => (rate === null || rate === 'none' ? 0 : Number(rate))

interface SizeProblem {
  part: keyof Size
  least: number
  most: number | null
}

/** The sizes that are missing or outside of the range that the product comes in, with that range. */
export function findSizeProblems(product: PricedProduct, size: Size): SizeProblem[] {
  const { width_min, width_max, height_min, height_max } = product
  const ranges = { width: [width_min, width_max], height: [height_min, height_max] } as const
  return sizesOf(product.basis)
    .map((part) => ({ part, least: ranges[part][0] ?? 1, most: ranges[part][1] }))
    .filter(({ part, least, most }) => !isWithin(size[part], least, most))
}

function isWithin(value: number | null, least: number, most: number | null): boolean {
  return value !== null && value >= least && (most === null || value <= most)
}

/** What something in kopecks costs at least when no more than so many percent are taken off, rounded half up. */
export function leastPrice(price: number, percent: number): number {
  return exactNumber(roundHalfUp(BigInt(price) * BigInt(100 - percent), 100n))
}

/** Whole units of the currency to which a dealer rounds retail prices. */
export const roundings = ['1', '10', '100'] as const
export type Rounding = (typeof roundings)[number]

/**
 * What a piece costs a dealer's customer, in kopecks: the dealer's own price with a markup in percent, rounded half up to whole units of
 * the currency. Something that costs is never given away.
 * @throws AmountTooLarge when a number does not hold it exactly
 */
export function retailPrice(own: number, markup: number, rounding: Rounding): number {
  const step = BigInt(rounding) * 100n
  const marked = BigInt(own) * BigInt(100 + markup)
  const steps = roundHalfUp(marked, step * 100n)
  return exactNumber((steps === 0n && marked > 0n ? 1n : steps) * step)
}

/** For amounts from zero. */
function roundHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor)
}

function exactNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new AmountTooLarge('more than a number holds exactly')
  return Number(value)
}
