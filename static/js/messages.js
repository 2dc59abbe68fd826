import { enhance } from './enhance.js'

const messages = document.getElementById('messages')

// The session has expired: redirecting would lose what is being typed, while submitting it will not.
document.addEventListener('htmx:before:response', (event) => {
  const { request, response } = event.detail.ctx
  if (response.status !== 401 || request.method !== 'GET' || !event.target.closest?.('form[data-guard]')) return
  event.preventDefault()
  say('ended')
})

document.addEventListener('htmx:before:swap', ({ detail: { tasks } }) => {
  if (tasks[0]?.target?.matches('.list-region, .record-card')) messages.replaceChildren()
})

/** @param dialog where it is said while that covers the page */
export function say(about, dialog) {
  const note = document.createElement('div')
  note.className = 'alert alert-danger'
  note.setAttribute('role', 'alert')
  const text = document.createElement('span')
  text.textContent = messages.dataset[about]
  note.append(text)
  document.querySelector('dialog > .alert-danger')?.remove()
  if (dialog) dialog.prepend(note)
  else messages.replaceChildren(note)
}

document.addEventListener('click', ({ target }) => target.closest('[data-dismiss]')?.closest('.alert').remove())

enhance('.flash', (toast) => {
  const lasting = Number(toast.dataset.time) || (toast.querySelector('form') ? 30_000 : 8000)
  const timer = setInterval(() => {
    if (toast.matches(':hover, :focus-within')) return
    clearInterval(timer)
    toast.remove()
  }, lasting)
})
