// What goes wrong between the page and the server is said where messages stand.
const messages = document.getElementById('messages')

document.addEventListener('htmx:error', (event) => {
  const { response, sourceElement } = event.detail?.ctx ?? {}
  // The bell finds another way.
  if (response || sourceElement?.id === 'bell') return
  warn('offline')
})

// The session has run out while somebody is typing: to go to the sign-in page now would lose that; sending the form will not.
document.addEventListener('htmx:before:response', (event) => {
  const { request, response } = event.detail.ctx
  if (response.status !== 401 || request.method !== 'GET' || !event.target.closest?.('form[data-guard]')) return
  event.preventDefault()
  warn('ended')
})

// What was said of an older state goes with it.
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
