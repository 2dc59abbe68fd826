import { focusOn } from './focus.js'

const rows = '.list-table tbody tr:not(.list-heading), .board-card'
const links = '.row-link, .board-title a'

export const currentRow = () => document.activeElement.closest(rows)

export function goToRow(step) {
  const from = currentRow()
  const all = [...(from?.closest('.board-column') ?? document).querySelectorAll(rows)]
  const at = from ? all.indexOf(from) + step : step > 0 ? 0 : all.length - 1
  if (all[at]) setCurrent(all[at])
  return all.length > 0
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

/** The row of the record that somebody comes back from, by a link or by Back, is the current one. */
export function returnToRow() {
  if (document.activeElement !== document.body || location.hash) return
  const left = isBack() ? sessionStorage.getItem('left') : document.referrer && new URL(document.referrer).pathname
  const link = [...document.querySelectorAll(links)].find(({ pathname }) => pathname === left)
  if (link) setCurrent(link.closest(rows))
}

const isBack = () => performance.getEntriesByType('navigation')[0]?.type === 'back_forward'

export function rememberPlace() {
  sessionStorage.setItem('left', location.pathname)
}
