import { focusOn } from './focus.js'
import { holdKeysFor } from './held-keys.js'

const field = () => document.getElementById('find-q')
const hits = () => [...document.querySelectorAll('#found section :is(a, button)')]
const marked = () => document.querySelector('#found .is-marked')

/** Whether what is shown was found for what stands in the field. */
const isCurrent = () => document.getElementById('found')?.dataset.q === field()?.value.trim()

/** Enter was pressed before the answer had come. */
let opensFirst = false

document.addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.code === 'KeyK') {
    event.preventDefault()
    open()
  } else if (event.target === field()) moveOrOpen(event)
})

function open() {
  const link = document.getElementById('find')
  if (!link) return
  holdKeysFor(link)
  link.click()
}

function moveOrOpen(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step) {
    event.preventDefault()
    const all = hits()
    if (all.length === 0) return leave(step)
    mark(all[(all.indexOf(marked()) + step + all.length) % all.length])
  } else if (event.key === 'Enter' && isCurrent() && marked()) {
    event.preventDefault()
    marked().click()
  } else opensFirst = event.key === 'Enter'
}

/** Where nothing was found, the arrow goes on to what can be made of it. */
function leave(step) {
  if (step < 0) return
  const form = document.querySelector('#found .empty a')
  if (form) form.focus()
  else focusOn(document.querySelector('#found .empty'))
}

document.addEventListener('htmx:after:swap', () => {
  if (!field()) return
  showKeys()
  if (marked()) return
  mark(hits()[0])
  if (opensFirst) marked()?.click()
})

function mark(link) {
  marked()?.classList.remove('is-marked')
  link?.classList.add('is-marked')
  link?.scrollIntoView({ block: 'nearest' })
  if (link) field().setAttribute('aria-activedescendant', link.id)
  else field().removeAttribute('aria-activedescendant')
}

/** C creates what the page behind the dialog lists. */
function showKeys() {
  const create = document.querySelector('[data-hotkey="c"]')?.href
  for (const keys of document.querySelectorAll('#found [data-creates]')) keys.hidden = keys.closest('li').querySelector('a').href !== create
}
