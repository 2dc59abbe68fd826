import { focusOn } from './focus.js'

const dialog = document.getElementById('dialog')
let closedBySwap = false

document.addEventListener('htmx:after:swap', (event) => {
  if (event.target === dialog || event.detail?.ctx?.target === dialog) open()
  // The element that opened the dialog may be gone, so focus moves to the message.
  if (!closedBySwap) return
  closedBySwap = false
  focusOn(document.querySelector('main [role="status"]:not([hidden]), main [role="alert"]') ?? document.getElementById('main'))
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

function open() {
  if (!dialog.open) dialog.showModal()
}
