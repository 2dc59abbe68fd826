import fc from 'fast-check'
import t from 'tap'
import { lineCost, lineLimits, orderCost } from '../../src/core/pricing.ts'
import { formatRubles, parseKopecks } from '../../src/i18n/format.ts'
import { formatMoney } from '../../src/i18n/money.ts'

const line = fc.record({
  quantity: fc.integer({ min: 1, max: lineLimits.quantity }),
  price: fc.integer({ min: 0, max: lineLimits.price }),
  discount: fc.integer({ min: 0, max: 100 }),
})

/** The same in exact numbers of any size. */
function exactly({ quantity, price, discount }: { quantity: number; price: number; discount: number }): bigint {
  const hundredths = BigInt(quantity) * BigInt(price) * BigInt(100 - discount)
  return hundredths / 100n + (hundredths % 100n >= 50n ? 1n : 0n)
}

t.test('the cost of a line is rounded half up to whole kopecks', async (t) => {
  fc.assert(fc.property(line, (one) => BigInt(lineCost(one)) === exactly(one)))
  t.equal(lineCost({ quantity: 1, price: 50, discount: 1 }), 50, '49.5')
  t.equal(lineCost({ quantity: 1, price: 49, discount: 1 }), 49, '48.51')
  t.equal(lineCost({ quantity: 1, price: 49, discount: 50 }), 25, '24.5')
  t.equal(lineCost({ quantity: 3, price: 100_099, discount: 15 }), 255_252, '255252.45')
  t.equal(lineCost({ quantity: 7, price: 0, discount: 0 }), 0)
  t.equal(lineCost({ quantity: 7, price: 999, discount: 100 }), 0)
})

t.test('the cost of an order is the sum of its lines and stays a safe integer at every limit', async (t) => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 200 }), (lines) => BigInt(orderCost(lines)) === lines.map(exactly).reduce((a, b) => a + b, 0n)),
  )
  const largest = { quantity: lineLimits.quantity, price: lineLimits.price, discount: 0 }
  t.ok(Number.isSafeInteger(orderCost(Array(200).fill(largest))))
  t.ok(Number.isSafeInteger(largest.quantity * largest.price * 100 + 50))
})

const amounts = [
  ['1', 100],
  ['1,5', 150],
  ['1.05', 105],
  ['0,01', 1],
  [' 12 345,67 ', 1_234_567],
  ['12\u00a0345,67\u00a0₽', 1_234_567],
  ['9'.repeat(12), 99_999_999_999_900],
] as const

const noAmounts = [
  '100 тыс.',
  '100 т.',
  '100 т.р.',
  '5 млн',
  '2 млрд',
  '5 mln',
  '100 k',
  '',
  '-1',
  '1,234',
  '1e3',
  'ten',
  '1,2,3',
  '0x10',
  'NaN',
  '1.',
  ',5',
  '+1',
  '5кг',
  '5 $ $',
  '5 pieces',
  '$',
  '9'.repeat(13),
]

t.test('the browser calculates the same costs as the server, and reads and shows the same amounts', async (t) => {
  const browser = await import(new URL('../../static/js/order-cost.js', import.meta.url).href)
  fc.assert(fc.property(line, (one) => browser.lineCost(one.quantity, one.price, one.discount) === lineCost(one)))
  for (let price = 0; price < 100; price++)
    t.equal(browser.lineCost(1, price, 1), lineCost({ quantity: 1, price, discount: 1 }), `${price}`)
  fc.assert(
    fc.property(fc.nat(), (kopecks) => browser.formatMoney(kopecks) === formatMoney(kopecks, { currency_symbol: null, decimals: null })),
  )
  const odd = fc.oneof(fc.string(), fc.stringMatching(/^[\d., ₽-]{0,12}$/))
  fc.assert(fc.property(odd, (text) => browser.kopecksOf(text) === parseKopecks(text)))
  for (const [typed, kopecks] of amounts) t.equal(browser.kopecksOf(typed), kopecks, typed)
  for (const typed of noAmounts) t.equal(browser.kopecksOf(typed), undefined, typed)
  t.same({ ...browser.bounds }, lineLimits)
})

t.test('the browser reads and shows amounts in another currency as the server does', async (t) => {
  const browser = await import(new URL('../../static/js/order-cost.js', import.meta.url).href)
  for (const decimals of [0, 1, 2])
    t.equal(browser.formatMoney(1_234_567, '$', decimals), formatMoney(1_234_567, { currency_symbol: '$', decimals }))
  for (const typed of ['12 345,67 $', '$12345.67', '12 345,67 BYN', '12345,67 руб.', '12\u00a0345,67\u00a0р.', '12345,67₽']) {
    t.equal(parseKopecks(typed), 1_234_567, typed)
    t.equal(browser.kopecksOf(typed), 1_234_567, typed)
  }
})

t.test('amounts are read with comma or point and formatted so that they can be read again', async (t) => {
  fc.assert(fc.property(fc.integer({ min: 0, max: lineLimits.price }), (kopecks) => parseKopecks(formatRubles(kopecks)) === kopecks))
  for (const [typed, kopecks] of amounts) t.equal(parseKopecks(typed), kopecks, typed)
  for (const typed of noAmounts) t.equal(parseKopecks(typed), undefined, typed)
})
