// What a button has begun shows in it at once, however long the answer takes.
document.addEventListener('submit', ({ target: form, submitter }) => {
  if (form.getAttribute('method') !== 'post' && !form.hasAttribute('hx-get')) return
  const button = submitter?.matches('.btn') ? submitter : form.querySelector('.btn-primary')
  button?.setAttribute('aria-busy', 'true')
})

// What was sent is not sent again before its answer, whose place a second one would take. Nor does Esc leave it unanswered: a page that is still
// to come says what became of it.
const timeout = 10_000
let sentAt = Number.NEGATIVE_INFINITY
let sent
const isUnderWay = () => performance.now() - sentAt < timeout

document.addEventListener(
  'submit',
  (event) => {
    if (event.target === sent && isUnderWay()) swallow(event)
    else if (isPost(event)) sentAt = event.timeStamp
  },
  { capture: true },
)
// Only now it is on its way: before, the connection was tried, and the form sent once more after that.
addEventListener('submit', (event) => {
  if (isPost(event) && !event.defaultPrevented) sent = event.target
})
// Forms without a key, such as switches, are meant to be sent as often as they are pressed.
document.addEventListener('htmx:before:request', ({ target, detail: { ctx } }) => {
  if (ctx.request.method !== 'GET' && target.elements?.once) sent = target
})

const isPost = ({ target: form, submitter }) => (submitter?.getAttribute('formmethod') ?? form.getAttribute('method')) === 'post'

document.addEventListener('unsent', answered)
document.addEventListener('htmx:finally:request', ({ detail }) => {
  const { request, hx } = detail?.ctx ?? {}
  if (request?.method !== 'GET' && !hx?.redirect) answered()
})
addEventListener('pageshow', answered)
// Who is asked whether to leave what was typed elsewhere may stay.
addEventListener('beforeunload', (event) => setTimeout(() => event.defaultPrevented && answered()))
addEventListener('keydown', (event) => event.key === 'Escape' && isUnderWay() && swallow(event), { capture: true })

function swallow(event) {
  event.preventDefault()
  event.stopImmediatePropagation()
}

function answered() {
  sentAt = Number.NEGATIVE_INFINITY
  sent = undefined
}

for (const type of ['unsent', 'htmx:finally:request']) document.addEventListener(type, ({ target }) => rest(target.closest?.('form')))

// Back shows the page as it was left.
addEventListener('pageshow', () => document.querySelectorAll('form').forEach(rest))

function rest(form) {
  for (const button of form?.querySelectorAll('.btn[aria-busy]') ?? []) button.removeAttribute('aria-busy')
}
