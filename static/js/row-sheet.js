import htmx from 'htmx.org/dist/htmx.esm.js'
import { holdKeysFor } from './held-keys.js'
import { links } from './rows.js'

// On touch what can be done with a row is a sheet: it names the record, so that its lines need not, and is left like that of the tools.
document.addEventListener(
  'beforetoggle',
  ({ target: sheet, newState }) => {
    if (newState !== 'open' || !sheet.matches('.row-actions > [popover]')) return
    if (!sheet.querySelector('.sheet-head')) prepare(sheet)
    showSwitch(sheet)
  },
  { capture: true },
)

function prepare(sheet) {
  for (const action of sheet.querySelectorAll('a[title], button[title]')) action.dataset.verb = action.title.split(': ')[0]
  offerStep(sheet)
  sheet.prepend(headOf(sheet))
  htmx.process(sheet)
}

function headOf(sheet) {
  const head = sheet.closest('.list-region').querySelector('.list-tools > .sheet-head').cloneNode(true)
  const opener = sheet.previousElementSibling.ariaLabel
  head.querySelector('strong').textContent = opener.slice(opener.indexOf(': ') + 2)
  head.querySelector('button').setAttribute('popovertarget', sheet.id)
  return head
}

// Ticked orders are moved from the bar below their list, and a single one from the sheet of its row.
function offerStep(sheet) {
  const move = sheet.closest('.list-region').querySelector('.bulk-bar [formaction$="/orders/transitions"]')
  const address = stepsOf(sheet.closest('tr'))
  if (move && address) sheet.prepend(linkTo(address, move))
}

function linkTo(href, { innerHTML }) {
  const step = document.createElement('a')
  Object.assign(step, { className: 'is-step', href, innerHTML })
  step.setAttribute('hx-boost', 'true')
  return step
}

/** Where it is asked what can be done with the order or payment of a row: beside its page. */
function stepsOf(row) {
  const link = row.querySelector(links)
  if (!link || !/\/(orders|payments)\/\d+$/.test(link.pathname)) return undefined
  const query = new URLSearchParams(link.search)
  query.set('stays', '1')
  return `${link.pathname}/steps?${query}`
}

/** With other records it is what can be done with ticked ones. */
function bulkOf(row) {
  const action = row.closest('.list-region')?.querySelector('.bulk-bar [formaction][hx-get]')
  const box = row.querySelector('.row-select input')
  if (!action || !box) return undefined
  const fields = new URLSearchParams(new FormData(action.form))
  fields.delete('all')
  fields.set('id', box.value)
  return `${action.getAttribute('formaction')}?${fields}`
}

/** What can be done with the row where the keyboard is, over the page; nothing is ticked for it. */
export function actOnRow(row) {
  const address = row && (stepsOf(row) ?? bulkOf(row))
  return address ? ask(row, address) : false
}

/** The same of the order or payment whose page is open. */
export function actOnPage() {
  const page = document.querySelector('#main [data-steps]')
  return page ? ask(page, page.dataset.steps + location.search) : false
}

function ask(source, address) {
  holdKeysFor(source)
  htmx.ajax('GET', address, { source, target: '#dialog', swap: 'innerHTML' })
  return true
}

// The switch of a row, which a phone shows nowhere else: as it is at the time.
function showSwitch(sheet) {
  sheet.querySelector('[role="switch"]')?.remove()
  const own = sheet.closest('tr').querySelector('td > form > [role="switch"]')
  if (!own) return
  const shown = document.createElement('button')
  Object.assign(shown, { className: 'is-switch', role: 'switch', ariaChecked: own.ariaChecked, textContent: own.ariaLabel.split(': ')[0] })
  shown.addEventListener('click', () => {
    sheet.hidePopover()
    own.form.requestSubmit()
  })
  sheet.querySelector('.sheet-head').after(shown)
}
