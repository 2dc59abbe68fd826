// Without a connection a browser would put a page of its own in place of the form, with what was typed.
import { say } from './messages.js'

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
  const isReachable = await reachServer()
  checking.delete(form)
  if (!form.isConnected) return
  if (!isReachable) return keep(form, submitter)
  checked.add(form)
  form.requestSubmit(submitter)
}

/** A proxy whose service is down answers with a page of its own, too. An asset of an older version is missing, which is an answer. */
async function reachServer() {
  const options = { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(20_000) }
  const answer = await fetch(import.meta.url, options).catch(() => undefined)
  return answer !== undefined && answer.status < 500
}

/** Says that a form was not sent, which stays as it is. */
export function keep(form, submitter) {
  say('unsent', { dialog: form.closest('dialog[open]'), again: () => form.isConnected && form.requestSubmit(submitter) })
  form.dispatchEvent(new CustomEvent('unsent', { bubbles: true }))
}

document.addEventListener('htmx:error', ({ detail }) => {
  const { request, response, sourceElement } = detail?.ctx ?? {}
  if (response || sourceElement?.id === 'bell') return
  const form = request && request.method !== 'GET' ? sourceElement?.closest?.('form') : undefined
  if (form) keep(form)
  else say('offline', { again: sourceElement?.matches?.('a, button') ? () => sourceElement.click() : undefined })
})
