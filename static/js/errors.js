// What the server found wrong is marked until it is changed; whether it is right then, only the server can tell.
document.addEventListener('input', mend)
document.addEventListener('change', mend)

function mend({ target }) {
  const field = target.closest('.has-error')
  if (field) unmark(field)
  target.closest('.repeater')?.querySelector(':scope > .field-error')?.remove()
  requestAnimationFrame(shortenSummary)
}

function unmark(field) {
  field.classList.remove('has-error')
  field.querySelector('.field-error')?.remove()
  for (const input of field.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid')
}

/** It names what is marked still: what was changed, or went with its line, is no longer in it. */
function shortenSummary() {
  for (const link of document.querySelectorAll('.error-summary a'))
    if (!isMarked(document.getElementById(link.hash.slice(1)))) link.parentElement.remove()
  for (const summary of document.querySelectorAll('.error-summary')) if (!summary.querySelector('a')) summary.remove()
}

const isMarked = (element) => element?.closest('.has-error') || element?.querySelector(':scope > .field-error')
