// Pure: what the field of a phone number shows after each change. What is no Russian number stays as typed.

const countryCode = '+7'
const complete = 10

/**
 * @param text what the field holds
 * @param cursor where in it the cursor is
 * @param added whether the country code at its start is one that this function added to digits that are still being typed
 * @returns the same for what the field shall hold
 */
export function reshape({ text, cursor, added }) {
  const isAdded = added && text.startsWith(countryCode)
  const start = text.startsWith(countryCode) ? countryCode.length : 0
  const written = text.slice(start)
  const digits = digitsIn(written)
  const before = digitsIn(text.slice(start, cursor)).length
  const asTyped = { text, cursor, added: false }
  const plain = { text: digits, cursor: before, added: false }
  if (!hasDigitsOnly(written)) return isAdded && digits.length < complete ? unmasked(asTyped) : apart(asTyped)
  if (digits === '') return isAdded ? plain : asTyped
  // An eight or a seven may be the country code: until there are as many digits as decide it, they stay as typed.
  if (start === 0 && digits.length <= complete && /^[78]/.test(digits)) return asTyped
  if (digits.length <= complete) return masked(digits, before, isAdded || start === 0)
  const isWhole = start === 0 || (isAdded && cursor === text.length)
  if (isWhole && /^[78]\d{10}$/.test(digits)) return masked(digits.slice(1), before - 1, false)
  return isAdded ? plain : asTyped
}

/** What remains when somebody leaves the field: a country code is added to whole numbers only. */
export function settle({ text, added }) {
  const digits = digitsIn(text)
  if (hasDigitsOnly(text) && digits.length === complete) return masked(digits, complete, false).text
  return added && digits.length <= complete ? digits.slice(1) : text
}

const hasDigitsOnly = (text) => /^[\d\s().\p{Pd}]*$/u.test(text)

/** An extension that begins behind a whole number stands apart from it. */
function apart(shown) {
  const [, number, letter] = /^(\+7\(\d{3}\) \d{3} \d\d \d\d)([\p{L}#])$/u.exec(shown.text) ?? []
  return number ? { ...shown, text: `${number} ${letter}`, cursor: shown.cursor + 1 } : shown
}

const digitsIn = (text) => text.replace(/\D/g, '')

function unmasked({ text, cursor, added }) {
  const [before, after] = [text.slice(countryCode.length, cursor), text.slice(cursor)].map((part) => part.replace(/[\s()]/g, ''))
  return { text: before + after, cursor: before.length, added }
}

export function isMasked(text) {
  return /^\+7\(\d{3}\) \d{3} \d{2} \d{2}$/.test(text)
}

/** Brackets and spaces come with the digit behind them, so that deleting the last character deletes a digit. */
function masked(digits, before, added) {
  const parts = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6, 8), digits.slice(8)]
  const text = ['(', ') ', ' ', ' '].map((separator, at) => (parts[at] ? separator + parts[at] : '')).join('')
  const behind = [...text].findIndex((_, at) => digitsIn(text.slice(0, at)).length === before)
  const atEnd = before >= digits.length
  const cursor = atEnd ? text.length : before <= 0 ? 1 : behind
  return { text: countryCode + text, cursor: countryCode.length + cursor, added }
}
