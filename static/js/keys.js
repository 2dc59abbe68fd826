import { follow, holdKeysFor } from './held-keys.js'
import { enter, isInMenu } from './menus.js'
import { somethingIsOpen } from './open.js'
import { actOnPage, actOnRow } from './row-sheet.js'
import { currentRow, extendTo, goToColumn, goToEdge, goToRow, rememberPlace, returnToRow } from './rows.js'

// Single keys act only where nobody types, and can be switched off in the profile (WCAG 2.1.4).
const isOff = document.documentElement.dataset.keys === 'off'

/** Where letters are typed, or choose something by its name. */
const typing =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable], [role="combobox"], [role="listbox"], [role="menu"], [role="application"]'

/** So long a G waits for where to go. */
const sequenceTimeout = 1500

/** Who hesitates is shown where letters lead, in the menu, and has longer. */
const [hintAfter, hintTime] = [600, 6000]

const actions = {
  '/': searchHere,
  f: openFilters,
  '?': () => press(document.getElementById('shortcuts')),
  '.': act,
  j: () => goToRow(1) || press(neighbor('next')),
  k: () => goToRow(-1) || press(neighbor('prev')),
  home: () => currentRow() && goToEdge('first'),
  end: () => currentRow() && goToEdge('last'),
  h: () => goToColumn(-1),
  l: () => goToColumn(1),
  arrowleft: () => goToColumn(-1),
  arrowright: () => goToColumn(1),
  arrowup: () => isOnBoard() && goToRow(-1),
  arrowdown: () => isOnBoard() && goToRow(1),
  escape: ({ repeat }) =>
    !repeat &&
    !somethingIsOpen() &&
    !document.querySelector('form[data-saved].is-unsaved, .tox-dialog, .tox-menu') &&
    press(document.querySelector('.page-header .back-link')),
  x: () => press(currentRow()?.querySelector('.row-select input')),
  e: () => edit(currentRow()?.querySelector('.row-actions .is-edit') ?? currentSection()?.querySelector('.section-edit') ?? marked('e')),
  tab: goToBulk,
  c: () => press(marked('c')),
  g: () => {
    waitForPlace(sequenceTimeout)
    hint = setTimeout(showPlaces, hintAfter)
  },
}

/** Together with Shift. */
const shifted = { j: () => extendTo(1), k: () => extendTo(-1), g: () => goToEdge('last') }

let goesUntil = 0
let hint
let lastKey
let heldByReader = false

document.addEventListener('keydown', (event) => {
  if (['CapsLock', 'Insert'].includes(event.key)) heldByReader = true
  if (isOff || heldByReader || !isFree(event)) return
  const key = letterOf(event)
  const goes = performance.now() < goesUntil
  waitForPlace(0)
  const done = goes && !isShifted(event) ? goTo(key) : actionOf(event, key)?.(event)
  lastKey = key
  if (done) event.preventDefault()
})

function waitForPlace(time) {
  goesUntil = performance.now() + time
  clearTimeout(hint)
  for (const key of document.querySelectorAll('.go-key')) key.remove()
}

function showPlaces() {
  waitForPlace(hintTime)
  hint = setTimeout(waitForPlace, hintTime, 0)
  for (const link of document.querySelectorAll('#menu [data-letter]')) {
    const key = document.createElement('kbd')
    Object.assign(key, { className: 'go-key', textContent: link.dataset.letter.toUpperCase(), ariaHidden: 'true' })
    link.append(key)
  }
}

/** G and the letter of a page, or G once more: to the first row. */
const goTo = (key) => (key === 'g' ? goToEdge('first') : press(document.querySelector(`#menu [data-letter="${CSS.escape(key)}"]`)))

const isShifted = ({ shiftKey, key }) => shiftKey && /^\p{L}$/u.test(key)

function actionOf(event, key) {
  const possible = isShifted(event) ? shifted : actions
  return Object.hasOwn(possible, key) ? possible[key] : undefined
}

// Where somebody types, Esc leaves the field and nothing else, so that the keys after it are for the page.
document.addEventListener('keydown', ({ key, target, isComposing, defaultPrevented }) => {
  if (isOff || key !== 'Escape' || isComposing || defaultPrevented || somethingIsOpen()) return
  target.closest(typing)?.blur()
})

