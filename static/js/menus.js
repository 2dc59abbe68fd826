document.addEventListener('click', ({ target }) => {
  closeAll(target)
  // What was chosen in a sheet is looked at below it; what only opens more choices stays in it.
  const chosen = target.closest('.list-tools:popover-open :is(a:not([href*="choose="]), button[form])')
  chosen?.closest('.list-tools').hidePopover()
})

document.addEventListener('keydown', ({ key, target }) => {
  if (key !== 'Escape') return
  target.closest('details.dropdown[open]')?.querySelector('summary').focus()
  closeAll()
})

function closeAll(except) {
  for (const menu of document.querySelectorAll('details.dropdown[open]')) if (!menu.contains(except)) menu.open = false
}
