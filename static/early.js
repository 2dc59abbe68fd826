// Runs before the first paint, so that styles know this browser.
const root = document.documentElement
root.classList.add('js')
if (!root.dataset.bsTheme && matchMedia('(prefers-color-scheme: dark)').matches) root.dataset.bsTheme = 'dark'

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
