// Fields that say more while they are being filled in. Without it they work all the same.
import { enhance } from './enhance.js'
import './searchable-select.js'

// A number that does not fit the mask stays as somebody wrote it.
enhance('input[data-mask]', (input) => {
  const fits = /^(\+7\(\d{3}\) \d{3} \d{2} \d{2})?$/.test(input.value)
  if (window.IMask && fits) IMask(input, { mask: input.dataset.mask })
})

// What is chosen of several, in words.
document.addEventListener('change', (event) => {
  const field = event.target.closest('.multi-select')
  if (!field) return
  const summary = field.querySelector('[data-none]')
  const chosen = [...field.querySelectorAll('input:checked')].map((box) => box.parentElement.textContent.trim())
  summary.textContent = chosen.join(', ') || summary.dataset.none
})

// A color: what is picked is typed, what is typed is shown.
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

// The picker knows no short form, #4ae for #44aaee, and no empty one.
function show(color, picker) {
  const full = color.trim().replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3')
  if (/^#[\da-f]{6}$/i.test(full)) picker.value = full
}
