import htmx from 'htmx.org/dist/htmx.esm.js'

// Ticked orders are moved from the bar below their list, and a single one from the sheet of its row.
document.addEventListener(
  'beforetoggle',
  ({ target: sheet, newState }) => {
    if (newState !== 'open' || !sheet.matches('.row-actions > [popover]') || sheet.querySelector('.is-step')) return
    const bar = sheet.closest('.list-region').querySelector('.bulk-bar')
    const move = bar?.querySelector('[formaction$="/orders/transitions"]')
    const box = sheet.closest('tr').querySelector('.row-select input')
    if (!move || !box) return
    sheet.prepend(stepOf(move, addressOf(move, bar, box.value)))
    htmx.process(sheet)
  },
  { capture: true },
)

function stepOf(move, href) {
  const step = document.createElement('a')
  Object.assign(step, { className: 'is-step', href, innerHTML: move.innerHTML })
  step.setAttribute('hx-boost', 'true')
  return step
}

function addressOf(move, bar, id) {
  const fields = new URLSearchParams(new FormData(bar))
  fields.delete('all')
  fields.set('id', id)
  return `${move.getAttribute('formaction')}?${fields}`
}
