import fc from 'fast-check'
import t from 'tap'
import { isWholePhone } from '../../src/core/phone.ts'

t.test('whole numbers, and numbers of other forms, as people write them', async (t) => {
  const numbers = [
    '+7(912) 345 67 89',
    '8 (495) 123-45-67',
    '8-800-555-35-35 доб. 123',
    'тел. 123–45–67',
    '+375 29 123-45-67',
    '+(7) 912 345 67 89',
    '11111',
    'ask for Ivan, 2-34-56',
    '1234567890123456',
  ]
  for (const number of numbers) t.ok(isWholePhone(number), number)
  t.ok(isWholePhone('+7 912 345 67 89 (Иван, с 9 до 18)'), 'who answers')
})

t.test('numbers that begin with +7 and are not whole', async (t) => {
  for (const number of ['+7', '+7(912) 345', '+7 912 345 67 890', '+ (7) 912', 'тел. +7 912 345']) t.notOk(isWholePhone(number), number)
})

t.test('a text without a number is none', async (t) => {
  for (const text of ['abc', '1', 'доб. 1234', '12-34']) t.notOk(isWholePhone(text), text)
})

t.test('with +7 a number has eleven digits, in whatever form', async (t) => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 0, maxLength: 14 })
  const separators = fc.array(fc.constantFrom('', ' ', '-', '(', ') ', '.'), { minLength: 14, maxLength: 14 })
  fc.assert(
    fc.property(digits, separators, (number, between) => {
      const written = `+7${[...number].map((digit, at) => between[at] + digit).join('')}`
      t.equal(isWholePhone(written), number.length === 10, written)
    }),
  )
})
