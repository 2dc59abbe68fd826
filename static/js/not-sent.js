// Without a connection a browser would put a page of its own in place of the form, with what was typed; without a session, the one to sign in.
import { say, sayRestored } from './messages.js'
import { reach, whenReached } from './reach.js'

const checking = new WeakSet()
const checked = new WeakSet()

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (event.defaultPrevented || checked.delete(form) || form.getAttribute('method') !== 'post') return
  event.preventDefault()
  if (!checking.has(form)) sendWhenReachable(form, submitter)
})

async function sendWhenReachable(form, submitter) {
  checking.add(form)
  const obstacle = await findObstacle()
  checking.delete(form)
  if (!form.isConnected) return
  if (obstacle === 'unsent' || (obstacle && isTypedIn(form))) return keep(form, submitter, obstacle)
  checked.add(form)
  form.requestSubmit(submitter)
}

async function findObstacle() {
  const answer = await reach()
  if (!answer) return 'unsent'
  if (isSignedOut(answer)) return 'signedOut'
}

/** The server keeps what is sent after a session has run out, but not after somebody has ended it. */
const isSignedOut = ({ headers }) => headers.get('X-Session') === 'ended'

const isTypedIn = (form) => form.matches('.is-unsaved')

/** Says why a form was not sent, which stays as it is. */
export function keep(form, submitter, obstacle = 'unsent') {
  tell(obstacle, { dialog: form.closest('dialog[open]'), again: () => form.isConnected && form.requestSubmit(submitter) })
  form.dispatchEvent(new CustomEvent('unsent', { bubbles: true }))
}

let shownNote

function tell(obstacle, options) {
  const note = say(obstacle, options)
  shownNote = note
  if (obstacle !== 'signedOut') whenReached().then(() => sayRestored(note))
}

document.addEventListener('htmx:before:response', (event) => {
  const { request, response, sourceElement } = event.detail.ctx
  const form = sourceElement?.closest?.('form')
  if (request.method === 'GET') return
  shownNote?.remove()
  if (!form || !isTypedIn(form) || !isSignedOut(response)) return
  event.preventDefault()
  keep(form, undefined, 'signedOut')
})

document.addEventListener('htmx:error', ({ detail }) => {
  const { request, response, sourceElement } = detail?.ctx ?? {}
  if (response || sourceElement?.id === 'bell') return
  const form = sourceElement?.closest?.('form')
  if (form && request.method !== 'GET') keep(form)
  else tell('offline', { again: repeatOf(sourceElement, form) })
})

function repeatOf(source, form) {
  if (source?.matches?.('a, button')) return () => source.click()
  return form && (() => form.requestSubmit())
}
