import fc from 'fast-check'
import t from 'tap'

interface Shown {
  text: string
  cursor: number
  added: boolean
}

const { isMasked, reshape, settle } = (await import(new URL('../../static/js/phone-number.js', import.meta.url).href)) as {
  reshape: (shown: Shown) => Shown
  isMasked: (text: string) => boolean
  settle: (shown: Pick<Shown, 'text' | 'added'>) => string
}

const paste = (text: string) => reshape({ text, cursor: text.length, added: false })

/** One key after the other at the end, as somebody types who looks at the keyboard. */
const type = (text: string, onto: Shown = { text: '', cursor: 0, added: false }) =>
  [...text].reduce((shown, key) => reshape({ text: shown.text + key, cursor: shown.text.length + 1, added: shown.added }), onto)

const left = (shown: Shown) => settle(shown)

const russian = [
  ['8 900 111-22-33', '+7(900) 111 22 33'],
  ['8(900)111-22-33', '+7(900) 111 22 33'],
  ['89001112233', '+7(900) 111 22 33'],
  ['7 900 111 22 33', '+7(900) 111 22 33'],
  ['+7 900 111-22-33', '+7(900) 111 22 33'],
  ['+79001112233', '+7(900) 111 22 33'],
  ['+7(900) 111 22 33', '+7(900) 111 22 33'],
  ['900 111 22 33', '+7(900) 111 22 33'],
  ['900.111.22.33', '+7(900) 111 22 33'],
  ['812 123-45-67', '+7(812) 123 45 67'],
  ['(812) 123‑45–67', '+7(812) 123 45 67'],
  ['8 812 123-45-67', '+7(812) 123 45 67'],
  ['8\u00a0800\u00a0555\u00a035\u00a035', '+7(800) 555 35 35'],
  ['777 123 45 67', '+7(777) 123 45 67'],
  ['+7 777 123 45 67', '+7(777) 123 45 67'],
] as const

t.test('a Russian number gets the same shape however it is written', async (t) => {
  for (const [typed, shown] of russian) {
    t.equal(left(paste(typed)), shown, `pasted: ${typed}`)
    t.equal(left(type(typed)), shown, `typed: ${typed}`)
  }
})

t.test('what is no Russian number stays as it was pasted', async (t) => {
  const foreign = ['+44 20 7946 0958', '+31 (0)20 123 4567', '+', '+1-202-555-0100', '00 44 20 7946 0958', '8 10 44 20 7946 0958']
  const others = ['8 900 111-22-33 доб. 12', 'ask for Anna', '8 900 111-22-33, 8 900 111-22-34', '+7 900 111 22 33 44', '90011122334', '']
  for (const text of [...foreign, ...others]) t.equal(left(paste(text)), text, text)
})

t.test('no digit is lost or invented of what is typed, number or not', async (t) => {
  t.equal(left(type('+44 20 7946 0958')), '+44 20 7946 0958')
  t.equal(left(type('0044207946095')), '0044207946095', 'no country code is left of what was added on the way')
  t.equal(left(type('123-45-67')), '1234567', 'a number without its city has no country code')
  t.equal(left(type('112')), '112')
  t.equal(left(type('+7 812 12')), '+7(812) 12', 'this one was typed with it')
  t.equal(left(type('12 доб. 3')), '12доб. 3')
  t.equal(left(type('900 111 22 33 доб. 5')), '+7(900) 111 22 33 доб. 5', 'a whole number keeps its country code')
  t.equal(left(type('89001112233ext. 5')), '+7(900) 111 22 33 ext. 5')
  t.equal(left(type('9001112233#12')), '+7(900) 111 22 33 #12')
  t.equal(left(type('90011122334')), '90011122334', 'a digit too many')
  t.equal(left(type('8', paste('+7(812) 123 45 67'))), '+7(812) 123 45 678', 'a digit too many does not push out the first')
  const digitsOf = (text: string) => text.replace(/\D/g, '')
  const pieces = fc.array(fc.constantFrom(...'0123456789 -()+д,.'), { maxLength: 24 }).map((keys) => keys.join(''))
  fc.assert(
    fc.property(pieces, (text) => {
      for (const shown of [left(paste(text)), left(type(text))]) {
        const [typed, kept] = [digitsOf(text), digitsOf(shown)]
        const isSame = kept === typed
        const isWhole = /^\+7\(\d{3}\) \d{3} \d\d \d\d/.test(shown)
        if (!isSame && !(isWhole && (kept === `7${typed}` || (/^[78]\d{10}/.test(typed) && kept.slice(1) === typed.slice(1))))) return false
      }
      return true
    }),
    { numRuns: 5000 },
  )
})

t.test('a number keeps its shape when nothing is added', async () => {
  const text = fc.string({ unit: fc.constantFrom(...'0123456789 -()+д') })
  fc.assert(fc.property(text, (text) => left(paste(left(paste(text)))) === left(paste(text))))
})

/** What an edit leaves, with a bar for the cursor. */
function after(text: string, added = false): string {
  const cursor = text.indexOf('|')
  const shown = reshape({ text: text.replace('|', ''), cursor, added })
  return `${shown.text.slice(0, shown.cursor)}|${shown.text.slice(shown.cursor)}`
}

t.test('the cursor stays behind the digit it was behind', async (t) => {
  t.equal(after('9|'), '+7(9|')
  t.equal(after('+7(9001|', true), '+7(900) 1|')
  t.equal(after('+7(900) |', true), '+7(900|', 'the last digit behind a space was deleted')
  t.equal(after('+7(|', true), '|', 'and then the last of all')
  t.equal(after('+7(90|1) 11'), '+7(90|1) 11')
  t.equal(after('+7(905|0) 111 22 3'), '+7(905|) 011 12 23', 'a digit in the middle')
  t.equal(after('+7(9|) 111 22 33'), '+7(9|11) 122 33', 'two deleted in the middle')
  t.equal(after('+7(|00) 111 22 33'), '+7(|001) 112 23 3')
  t.equal(after('+7(812) 1239| 45 67', true), '8121239|4567', 'one too many in the middle is not taken for a country code')
  t.equal(after('8912123|4567'), '+7(912) 123| 45 67', 'the eight before it has gone')
  t.equal(after('|89121234567'), '+7(|912) 123 45 67')
  t.equal(after('+7(90д|', true), '90д|', 'a letter takes the shape away')
  t.equal(after('+7(90д|1) 11', true), '90д|111')
  t.equal(after('д|', true), 'д|', 'a letter typed over the whole of it')
})

t.test('a country code that was typed, as an eight, stays when a digit is deleted', async (t) => {
  const { text, added } = type('89001112233')
  t.equal(left(reshape({ text: text.slice(0, -1), cursor: text.length - 1, added })), '+7(900) 111 22 3')
})

t.test('an eight or a seven that begins a number is no area code before it is known to be one', async (t) => {
  t.equal(type('8999123').text, '8999123')
  t.equal(type('8 999 123-45-6').text, '8 999 123-45-6')
  t.equal(type('89991234567').text, '+7(999) 123 45 67')
  t.equal(type('7999').text, '7999')
  t.equal(type('8121234567').text, '8121234567', 'one more may follow')
  t.equal(left(type('8121234567')), '+7(812) 123 45 67', 'none has')
  t.equal(left(type('812-12-34')), '812-12-34')
})

t.test('a stored number is only reshaped if it has that shape already', async (t) => {
  t.ok(isMasked('+7(900) 111 22 33'))
  for (const stored of ['+7 900 111 22 33', '+7(900) 111 22 33, ext. 4', '+7(900', '89001112233', '']) t.notOk(isMasked(stored), stored)
})
