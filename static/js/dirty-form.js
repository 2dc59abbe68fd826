import { enhance } from './enhance.js'

const guarded = 'form[data-guard], dialog form[method=post]'
const unsaved = new WeakSet()
/** Whether anything was typed into the form of the dialog that was sent last. */
let typedInDialog = false

enhance(guarded, (form) => {
  if (refused(form) && !('unanswered' in form.dataset) && (typedInDialog || !form.closest('dialog'))) markUnsaved(form)
})

/** The server answers with what was typed, which is not saved. */
function refused(form) {
  const said = document.querySelector('#messages > .alert-danger[autofocus]')
  return said || form.querySelector('[aria-invalid]') || form.matches('.conflicts ~ form')
}

document.addEventListener('input', ({ target }) => {
  const form = target.closest(guarded)
  if (!form) return
  markUnsaved(form)
  const note = form.querySelector('.unsaved')
  if (note) note.hidden = false
})

function markUnsaved(form) {
  unsaved.add(form)
  form.classList.add('is-unsaved')
}

// A draft is stored: leaving the page loses nothing.
document.addEventListener('kept', ({ target }) => {
  unsaved.delete(target)
  const note = target.querySelector('.unsaved')
  if (note) note.hidden = true
})

const sending = new WeakSet()

document.addEventListener(
  'submit',
  ({ target }) => {
    const typed = unsaved.delete(target)
    if (typed) sending.add(target)
    if (target.closest('dialog')) typedInDialog = typed
  },
  { capture: true },
)

document.addEventListener('unsent', ({ target }) => {
  if (sending.delete(target)) markUnsaved(target)
})

addEventListener('beforeunload', (event) => {
  if (anyUnsaved()) event.preventDefault()
})

// htmx would replace the form without the confirmation that leaving a page brings.
for (const [type, selector] of [
  ['click', '.card-header-tabs a'],
  ['submit', '.transitions, .assign-status, #confirm-step'],
])
  document.addEventListener(
    type,
    (event) => {
      if (anyUnsaved() && event.target.closest(selector)) event.stopPropagation()
    },
    { capture: true },
  )

function anyUnsaved() {
  return [...document.querySelectorAll(guarded)].some((form) => unsaved.has(form))
}
