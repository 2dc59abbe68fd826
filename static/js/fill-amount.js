import { kopecksOf } from './order-cost.js'

// An amount that a hint names is filled in at a press; one above it is warned of.
document.addEventListener('click', ({ target }) => {
  const { into, fill } = target.closest('[data-fill]')?.dataset ?? {}
  const input = into && document.getElementById(into)
  if (!input) return
  input.value = fill
  input.dispatchEvent(new Event('input', { bubbles: true }))
  input.focus()
})

document.addEventListener('input', ({ target }) => {
  const warning = target.closest('.field')?.querySelector('[data-above]')
  if (warning) warning.hidden = !(kopecksOf(target.value) > Number(warning.dataset.above))
})
