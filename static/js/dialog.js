import htmx from 'htmx.org/dist/htmx.esm.js'
import { focusOn } from './focus.js'
import { say } from './messages.js'

const dialog = document.getElementById('dialog')
let closedBySwap = false
let opener

document.addEventListener('htmx:after:swap', (event) => {
  if (event.target === dialog || event.detail?.ctx?.target === dialog) {
    for (const form of dialog.querySelectorAll('form[method=post]:not([hx-post])')) answerHere(form)
    open(event.detail?.ctx?.sourceElement)
  }
  // The element that opened the dialog may be gone, so focus moves to what replaced it, or to the message.
  if (!closedBySwap) return
  closedBySwap = false
  const again = opener && document.getElementById(opener)
  if (again) again.focus()
  else focusOn(document.querySelector('main [role="status"]:not([hidden]), main [role="alert"]') ?? document.getElementById('main'))
})

/** What is wrong with a form is said where the form is. */
function answerHere(form) {
  form.setAttribute('hx-post', form.getAttribute('action'))
  form.setAttribute('hx-target', '#dialog')
  htmx.process(form)
}

document.addEventListener('htmx:after:request', ({ detail: { ctx } }) => {
  const { sourceElement, hx } = ctx
  if (!dialog.contains(sourceElement)) return
  // What could not be done at all is said above the form, too.
  if (hx.retarget === '#messages') Object.assign(hx, { retarget: '#dialog', reswap: 'afterbegin' })
  if (hx.redirect && isThisPage(hx.redirect)) {
    history.replaceState(history.state, '', hx.redirect)
    hx.refresh = 'true'
  }
})

/** To the page that is open, an address with a place in it would only scroll. */
function isThisPage(address) {
  const { pathname, search } = new URL(address, location.href)
  return pathname === location.pathname && search === location.search
}

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

/** A sheet on a phone is left by its cross, like that of the menu; the search has its own. */
function addCross() {
  const ofMenu = document.querySelector('.menu-head .btn')
  if (!ofMenu || dialog.querySelector('.find-form, .dialog-close')) return
  const cross = ofMenu.cloneNode(true)
  cross.classList.add('dialog-close')
  cross.removeAttribute('popovertarget')
  cross.removeAttribute('popovertargetaction')
  cross.type = 'button'
  cross.dataset.close = ''
  dialog.append(cross)
}

function open(source) {
  addCross()
  if (dialog.open) return
  opener = source?.id
  // A key has pressed it: closing brings the keyboard back to it.
  if (document.activeElement === document.body) source?.focus()
  dialog.showModal()
}
