// What a button has begun shows in it at once, however long the answer takes.
document.addEventListener('submit', ({ target: form, submitter }) => {
  if (form.getAttribute('method') !== 'post' && !form.hasAttribute('hx-get')) return
  const button = submitter?.matches('.btn') ? submitter : form.querySelector('.btn-primary')
  button?.setAttribute('aria-busy', 'true')
})

// Esc would leave what was sent unanswered: a page that is still to come says what became of it.
let sentAt = Number.NEGATIVE_INFINITY
const isUnderWay = () => performance.now() - sentAt < 10_000
document.addEventListener('submit', ({ target: form, submitter, timeStamp }) => {
  if ((submitter?.getAttribute('formmethod') ?? form.getAttribute('method')) === 'post') sentAt = timeStamp
})
document.addEventListener('unsent', answered)
document.addEventListener('htmx:finally:request', ({ detail }) => {
  if (!detail?.ctx?.hx?.redirect) answered()
})
addEventListener('pageshow', answered)
addEventListener(
  'keydown',
  (event) => {
    if (event.key !== 'Escape' || !isUnderWay()) return
    event.preventDefault()
    event.stopImmediatePropagation()
  },
  { capture: true },
)

function answered() {
  sentAt = Number.NEGATIVE_INFINITY
}

for (const type of ['unsent', 'htmx:finally:request']) document.addEventListener(type, ({ target }) => rest(target.closest?.('form')))

// Back shows the page as it was left.
addEventListener('pageshow', () => document.querySelectorAll('form').forEach(rest))

function rest(form) {
  for (const button of form?.querySelectorAll('.btn[aria-busy]') ?? []) button.removeAttribute('aria-busy')
}
