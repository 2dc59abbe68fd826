document.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-shows]')
  const input = button && document.getElementById(button.dataset.shows)
  if (!input) return
  const isShown = input.type === 'password'
  input.type = isShown ? 'text' : 'password'
  button.setAttribute('aria-pressed', String(isShown))
})
