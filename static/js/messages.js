import { enhance } from './enhance.js'

const messages = document.getElementById('messages')
const sample = messages.querySelector('template').content.firstElementChild

// The session has expired: redirecting would lose what is being typed, while submitting it will not.
document.addEventListener('htmx:before:response', (event) => {
  const { request, response } = event.detail.ctx
  if (response.status !== 401 || request.method !== 'GET' || !event.target.closest?.('form[data-guard]')) return
  event.preventDefault()
  say('ended')
})

document.addEventListener('htmx:before:swap', ({ detail: { tasks } }) => {
  if (tasks[0]?.target?.matches('.list-region, .record-card')) clear()
})

function clear() {
  for (const note of document.querySelectorAll('#messages > .alert, dialog > .alert')) note.remove()
}

/**
 * @param dialog where it is said while that covers the page
 * @param again what failed
 * @returns what is shown
 */
export function say(about, { dialog, again } = {}) {
  const note = sample.cloneNode(true)
  note.setAttribute('role', 'alert')
  note.dataset.about = about
  note.querySelector('span').textContent = messages.dataset[about]
  const button = note.querySelector('button')
  button.hidden = !again
  note.querySelector('a').hidden = about !== 'signedOut'
  button.addEventListener('click', () => {
    note.remove()
    again()
  })
  clear()
  if (dialog) dialog.prepend(note)
  else messages.append(note)
  return note
}

/** What failed for want of a connection can be tried again; where nothing can, nothing is left to say. */
export function sayRestored(note) {
  if (note.querySelector('button').hidden) return note.remove()
  note.classList.remove('alert-danger')
  note.querySelector('.icon').remove()
  note.querySelector('span').textContent = messages.dataset.restored
}

document.addEventListener('click', ({ target }) => target.closest('[data-dismiss]')?.closest('.alert').remove())

/** What is said at the lower edge stands above the bar of a form, a record or ticked rows, also when that comes or grows. */
export function standAboveBars() {
  const bars = [...document.querySelectorAll('main :is(.save-bar, .record-actions, .order-steps, .bulk-bar)')].filter(
    (bar) => getComputedStyle(bar).position !== 'static',
  )
  const height = Math.max(0, ...bars.map((bar) => bar.offsetHeight))
  document.documentElement.style.setProperty('--bar-height', `${height}px`)
}

new ResizeObserver(standAboveBars).observe(document.body)

enhance('.flash', (toast) => {
  standAboveBars()
  // What comes next stays until it is followed or closed, what should be looked at until it is closed.
  if (toast.matches('.alert-warning') || toast.querySelector('.alert-link')) return
  const lasting = Number(toast.dataset.time) || (toast.querySelector('form') ? 30_000 : 8000)
  const timer = setInterval(() => {
    if (toast.matches(':hover, :focus-within')) return
    clearInterval(timer)
    toast.remove()
  }, lasting)
})
