const messages = document.getElementById('messages')

document.addEventListener('htmx:error', (event) => {
  const { response, sourceElement } = event.detail?.ctx ?? {}
  // The bell falls back to polling.
  if (response || sourceElement?.id === 'bell') return
  warn('offline')
})

// The session has expired: redirecting would lose what is being typed, while submitting it will not.
document.addEventListener('htmx:before:response', (event) => {
  const { request, response } = event.detail.ctx
  if (response.status !== 401 || request.method !== 'GET' || !event.target.closest?.('form[data-guard]')) return
  event.preventDefault()
  warn('ended')
})

document.addEventListener('htmx:before:swap', ({ detail: { tasks } }) => {
  if (tasks[0]?.target?.matches('.list-region, .record-card')) messages.replaceChildren()
})

function warn(about) {
  const note = document.createElement('div')
  note.className = 'alert alert-danger'
  note.setAttribute('role', 'alert')
  note.textContent = messages.dataset[about]
  messages.replaceChildren(note)
}
