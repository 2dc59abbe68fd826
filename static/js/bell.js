// Updates by server-sent events, and by polling where no stream arrives.
const bell = document.getElementById('bell')
const silence = 45_000
let heardAt = Date.now()
let over = false

bell.addEventListener('unread', (event) => show(event.detail.data))
bell.addEventListener('htmx:sse:after:message', () => {
  heardAt = Date.now()
})
// The session has expired: unsaved input stays, and the next click leads to the sign-in page.
bell.addEventListener('end', () => {
  over = true
})
bell.addEventListener('htmx:before:response', (event) => {
  if (event.detail.ctx.response.status !== 401) return
  event.preventDefault()
  over = true
})
setInterval(() => {
  if (!document.hidden) refreshCount()
}, silence)
document.addEventListener('htmx:after:swap', refreshCount)

async function refreshCount() {
  if (over || Date.now() - heardAt < silence) return
  const answer = await fetch(bell.dataset.unread, { redirect: 'manual' }).catch(() => undefined)
  if (answer?.ok) show(await answer.text())
}

// Unchanged content is not replaced, as screen readers would announce it again.
let shown = ''
function show(html) {
  if (html !== shown) document.getElementById('bell-news').innerHTML = html
  shown = html
}

document.addEventListener('click', ({ target }) => {
  const row = target.closest('[data-read-by]')
  if (row && !target.closest('button, form')) navigator.sendBeacon(row.dataset.readBy, new URLSearchParams({ value: '1' }))
})
