// Runs before anything is drawn: what stylesheets need to know about this browser.
const root = document.documentElement
root.classList.add('js')
if (!root.dataset.bsTheme && matchMedia('(prefers-color-scheme: dark)').matches) root.dataset.bsTheme = 'dark'
