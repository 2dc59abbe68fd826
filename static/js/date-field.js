import { enhance } from './enhance.js'
import { markWrong } from './mark-wrong.js'
import { readDate, showDate } from './typed-date.js'

/** The date fields in sight, each with whether it has a time. */
const fields = new WeakMap()

// Browsers show a date in a format of their own, which is seldom that of the page.
enhance('[data-date-field]', (field) => {
  const [input, button] = field.querySelectorAll('input, button')
  const hasTime = field.dataset.dateField === 'moment'
  const date = readDate(input.value, hasTime)
  fields.set(input, hasTime)
  input.type = 'text'
  input.inputMode = hasTime ? 'text' : 'numeric'
  input.placeholder = button.dataset.placeholder
  if (date) input.value = showDate(date)
  input.addEventListener('change', () => settle(input, button.dataset.invalid))
  button.addEventListener('click', () => openCalendar(input, button), { once: true })
  // The server sends the field as it was before this.
  field.setAttribute('hx-morph-skip', '')
})

function settle(input, message) {
  const date = dateOf(input)
  if (date) input.value = showDate(date)
  const isValid = date !== undefined || input.value.trim() === ''
  input.setCustomValidity(isValid ? '' : message)
  input.setAttribute('aria-invalid', String(!isValid))
  if (!isValid) markWrong(input, message)
}

function dateOf(input) {
  return readDate(input.value, fields.get(input))
}

// The server hears what it always heard; what is no date it refuses, beside the field.
document.addEventListener('formdata', ({ target, formData }) => {
  for (const input of target.elements)
    if (fields.has(input) && formData.has(input.name)) formData.set(input.name, dateOf(input) ?? input.value.trim())
})

async function openCalendar(input, button) {
  const { attachCalendar } = await import(button.dataset.calendar)
  attachCalendar(button, {
    chosen: () => dateOf(input)?.slice(0, 10) ?? '',
    choose: (day) => {
      const hours = dateOf(input)?.slice(10) ?? ''
      input.value = day + hours
      for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }))
    },
  })
}
