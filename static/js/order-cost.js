// Mirrors `src/core/pricing.ts` for a live total; the server computes its own.

export const bounds = { quantity: 10_000, price: 1_000_000_000 }

export function lineCost(quantity, price, discount) {
  return Math.floor((quantity * price * (100 - discount) + 50) / 100)
}

const currencySign = /^\p{Sc}\s*|\s*\p{Sc}$|\s(?!(?:т|т\.?\s?р|тыс|млн|млрд|k|m|mln|bn)\.?$)\p{L}[\p{L}.]{0,4}$/iu

export function kopecksOf(text) {
  const number = text.trim().replace(currencySign, '').replace(/\s/g, '')
  const [, whole, part = ''] = /^(\d{1,12})(?:[.,](\d{1,2}))?$/.exec(number) ?? []
  return whole === undefined ? undefined : Number(whole) * 100 + Number(part.padEnd(2, '0'))
}

export function formatMoney(kopecks, symbol = '₽', decimals = 2) {
  const [whole, part] = (kopecks / 100).toFixed(decimals).split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, '\u00a0')}${part ? `,${part}` : ''}\u00a0${symbol}`
}
