import { enhance } from './enhance.js'

document.addEventListener('change', (event) => {
  const field = event.target.closest('.multi-select')
  if (!field) return
  const summary = field.querySelector('[data-none]')
  const chosen = [...field.querySelectorAll('input:checked')].map((box) => box.parentElement.textContent.trim())
  summary.textContent = chosen.join(', ') || summary.dataset.none
})

// What a choice leads to is asked for by itself.
document.addEventListener('change', ({ target }) => {
  if (target.id && target.value) document.querySelector(`[data-pressed-by="${CSS.escape(target.id)}"]`)?.click()
})

document.addEventListener('input', (event) => {
  const field = event.target.closest('[data-color-field]')
  if (!field) return
  const [typed, picked] = field.querySelectorAll('input')
  if (event.target === picked) typed.value = picked.value
  else show(typed.value, picked)
})

enhance('[data-color-field]', (field) => {
  const [typed, picked] = field.querySelectorAll('input')
  if (picked) show(typed.value, picked)
})

// What is asked for only when another field is changed.
enhance('[data-follows]', (field) => {
  const other = field.closest('form').elements[field.dataset.follows]
  const look = () => field.classList.toggle('is-due', field.matches('.has-error') || other.value !== (field.dataset.followed ?? ''))
  other.addEventListener('change', look)
  look()
})

// What only some choices need is asked for with them, and stays where it is filled in or required.
enhance('[data-asked-with]', (field) => {
  const { askedWith, askedFor } = field.dataset
  const other = field.closest('form').elements[askedWith]
  const input = field.querySelector('input, textarea')
  const isAsked = () => !other || askedFor.split(' ').includes(other.value)
  // A list that has to be chosen from is never empty, which says nothing.
  const isFilled = () => input && (input.required || input.value !== '')
  const look = () => field.classList.toggle('is-due', field.matches('.has-error') || isFilled() || isAsked())
  other?.addEventListener('change', look)
  look()
})

// Amounts are read in groups of three digits; they may be typed in any way.
enhance('[data-amount]', group)
document.addEventListener('focusout', ({ target }) => target.matches('[data-amount]') && group(target))

function group(input) {
  const [, whole, part = ''] = /^(\d{4,})([.,]\d{0,2})?$/.exec(input.value.replace(/\s/g, '')) ?? []
  if (whole) input.value = whole.replace(/\B(?=(\d{3})+$)/g, '\u00a0') + part
}

function show(color, picker) {
  const full = color.trim().replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3')
  if (/^#[\da-f]{6}$/i.test(full)) picker.value = full
}
