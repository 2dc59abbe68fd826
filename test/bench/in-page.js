// Runs in the measured page.
const measured = { paint: 0, shift: 0 }

new PerformanceObserver((list) => {
  measured.paint = list.getEntries().at(-1)?.startTime ?? 0
}).observe({ type: 'largest-contentful-paint', buffered: true })
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) measured.shift += entry.value
}).observe({ type: 'layout-shift', buffered: true })

const afterPaint = (work) => requestAnimationFrame(() => setTimeout(work))

// From the click to the frame after the one in which the switch stands the other way.
function measureToggle() {
  const state = () => document.querySelector('tbody [role=switch]').getAttribute('aria-checked')
  return timeUntilChanged(state, () => document.querySelector('tbody [role=switch]').click())
}

// From the last letter to the frame in which other rows stand there.
function measureSearch(text) {
  const field = document.querySelector('input[name=q]')
  const rows = () => document.querySelector('[data-total]').dataset.total
  return timeUntilChanged(rows, () => {
    field.value = text
    field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText' }))
  })
}

function timeUntilChanged(state, work) {
  const before = state()
  return new Promise((resolve) => {
    const began = performance.now()
    const look = () => {
      if (performance.now() - began > 5000) resolve(Number.NaN)
      else if (state() === before) requestAnimationFrame(look)
      else afterPaint(() => resolve(performance.now() - began))
    }
    work()
    requestAnimationFrame(look)
  })
}

Object.assign(globalThis, { measured, measureToggle, measureSearch })
