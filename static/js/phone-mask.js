import { enhance } from './enhance.js'
import { isMasked, reshape, settle } from './phone-number.js'

enhance('input[data-mask]', (input) => {
  let added = false
  // A stored value that is written otherwise belongs to whoever wrote it, until all of it is replaced.
  let isFree = input.value !== '' && !isMasked(input.value)

  input.addEventListener('beforeinput', (event) => {
    if (input.selectionStart === 0 && input.selectionEnd === input.value.length) isFree = false
    if (!isFree && isMaskedStart(input.value)) stepOverSeparators(input, event.inputType)
  })
  input.addEventListener('input', ({ isComposing }) => {
    if (!isFree && !isComposing) added = show(input, reshape({ text: input.value, cursor: input.selectionStart, added }))
  })
  input.addEventListener('change', () => {
    if (isFree) return
    added = show(input, reshape({ text: input.value, cursor: input.value.length, added }))
    input.value = settle({ text: input.value, added })
  })
})

function show(input, { text, cursor, added }) {
  if (input.value !== text) {
    input.value = text
    input.setSelectionRange(cursor, cursor)
  }
  return added
}

const isMaskedStart = (text) => text.startsWith('+7(')

/** A separator that is deleted comes back: the digit behind it is meant. */
function stepOverSeparators(input, inputType) {
  const { value, selectionStart, selectionEnd } = input
  if (selectionStart !== selectionEnd) return
  let cursor = selectionStart
  if (inputType === 'deleteContentForward') while (/[() ]/.test(value[cursor] ?? '')) cursor++
  if (inputType === 'deleteContentBackward') while (cursor > 3 && /[() ]/.test(value[cursor - 1])) cursor--
  if (cursor !== selectionStart) input.setSelectionRange(cursor, cursor)
}
