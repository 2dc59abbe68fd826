// Fields that say more while they are being filled in. Without it they work all the same.

// What is chosen of several, in words.
document.addEventListener('change', (event) => {
  const field = event.target.closest('.several')
  if (!field) return
  const said = field.querySelector('[data-several]')
  const chosen = [...field.querySelectorAll('input:checked')].map((box) => box.parentElement.textContent.trim())
  said.textContent = chosen.join(', ') || said.dataset.several
})

// A colour: what is picked is typed, what is typed is shown.
document.addEventListener('input', (event) => {
  const field = event.target.closest('[data-color-field]')
  if (!field) return
  const [typed, picked] = field.querySelectorAll('input')
  if (event.target === picked) typed.value = picked.value
  else show(typed.value, picked)
})

// The picker knows no short form, #4ae for #44aaee, and no empty one.
function show(color, picker) {
  const full = color.trim().replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3')
  if (/^#[\da-f]{6}$/i.test(full)) picker.value = full
}

document.addEventListener('DOMContentLoaded', showColors)
document.addEventListener('htmx:after:swap', showColors)

function showColors() {
  for (const field of document.querySelectorAll('[data-color-field]')) {
    const [typed, picked] = field.querySelectorAll('input')
    if (picked) show(typed.value, picked)
  }
}
