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

document.addEventListener('htmx:before:swap', (event) => {
  const named = event.detail?.ctx?.target
  const target = typeof named === 'string' ? document.querySelector(named) : named
  if (!dialog.open || (target instanceof Node && dialog.contains(target))) return
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
  dialog.querySelector('[autofocus]')?.focus()
}
