// Runs before the first paint, so that styles know this browser.
const root = document.documentElement
root.classList.add('js')
if (!root.dataset.bsTheme && matchMedia('(prefers-color-scheme: dark)').matches) root.dataset.bsTheme = 'dark'
