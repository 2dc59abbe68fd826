// Runs before the first paint, so that styles know this browser.
const root = document.documentElement
root.classList.add('js')
if (!root.dataset.bsTheme && matchMedia('(prefers-color-scheme: dark)').matches) root.dataset.bsTheme = 'dark'

// Where the button of a step was, that of the next one is: a second click on the first must not be taken for it.
const pause = 800
const undoOfStep = () => document.querySelector(':is(.flash, .order-undo) [name=step]')
let step
let shownAt
const look = () => {
  const made = undoOfStep()?.value
  if (made && made !== step) shownAt = performance.now()
  step = made
}
document.addEventListener('DOMContentLoaded', look)
document.addEventListener('htmx:after:swap', look)
document.addEventListener(
  'click',
  (event) => {
    if (!event.target.closest('[name=transition_id]')) return
    const undo = undoOfStep()?.form
    const order = event.target.closest('[data-order]')?.dataset.order
    if (order && !undo?.action.includes(`/orders/${order}/`)) return
    const loading = document.readyState === 'loading' && undo
    if (!loading && !(performance.now() - shownAt < pause)) return
    event.preventDefault()
    event.stopImmediatePropagation()
  },
  true,
)

// Keys that are pressed before the page knows them wait for it (`heldKeys`), those while it is being left for the next one. What is typed goes
// where the cursor is.
const timeout = 4000
let left
let carried
const isBeingLeft = () => left && !left.defaultPrevented && performance.now() - left.timeStamp < timeout
addEventListener('beforeunload', (event) => {
  left = event
  carried = window.heldKeys ?? []
  delete window.heldKeys
})
addEventListener('pagehide', () => {
  if (isBeingLeft() && carried.length > 0) sessionStorage.setItem('keys', JSON.stringify({ at: Date.now(), keys: carried }))
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) takeKeys()
})
takeKeys()

function takeKeys() {
  const { at, keys } = JSON.parse(sessionStorage.getItem('keys') ?? '{}')
  sessionStorage.removeItem('keys')
  left = undefined
  window.heldKeys = Date.now() - at < timeout ? keys : []
}

document.addEventListener(
  'keydown',
  (event) => {
    const { key, code, shiftKey, ctrlKey, metaKey, altKey, repeat } = event
    if (key === 'Escape') left = undefined
    const waiting = isBeingLeft() ? carried : window.heldKeys
    if (!waiting || !canWait(event, waiting.length > 0 || waiting.goOn)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (!repeat) waiting.push({ key, code, shiftKey, ctrlKey, metaKey, altKey })
  },
  true,
)

/** The others mean something without any script, unless they go on from one that waits or that something was asked for with. */
function canWait({ key, code, ctrlKey, metaKey, altKey, target }, goesOn) {
  const types = target.closest?.('input, textarea, select, [contenteditable]')
  if (ctrlKey || metaKey) return code === 'KeyK' || (code === 'KeyZ' && !types)
  if (altKey || types) return false
  return goesOn ? key.length === 1 || /^(Enter|Arrow)/.test(key) : key.length === 1 && key !== ' ' && root.dataset.keys !== 'off'
}

// People see a page first: going through it costs a slow browser as much as styling it. In the background nothing is drawn.
const { then: later } = document.currentScript.dataset
if (later)
  document.addEventListener('DOMContentLoaded', () => {
    if (document.visibilityState === 'hidden') start()
    else requestAnimationFrame(() => setTimeout(start))
  })

function start() {
  const script = document.createElement('script')
  script.type = 'module'
  script.src = later
  document.head.append(script)
}
