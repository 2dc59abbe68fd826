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

// Keys that are pressed before the page knows them wait for it. What is typed goes where the cursor is.
window.earlyKeys = []
document.addEventListener('keydown', (event) => {
  const finds = (event.ctrlKey || event.metaKey) && event.code === 'KeyK'
  const types = event.target.closest?.('input, textarea, select, [contenteditable]')
  if (!window.earlyKeys || !(finds || (event.key.length === 1 && !types))) return
  if (finds || event.key === '/') event.preventDefault()
  window.earlyKeys.push(event)
})

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
