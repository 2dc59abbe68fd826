// Keeps an order while it is written: shortly after the last change, and with its files when these have changed.
const pause = 1500

let timer
let saving
let sendsFiles = false
let ended = false
let isUnreached = false

const state = () => document.getElementById('draft')
const form = () => state()?.closest('form')

for (const type of ['input', 'change'])
  document.addEventListener(type, ({ target }) => {
    // What is typed to find a choice is not part of the order.
    if (!form()?.contains(target) || target.closest('.ts-wrapper') || ended) return
    if (target.type === 'file') takeFile(target)
    else if (target.name?.endsWith('[stored]')) dropFile(target)
    clearTimeout(timer)
    timer = setTimeout(keep, pause)
  })

addEventListener('online', () => {
  if (isUnreached) keep()
})

function takeFile(input) {
  sendsFiles = true
  for (const stored of state().querySelectorAll('input')) if (stored.name === `${input.name}[stored]`) stored.remove()
}

/** What is unticked is no longer kept. */
function dropFile({ name, value, checked }) {
  for (const stored of state().querySelectorAll('input')) if (!checked && stored.name === name && stored.value === value) stored.remove()
}

/** Files of lines that are gone go with them. */
function dropFilesOfLines() {
  for (const stored of state().querySelectorAll('input')) {
    const [, index] = /^items\[(\d+)\]/.exec(stored.name) ?? []
    if (index && !form().querySelector(`.repeater-row[data-index="${index}"]`)) stored.remove()
  }
}

async function keep() {
  await saving
  clearTimeout(timer)
  const written = form()
  if (!written) return
  dropFilesOfLines()
  saving = send(written).finally(() => {
    saving = undefined
  })
}

async function send(written) {
  timer = undefined
  const sent = sendsFiles
  sendsFiles = false
  const answer = await fetch(state().dataset.address, { method: 'POST', body: bodyOf(written, sent), headers }).catch(() => undefined)
  isUnreached = answer === undefined
  // One that somebody ended may be followed by another, of another tab.
  ended = answer?.status === 401 && answer.headers.get('X-Session') === 'expired'
  const text = answer && [200, 404, 413, 422, 429, 503, 507].includes(answer.status) ? await answer.text() : ''
  if (!state()) return
  if (text.includes('id="draft"')) state().outerHTML = text
  else state().lastElementChild.textContent = state().dataset.failed
  if (!answer?.ok) sendsFiles ||= sent
  else if (timer === undefined) showKept(written)
}

const headers = { 'HX-Request': 'true', 'HX-Request-Type': 'partial' }

function bodyOf(written, sent) {
  const body = new FormData(written)
  if (sent) return body
  for (const { name } of written.querySelectorAll('[type=file]')) body.delete(name)
  return new URLSearchParams(body)
}

/** Leaving the page loses nothing any more, and loading it again goes on with the draft. */
function showKept(written) {
  written.dispatchEvent(new CustomEvent('kept', { bubbles: true }))
  const { value } = state().querySelector('[name=draft]') ?? {}
  if (value && !location.search.includes('draft=')) history.replaceState(history.state, '', state().dataset.continue + value)
}

// What is still on its way must not come after the order and stay behind as a draft.
document.addEventListener(
  'submit',
  (event) => {
    if (event.target !== form()) return
    clearTimeout(timer)
    dropFilesOfLines()
    if (!saving) return
    event.preventDefault()
    event.stopImmediatePropagation()
    saving.then(() => event.target.requestSubmit(event.submitter))
  },
  { capture: true },
)
