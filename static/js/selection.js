import { somethingIsOpen } from './open.js'
import { goBackToRow } from './rows.js'

let lastPicked = null

document.addEventListener('click', (event) => {
  const box = event.target.closest('tbody .row-select input')
  if (!box) return
  const boxes = boxesOf(box.closest('.list-region'))
  if (event.shiftKey && boxes.includes(lastPicked)) {
    const [from, to] = [boxes.indexOf(lastPicked), boxes.indexOf(box)].sort((a, b) => a - b)
    for (const between of boxes.slice(from, to + 1)) between.checked = box.checked
  }
  lastPicked = box
  count(box.closest('.list-region'))
})

document.addEventListener('change', ({ target }) => {
  const region = target.closest('.list-region')
  if (target.matches('[data-select-page]')) for (const box of boxesOf(region)) box.checked = target.checked
  if (target.matches('[data-select-page], .bulk-bar [name=all]')) count(region)
})

document.addEventListener('click', ({ target }) => {
  const region = target.closest('[data-select-none]')?.closest('.list-region')
  if (!region) return
  for (const box of region.querySelectorAll('.row-select input, .bulk-bar [name=all]')) box.checked = false
  count(region)
})

// Where Esc closes nothing, it leads from the bar back to the row, and from there it clears the selection.
document.addEventListener(
  'keydown',
  ({ key, target }) => {
    if (key !== 'Escape' || somethingIsOpen()) return
    if (target.closest('.bulk-bar') && goBackToRow()) return
    if (!target.matches('[type="search"]')) document.querySelector('.has-selected [data-select-none]')?.click()
  },
  { capture: true },
)

// Browsers restore what was checked.
countAll()
addEventListener('pageshow', countAll)

function countAll() {
  for (const all of document.querySelectorAll('[data-select-page]')) count(all.closest('.list-region'))
}

// Rows that remain stay selected, but "all results" referred to the previous search.
document.addEventListener('htmx:after:swap', () => {
  for (const all of document.querySelectorAll('[data-select-page]')) {
    const region = all.closest('.list-region')
    const results = region.querySelector('.bulk-bar [name=all]')
    if (results) results.checked = false
    count(region)
  }
})

function boxesOf(region) {
  return [...region.querySelectorAll('tbody .row-select input')]
}

function count(region) {
  const boxes = boxesOf(region)
  for (const box of boxes) box.closest('tr').classList.toggle('is-selected', box.checked)
  const checked = boxes.filter((box) => box.checked).length
  region.classList.toggle('has-selected', checked > 0 || region.querySelector('.bulk-bar [name=all]')?.checked === true)
  const note = region.querySelector('[data-selected]')
  note.textContent = note.dataset.selected.replace('#', checked)
  const all = region.querySelector('[data-select-page]')
  all.checked = checked === boxes.length
  all.indeterminate = checked > 0 && checked < boxes.length
}
