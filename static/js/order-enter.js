// Enter in an order goes on to what comes next: only the button, or Ctrl with Enter, sends so much at once.
document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, repeat, defaultPrevented, isComposing } = event
  if (key !== 'Enter' || ctrlKey || metaKey || isComposing || !target.closest('form:has(#order-total)')) return
  const choice = target.closest('.ts-wrapper')?.previousElementSibling
  if (!choice && (defaultPrevented || !target.matches('input:not([type=file])'))) return
  event.preventDefault()
  if (repeat || choice?.tomselect.isOpen) return
  // What was chosen this moment may bring fields with its price.
  if (choice && defaultPrevented && document.querySelector('#order-total[aria-busy]'))
    document.addEventListener('priced', () => document.activeElement === choice.tomselect.focus_node && goOn(choice), { once: true })
  else goOn(choice ?? target)
})

function goOn(from) {
  const controls = [
    ...from.form.querySelectorAll(
      'input:not([type=hidden]), select, textarea, button:not([data-row-remove], [data-row-up], [data-otherwise])',
    ),
  ]
  const next = controls.slice(controls.indexOf(from) + 1).filter(canTakeFocus)
  const row = from.matches('select') && from.closest('.repeater-row')
  const empty = row && next.find((control) => row.contains(control) && !control.value)
  goTo(empty || next[0])
}

const canTakeFocus = (control) => control.checkVisibility() && !control.disabled

function goTo(control) {
  if (control?.matches('[data-row-add]')) control.click()
  else if (control?.tomselect) control.tomselect.focus()
  else {
    control?.focus()
    control?.select?.()
  }
}
