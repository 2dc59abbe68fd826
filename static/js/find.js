document.addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.code === 'KeyK') {
    event.preventDefault()
    document.getElementById('find')?.click()
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const found = document.getElementById('found')
  if (!step || !found || !event.target.closest('#find-q, #found')) return
  event.preventDefault()
  const stops = [document.getElementById('find-q'), ...found.querySelectorAll('a')]
  stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus()
})
