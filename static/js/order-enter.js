// Enter in an order goes on to what comes next: only the button, or Ctrl with Enter, sends so much at once.
document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, defaultPrevented, isComposing } = event
  if (key !== 'Enter' || ctrlKey || metaKey || defaultPrevented || isComposing) return
  if (!target.matches('input:not([type=file])') || !target.closest('form:has(#order-total)')) return
  event.preventDefault()
  const controls = [
    ...target.form.querySelectorAll('input:not([type=hidden]), select, textarea, button:not([data-row-remove], [data-row-up])'),
  ]
  const next = controls.slice(controls.indexOf(target) + 1).find((control) => control.checkVisibility() && !control.disabled)
  next?.focus()
})
