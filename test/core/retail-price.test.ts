import fc from 'fast-check'
import t from 'tap'
import { retailPrice, roundings } from '../../src/core/pricing.ts'

t.test('a retail price is the own one with its markup, rounded half up to whole units', (t) => {
  for (const [own, markup, rounding, price] of [
    [777_70, 30, '1', 1011_00],
    [777_70, 30, '10', 1010_00],
    [777_70, 30, '100', 1000_00],
    [1_50, 0, '1', 2_00],
    [1_49, 0, '1', 1_00],
    [15_00, 0, '10', 20_00],
    [14_99, 0, '10', 10_00],
    [150_00, 0, '100', 200_00],
    [100_00, 1000, '1', 1100_00],
    [0, 30, '100', 0],
    [1, 0, '1', 1_00],
    [40_00, 0, '100', 100_00],
  ] as const)
    t.equal(retailPrice(own, markup, rounding), price, `${own} + ${markup} % to ${rounding}`)
  t.throws(() => retailPrice(Number.MAX_SAFE_INTEGER, 1000, '1'), RangeError)
  t.end()
})

t.test(
  'whatever a piece costs, its retail price is whole units, no further from the marked-up one than half of one, and never nothing',
  (t) => {
    const own = fc.integer({ min: 1, max: 1_000_000_000_00 })
    fc.assert(
      fc.property(own, fc.integer({ min: 0, max: 1000 }), fc.constantFrom(...roundings), (own, markup, rounding) => {
        const step = Number(rounding) * 100
        const price = retailPrice(own, markup, rounding)
        const exact = (own * (100 + markup)) / 100
        return price % step === 0 && price >= step && (Math.abs(price - exact) <= step / 2 || price === step)
      }),
    )
    t.end()
  },
)
