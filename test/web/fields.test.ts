import t from 'tap'
import type { Currency } from '../../src/i18n/money.ts'
import { translator } from '../../src/i18n/translate.ts'
import {
  decimal,
  type Field,
  type FieldError,
  kindOf,
  money,
  number,
  paragraph,
  phone,
  several,
  text,
  toggle,
} from '../../src/records/fields/index.ts'

const refused = { message: 'Remove unsupported characters.' }

/** Letters of no shape that part lines or steer terminals. */
const controls = '\u0000 \u0008 \u000b \u000c \u001b \u007f \u0080 \u0085 \u009b \u009f \u2028 \u2029'
/** And that turn the direction of others. */
const turns = '\u061c \u200e \u200f \u202a \u202b \u202c \u202d \u202e \u2066 \u2067 \u2068 \u2069'

t.test('invisible and direction-changing characters in a text field are refused or removed', async (t) => {
  const fields = [text('Name'), phone('Phone'), paragraph('Comment', { max: 2000 })]
  for (const field of fields) {
    const { label } = field
    for (const control of controls.split(' '))
      t.throws(() => parse(field, `Alpha ${control}Ltd`), refused, `${label}: ${control.codePointAt(0)?.toString(16)}`)
    for (const turn of turns.split(' '))
      t.equal(parse(field, `${turn}Alpha ${turn}Ltd`), 'Alpha Ltd', `${label}: ${turn.codePointAt(0)?.toString(16)} goes`)
    for (const kept of ['👨‍👩‍👧 می‌خواهم', 'שלום, عالم', 'Ёлка\u00a0— №\u00a01', 'ﬁ\u00ad\u200bx']) t.equal(parse(field, kept), kept)
  }
})

t.test('only multi-line fields accept line breaks and tabs', async (t) => {
  for (const part of ['\n', '\r', '\r\n', '\t']) t.throws(() => parse(text('Name'), `a${part}b`), refused)
  t.equal(parse(paragraph('Comment', { max: 9 }), 'a\r\nb\rc\td\n'), 'a\nb\nc\td')
})

t.test('a number below zero begins with a hyphen or a minus sign', async (t) => {
  const change = decimal('Change', { least: -1000, most: 1000 })
  for (const typed of ['-3,5', '−3,5', '−3.50']) t.equal(parse(change, typed), -350, typed)
  t.equal(parse(change, '+3,5'), 350)
})

t.test('what is beyond its limits is refused with the limits in groups of three, what equals them is taken', async (t) => {
  const whole = number('Order number', { least: 1, most: 999_999_999 })
  const change = decimal('Amount', { least: -1_000_000, most: 1_234_550 })
  const limit = money('Credit limit', {})
  const price = money('Price', { most: 1_000_000 })
  for (const [field, typed, value] of [
    [whole, '1', 1],
    [whole, '999999999', 999_999_999],
    [change, '-10 000', -1_000_000],
    [change, '12345,5', 1_234_550],
    [limit, '999 999 999 999,99', 99_999_999_999_999],
    [price, '10000', 1_000_000],
  ] as const)
    t.equal(parse(field, typed), value, `${field.label}: ${typed}`)
  for (const [field, typed, values] of [
    [whole, '0', { least: '1', most: '999 999 999' }],
    [whole, '1000000000', { least: '1', most: '999 999 999' }],
    [change, '-10000,01', { least: '−10 000', most: '12 345,5' }],
    [change, '12345,51', { least: '−10 000', most: '12 345,5' }],
    [limit, '1 000 000 000 000', { most: '999 999 999 999,99 ₽' }],
    [price, '10000,01', { most: '10 000,00 ₽' }],
  ] as const)
    t.same(
      limitsNamed(() => parse(field, typed)),
      values,
      `${field.label}: ${typed}`,
    )
})

t.test('a limit is named with its kopecks where amounts are shown without', (t) => {
  t.same(
    limitsNamed(() => parse(money('Price', { most: 12_345 }), '123,46'), { currency_symbol: '€', decimals: 0 }),
    { most: '123,45 €' },
  )
  t.end()
})

t.test('JSON is read as values within the same limits; what is of another type is none', async (t) => {
  const read = (field: Field, json: unknown) => kindOf(field).json.read?.(json, field)
  const price = money('Price', { most: 1000 })
  const share = decimal('Share', { least: 0, most: 1000 })
  for (const json of [-1, 1001]) t.throws(() => read(price, json), { message: /^Enter an amount/ }, String(json))
  t.same(
    [0, 1000, null].map((json) => read(price, json)),
    [0, 1000, null],
  )
  t.same(
    ['10', 1.5, true, [1]].map((json) => read(price, json)),
    [undefined, undefined, undefined, undefined],
  )
  t.same(
    [1.25, null].map((json) => read(share, json)),
    [125, null],
  )
  t.throws(() => read(share, 1.255), { message: /^Enter a number/ })
  t.equal(read(text('Name'), ' Alpha '), 'Alpha')
  t.equal(read(text('Name'), 7), undefined)
  t.equal(read(toggle('On'), null), undefined)
  const days = several('Days', { mon: 'Monday', tue: 'Tuesday' })
  t.same(read(days, ['tue', 'mon']), ['mon', 'tue'])
  t.same(
    [['mon,tue'], 'mon'].map((json) => read(days, json)),
    [undefined, undefined],
  )
})

function parse(field: Field, typed: string): unknown {
  return kindOf(field).parse(typed, field)
}

function limitsNamed(parse: () => unknown, currency?: Currency): Record<string, string> {
  try {
    return { taken: String(parse()) }
  } catch (error) {
    const params = (error as FieldError).params ?? {}
    const t = translator('en', currency)
    return Object.fromEntries(Object.keys(params).map((name) => [name, t(`{${name}}`, params).replaceAll('\u00a0', ' ')]))
  }
}
