import { groupDigits } from './group-digits.ts'

/** How an installation writes amounts: of its settings, the usual where they are empty. */
export interface Currency {
  currency_symbol: string | null
  decimals: number | null
}

export const usualSymbol = '₽'
export const usualDecimals = 2

/** Kopecks as `12 345,67 ₽`. */
export function formatMoney(kopecks: number, { currency_symbol, decimals }: Currency): string {
  const [whole = '', part] = (Math.abs(kopecks) / 100).toFixed(decimals ?? usualDecimals).split('.')
  return `${kopecks < 0 ? '−' : ''}${groupDigits(whole)}${part ? `,${part}` : ''}\u00a0${currency_symbol ?? usualSymbol}`
}

/** A parameter of a text that is an amount, written as the reader's installation does. */
export interface Amount {
  kopecks: number
  /** Where the text says more or fewer than the installation. */
  decimals?: number
}
