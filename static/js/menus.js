document.addEventListener('click', ({ target }) => closeAll(target))

document.addEventListener('keydown', ({ key, target }) => {
  if (key !== 'Escape') return
  target.closest('details.dropdown[open]')?.querySelector('summary').focus()
  closeAll()
})

function closeAll(except) {
  for (const menu of document.querySelectorAll('details.dropdown[open]')) if (!menu.contains(except)) menu.open = false
}
