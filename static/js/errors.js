// What the server found wrong is marked until it is changed; whether it is right then, only the server can tell.
document.addEventListener('input', mend)
document.addEventListener('change', mend)

function mend({ target }) {
  const field = target.closest('.has-error')
  if (!field) return
  field.classList.remove('has-error')
  field.querySelector('.field-error')?.remove()
  for (const input of field.querySelectorAll('[aria-invalid]')) {
    input.removeAttribute('aria-invalid')
    strike(input)
  }
}

function strike({ id }) {
  for (const link of document.querySelectorAll('.error-summary a'))
    if (link.hash === `#${id}`) link.parentElement.classList.add('is-mended')
  for (const summary of document.querySelectorAll('.error-summary')) if (!summary.querySelector('li:not(.is-mended)')) summary.remove()
}
