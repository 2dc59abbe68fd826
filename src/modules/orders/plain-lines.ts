import { lineCost, lineLimits } from '../../core/order-cost.ts'
import type { Translate } from '../../i18n/translate.ts'
import type { FormView } from '../../web/form/view.ts'
import { type Discounts, type Item, lineDiscount } from './items.ts'
import { rowsOfLines } from './priced-lines.ts'

interface RenderedField {
  value: string
  kopecks?: number
  storedDiscount?: string
}

/** Fills in discounts and amounts of lines while the catalog is not in use, as `static/js/order-total.js` does. */
export function priceLines(form: FormView, written: readonly Item[], discounts: Discounts, t: Translate): number {
  const sums = rowsOfLines(form).map((row) => {
    const item = written.find(({ id }) => String(id) === row.key)
    return priceLine(row.fields, item, discounts, t)
  })
  return sums.reduce((total, sum) => total + sum, 0)
}

function priceLine(fields: (RenderedField & { id: string })[], written: Item | undefined, discounts: Discounts, t: Translate): number {
  const part = (name: string) => fields.find(({ id }) => id.endsWith(`.${name}`)) as RenderedField
  const category = Number(part('category_id').value) || null
  const quantity = /^\s*\d+\s*$/.test(part('quantity').value) ? Number(part('quantity').value) : 0
  const price = part('price').kopecks
  const discount = lineDiscount(category, written, discounts)
  if (category || written) part('discount').value = `${discount}\u00a0%`
  if (written) part('discount').storedDiscount = `${written.category_id ?? ''}:${written.discount}`
  if (price === undefined || price > lineLimits.price || quantity < 1 || quantity > lineLimits.quantity) return 0
  const sum = lineCost({ quantity, price, discount })
  Object.assign(part('sum'), { value: t.money(sum), kopecks: sum })
  return sum
}
