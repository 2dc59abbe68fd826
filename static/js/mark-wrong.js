/** What scripts find wrong is said in the same place, once what was pressed meanwhile has been pressed: it would move. */
export function markWrong(input, text) {
  const { value } = input
  setTimeout(() => {
    const field = input.closest('.field:not(.has-error)')
    if (!field || input.value !== value) return
    const problem = Object.assign(document.createElement('p'), { className: 'field-error', id: `${input.id}-error`, textContent: text })
    problem.role = 'alert'
    partOf(field, input).after(problem)
    field.classList.add('has-error')
    input.setAttribute('aria-invalid', 'true')
    input.setAttribute('aria-describedby', [input.getAttribute('aria-describedby'), problem.id].filter(Boolean).join(' '))
  }, 200)
}

const partOf = (field, element) => (element.parentElement === field ? element : partOf(field, element.parentElement))
