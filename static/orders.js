// What an order costs while it is being written. The sums are those of `src/core/order-cost.ts`; the server counts for itself.

const bounds = { quantity: 10_000, price: 1_000_000_000 }

document.addEventListener('DOMContentLoaded', count)
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

function lineCost(quantity, price, discount) {
  return Math.floor((quantity * price * (100 - discount) + 50) / 100)
}

// The discount a line was written with stays as long as its category does.
function discountOf(category, shown) {
  const [written, kept] = (shown.dataset.kept ?? '').split(':')
  const { base, rows } = document.getElementById('discounts').dataset
  const inForce = new Map(
    rows
      .trim()
      .split(' ')
      .map((row) => row.split(':')),
  )
  const discount = kept !== undefined && written === category ? kept : (inForce.get(category) ?? base)
  shown.textContent = category || kept !== undefined ? `${discount} %` : '—'
  return Number(discount)
}

function kopecksOf(text) {
  const [, whole, part = ''] = /^(\d{1,12})(?:[.,](\d{1,2}))?$/.exec(text.replace(/[\s₽]/g, '')) ?? []
  return whole === undefined ? undefined : Number(whole) * 100 + Number(part.padEnd(2, '0'))
}

function showSum(element, kopecks) {
  if (kopecks === undefined) delete element.dataset.kopecks
  else element.dataset.kopecks = kopecks
  element.textContent = kopecks === undefined ? '—' : inRubles(kopecks)
}

function inRubles(kopecks) {
  const [whole, part] = (kopecks / 100).toFixed(2).split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, '\u00a0')},${part}\u00a0₽`
}
