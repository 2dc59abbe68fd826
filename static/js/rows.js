import { focusOn } from './focus.js'

const rows = '.list-table tbody tr:not(.list-heading), .board-card, .dashboard .order-lines li:has(> .order-line)'
export const links = '.row-link, .board-title a, .order-line'

export const currentRow = () => document.activeElement.closest(rows)

let last

// Where the keyboard was stays known while it is elsewhere.
document.addEventListener('focusin', ({ target }) => {
  last = target.closest?.(rows)?.id ?? last
})

export function goToRow(step) {
  const all = rowsHere()
  const to = rowBeside(step)
  if (to) setCurrent(to)
  return all.length > 0
}

/** @param edge `first` or `last` */
export function goToEdge(edge) {
  const row = rowsHere().at(edge === 'first' ? 0 : -1)
  if (row) setCurrent(row)
  return Boolean(row)
}

export function goBackToRow() {
  const row = last && document.getElementById(last)
  if (row) setCurrent(row)
  return Boolean(row)
}

/** Ticks this row and goes on to the one beside it, which is ticked, too; between ticked ones it goes back, and the one that it leaves is not. */
export function extendTo(step) {
  const [from, to] = [boxOf(currentRow()), boxOf(rowBeside(step))]
  if (!from) return false
  if (!from.checked || to?.checked) from.click()
  if (to && !to.checked) to.click()
  return goToRow(step)
}

const boxOf = (row) => row?.querySelector('.row-select input')

const rowsHere = () => [...(currentRow()?.closest('.board-column') ?? document).querySelectorAll(rows)]

function rowBeside(step) {
  const [from, all] = [currentRow(), rowsHere()]
  return all[from ? all.indexOf(from) + step : step > 0 ? 0 : all.length - 1]
}

/** From a card of the board to the nearest one of the next column that has any. */
export function goToColumn(step) {
  const from = currentRow()
  const columns = [...document.querySelectorAll('.board-column:has(.board-card)')]
  const at = columns.indexOf(from?.closest('.board-column'))
  if (at < 0) return columns.length > 0 && goToRow(1)
  const cards = columns[at + step]?.querySelectorAll('.board-card') ?? []
  const [nearest] = [...cards].sort((a, b) => distance(a, from) - distance(b, from))
  if (nearest) setCurrent(nearest)
  return true
}

function distance(a, b) {
  return Math.abs(middleOf(a) - middleOf(b))
}

function middleOf(card) {
  const { top, bottom } = card.getBoundingClientRect()
  return (top + bottom) / 2
}

function setCurrent(row) {
  const link = row.querySelector(links)
  if (link) link.focus({ preventScroll: true })
  else focusOn(row, { preventScroll: true })
  row.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

/** The row of the record that somebody comes back from, by a link or by Back, is the current one; so is one that the address names. */
export function returnToRow() {
  if (document.activeElement !== document.body) return
  const row = location.hash ? namedRow(location.hash.slice(1)) : leftRow()
  if (row) setCurrent(row)
}

/** Where it is no longer in the list, that in its place. */
function namedRow(id) {
  const named = document.getElementById(id)
  if (named) return named.matches(rows) ? named : undefined
  const all = rowsHere()
  return id === sessionStorage.getItem('row') ? all[Math.min(Number(sessionStorage.getItem('at')), all.length - 1)] : undefined
}

function leftRow() {
  const left = isBack() ? sessionStorage.getItem('left') : document.referrer && new URL(document.referrer).pathname
  return [...document.querySelectorAll(links)].find(({ pathname }) => pathname === left)?.closest(rows)
}

const isBack = () => performance.getEntriesByType('navigation')[0]?.type === 'back_forward'

export function rememberPlace() {
  sessionStorage.setItem('left', location.pathname)
  const row = last && document.getElementById(last)
  if (!row) return
  sessionStorage.setItem('row', last)
  sessionStorage.setItem('at', rowsHere().indexOf(row))
}
