// The bell tells of news by itself: the server streams them, and where no stream arrives the page asks now and then.
const bell = document.getElementById('bell')
const silence = 45_000
let heardAt = Date.now()
let over = false

bell.addEventListener('unread', (event) => show(event.detail.data))
bell.addEventListener('htmx:sse:after:message', () => {
  heardAt = Date.now()
})
// The session has ended: whatever is being typed here stays, and the next click leads to the sign-in page.
bell.addEventListener('end', () => {
  over = true
})
bell.addEventListener('htmx:before:response', (event) => {
  if (event.detail.ctx.response.status !== 401) return
  event.preventDefault()
  over = true
})
setInterval(() => {
  if (!document.hidden) ask()
}, silence)
document.addEventListener('htmx:after:swap', ask)

async function ask() {
  if (over || Date.now() - heardAt < silence) return
  const answer = await fetch(bell.dataset.unread, { redirect: 'manual' }).catch(() => undefined)
  if (answer?.ok) show(await answer.text())
}

// What stays the same is left alone: screen readers speak of whatever is put here.
let shown = ''
function show(html) {
  if (html !== shown) document.getElementById('bell-news').innerHTML = html
  shown = html
}

// Whoever follows a notification to its order has read it.
document.addEventListener('click', ({ target }) => {
  const row = target.closest('[data-read-by]')
  if (row && !target.closest('button, form')) navigator.sendBeacon(row.dataset.readBy, new URLSearchParams({ value: '1' }))
})
