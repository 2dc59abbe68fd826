import { focusOn } from './focus.js'
import { say } from './messages.js'

const dialog = document.getElementById('dialog')
let closedBySwap = false
let opener

document.addEventListener('htmx:after:swap', (event) => {
  if (event.target === dialog || event.detail?.ctx?.target === dialog) open(event.detail?.ctx?.sourceElement)
  // The element that opened the dialog may be gone, so focus moves to what replaced it, or to the message.
  if (!closedBySwap) return
  closedBySwap = false
  const again = opener && document.getElementById(opener)
  if (again) again.focus()
  else focusOn(document.querySelector('main [role="status"]:not([hidden]), main [role="alert"]') ?? document.getElementById('main'))
})

// What was sent from the dialog is answered in the page; what was asked for before it opened may come at any time.
document.addEventListener('htmx:before:swap', (event) => {
  const { target: named, sourceElement } = event.detail?.ctx ?? {}
  const target = typeof named === 'string' ? document.querySelector(named) : named
  if (!dialog.contains(sourceElement) || dialog.contains(target)) return
  dialog.close()
  closedBySwap = true
})

dialog.addEventListener('click', (event) => {
  if (!event.target.closest('[data-close]')) return
  event.preventDefault()
  dialog.close()
})

// One key does not throw away what was typed: the first says that there is something.
dialog.addEventListener('cancel', (event) => {
  const form = dialog.querySelector('form.is-unsaved')
  if (event.target !== dialog || !form) return
  event.preventDefault()
  form.classList.remove('is-unsaved')
  say('leaving', { dialog })
})

dialog.addEventListener('close', () => {
  // What had the focus may have been nothing.
  if (document.activeElement === document.body || dialog.contains(document.activeElement))
    document.getElementById('main')?.focus({ preventScroll: true })
  for (const form of dialog.querySelectorAll('form')) form.dispatchEvent(new CustomEvent('kept', { bubbles: true }))
})

function open(source) {
  if (dialog.open) return
  opener = source?.id
  // A key has pressed it: closing brings the keyboard back to it.
  if (document.activeElement === document.body) source?.focus()
  dialog.showModal()
}
