// What a button has begun shows in it at once, however long the answer takes.
document.addEventListener('submit', ({ target: form, submitter }) => {
  if (form.getAttribute('method') !== 'post' && !form.hasAttribute('hx-get')) return
  const button = submitter?.matches('.btn') ? submitter : form.querySelector('.btn-primary')
  button?.setAttribute('aria-busy', 'true')
})

for (const type of ['unsent', 'htmx:finally:request']) document.addEventListener(type, ({ target }) => rest(target.closest?.('form')))

// Back shows the page as it was left.
addEventListener('pageshow', () => document.querySelectorAll('form').forEach(rest))

function rest(form) {
  for (const button of form?.querySelectorAll('.btn[aria-busy]') ?? []) button.removeAttribute('aria-busy')
}
