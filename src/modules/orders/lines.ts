import { lineCost, lineLimits } from '../../core/order-cost.ts'
import type { FormView } from '../../web/form/view.ts'
import { formatMoney } from '../../web/view/format.ts'
import { type Discounts, type Item, lineDiscount } from './items.ts'

interface RenderedField {
  value: string
  kopecks?: number
  storedDiscount?: string
}

export function priceLines(form: FormView, written: readonly Item[], discounts: Discounts): number {
  const itemsField = form.groups.flatMap(({ fields }) => fields).find(({ name }) => name === 'items')
  const rows = itemsField && 'rows' in itemsField ? itemsField.rows : []
  const sums = rows.map((row) => {
    const item = written.find(({ id }) => String(id) === row.key)
    return 'fields' in row ? priceLine(row.fields, item, discounts) : 0
  })
  return sums.reduce((total, sum) => total + sum, 0)
}

function priceLine(fields: (RenderedField & { id: string })[], written: Item | undefined, discounts: Discounts): number {
  const part = (name: string) => fields.find(({ id }) => id.endsWith(`.${name}`)) as RenderedField
  const category = Number(part('category_id').value) || null
  const quantity = /^\s*\d+\s*$/.test(part('quantity').value) ? Number(part('quantity').value) : 0
  const price = part('price').kopecks
  const discount = lineDiscount(category, written, discounts)
  if (category || written) part('discount').value = `${discount}\u00a0%`
  if (written) part('discount').storedDiscount = `${written.category_id ?? ''}:${written.discount}`
  if (price === undefined || price > lineLimits.price || quantity < 1 || quantity > lineLimits.quantity) return 0
  const sum = lineCost({ quantity, price, discount })
  Object.assign(part('sum'), { value: formatMoney(sum), kopecks: sum })
  return sum
}
