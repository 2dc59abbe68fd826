import { enhance } from './enhance.js'

document.addEventListener('change', (event) => {
  const field = event.target.closest('.multi-select')
  if (!field) return
  const summary = field.querySelector('[data-none]')
  const chosen = [...field.querySelectorAll('input:checked')].map((box) => box.parentElement.textContent.trim())
  summary.textContent = chosen.join(', ') || summary.dataset.none
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

function show(color, picker) {
  const full = color.trim().replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3')
  if (/^#[\da-f]{6}$/i.test(full)) picker.value = full
}
