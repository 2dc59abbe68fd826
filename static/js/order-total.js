import { bounds, formatMoney, kopecksOf, lineCost } from './order-cost.js'

const { currency, decimals } = document.documentElement.dataset
const percent = new Intl.NumberFormat(document.documentElement.lang, { style: 'percent', maximumFractionDigits: 2 })

count()
for (const event of ['input', 'change', 'htmx:after:swap']) document.addEventListener(event, () => requestAnimationFrame(count))

function count() {
  const total = document.getElementById('total')
  const rows = document.querySelectorAll('[data-repeater="items"] .repeater-row')
  if (total)
    showSum(
      total,
      [...rows].reduce((sum, row) => sum + countLine(row), 0),
    )
}

function countLine(row) {
  const part = (name) => document.getElementById(`items.${row.dataset.index}.${name}`)
  const quantity = /^\s*\d+\s*$/.test(part('quantity').value) ? Number(part('quantity').value) : 0
  const price = kopecksOf(part('price').value)
  const discount = discountOf(part('category_id').value, part('discount'))
  const whole = quantity >= 1 && quantity <= bounds.quantity && price <= bounds.price
  const sum = whole ? lineCost(quantity, price, discount) : undefined
  showSum(part('sum'), sum)
  return sum ?? 0
}

function discountOf(category, shown) {
  const [written, storedDiscount] = (shown.dataset.storedDiscount ?? '').split(':')
  const { base, rows } = document.getElementById('discounts').dataset
  const inForce = new Map(
    rows
      .trim()
      .split(' ')
      .map((row) => row.split(':')),
  )
  const discount = storedDiscount !== undefined && written === category ? storedDiscount : (inForce.get(category) ?? base)
  shown.textContent = category || storedDiscount !== undefined ? percent.format(discount / 100) : '—'
  return Number(discount)
}

function showSum(element, kopecks) {
  if (kopecks === undefined) delete element.dataset.kopecks
  else element.dataset.kopecks = kopecks
  element.textContent = kopecks === undefined ? '—' : formatMoney(kopecks, currency, decimals)
}
