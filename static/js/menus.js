document.addEventListener('click', ({ target }) => {
  const left = target.closest('[data-close-menu]')?.closest('details')
  closeAll(left ? undefined : target)
  left?.querySelector('summary').focus()
})

document.addEventListener('keydown', ({ key, target }) => {
  if (key !== 'Escape') return
  target.closest('details.dropdown[open]')?.querySelector('summary').focus()
  closeAll()
})

function closeAll(except) {
  for (const menu of document.querySelectorAll('details.dropdown[open]')) if (!menu.contains(except)) menu.open = false
}