// What the last message offers to undo; where somebody types, it is for what was typed.
document.addEventListener('keydown', (event) => {
  const { ctrlKey, metaKey, altKey, shiftKey, code, target, defaultPrevented } = event
  if (code !== 'KeyZ' || !(ctrlKey || metaKey) || altKey || shiftKey || defaultPrevented) return
  if (target.closest(typing) || document.querySelector('dialog[open]')) return
  if (press(document.querySelector(':is(.flash, .order-undo) form button'))) event.preventDefault()
})

document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing && press(mainButton(event.target)))
    event.preventDefault()
})

/** Of the form that is being filled in. */
function mainButton(input) {
  const buttons = [...(input.closest('form')?.elements ?? [])].filter(({ type }) => type === 'submit')
  return buttons.find((button) => button.matches('.btn-primary')) ?? buttons[0]
}

// With these keys, and on the number pad, screen readers have commands of their own.
document.addEventListener('keyup', ({ key }) => {
  if (['CapsLock', 'Insert'].includes(key)) heldByReader = false
})
addEventListener('blur', () => {
  heldByReader = false
})

function isFree(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return false
  if (event.location === KeyboardEvent.DOM_KEY_LOCATION_NUMPAD) return false
  return !event.target.closest(typing) && !isInMenu() && !document.querySelector('dialog[open]')
}

/** Letters of other alphabets are taken by their place on the keyboard. */
function letterOf({ key, code }) {
  if (!/^\p{L}$/u.test(key) || /^[a-z]$/i.test(key)) return key.toLowerCase()
  return code === 'Period' ? '.' : code.replace('Key', '').toLowerCase()
}

const marked = (key) => document.querySelector(`[data-hotkey="${key}"]`)

function press(element) {
  if (element?.matches('[hx-target="#dialog"]')) holdKeysFor(element)
  if (element?.matches('a:not([hx-get])')) follow(element)
  else element?.click()
  return Boolean(element)
}

/** The page of a form that was asked for by key begins in its first field. */
function edit(link) {
  if (link?.href) sessionStorage.setItem('edits', link.pathname)
  return press(link)
}

function searchHere() {
  const search = marked('/')
  search?.select()
  return search ? true : press(document.getElementById('find'))
}

/** Filters that a page does not have yet are asked for, and entered when they have come. */
let awaitsFilters = false

function openFilters() {
  const filters = document.querySelector('.list-filters')
  const opener = filters?.querySelector('[id$="-more-filters"]') ?? filters?.querySelector('summary')
  if (opener?.matches('summary')) return enter(opener.parentElement)
  awaitsFilters = press(opener)
  return awaitsFilters
}

document.addEventListener('htmx:after:swap', () => {
  const filters = document.querySelector('.list-filters details[open]:has(> [id$="-more-filters"])')
  if (!awaitsFilters || !filters) return
  awaitsFilters = false
  enter(filters)
})

const currentSection = () => document.activeElement.closest('section')

/** The record before or after this one in the list that somebody came from. */
const neighbor = (rel) => document.querySelector(`.page-header a[rel="${rel}"]`)

const isOnBoard = () => document.querySelector('.board-card') !== null

/** What can be done with the ticked rows, with that where the keyboard is, or with what the page is about. */
function act() {
  const bulk = document.querySelector('.list-region.has-selected .bulk-bar [formaction][hx-get]')
  return press(bulk) || actOnRow(currentRow()) || actOnPage()
}

/** After X comes what can be done with what it has ticked, without a way through the rows below. */
function goToBulk({ shiftKey, target }) {
  const region = target.closest('.has-selected')
  if (lastKey !== 'x' || shiftKey || !region?.querySelector('tbody').contains(target)) return false
  region.querySelector('.bulk-bar [formaction]')?.focus()
  return true
}

// Browsers bring back pages with what had the focus, or the page is a new one.
if (!isOff) {
  returnToRow()
  addEventListener('pageshow', returnToRow)
  addEventListener('pagehide', rememberPlace)
}

// The dialog of shortcuts names those for which the page behind it has something.
document.addEventListener('htmx:after:swap', () => {
  for (const line of document.querySelectorAll('#dialog [data-needs]')) line.hidden = !document.querySelector(line.dataset.needs)
})
