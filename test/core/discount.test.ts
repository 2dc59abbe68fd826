import fc from 'fast-check'
import t from 'tap'
import { discountOf } from '../../src/core/pricing.ts'
import { specificationNumber } from '../../src/core/specification-number.ts'

const percent = fc.integer({ min: 0, max: 100 })
const rows = fc.uniqueArray(fc.record({ category_id: fc.integer({ min: 1, max: 9 }), discount: percent }), {
  selector: (row) => row.category_id,
})

t.test('the discount of a category is its own, else the base discount, else zero', async () => {
  fc.assert(
    fc.property(rows, fc.option(percent), fc.option(fc.integer({ min: 1, max: 12 })), (list, base, category) => {
      const own = list.filter((row) => row.category_id === category)
      return discountOf(category, list, base) === (own.length === 1 ? own[0]?.discount : (base ?? 0))
    }),
  )
})

t.test('a category discount of zero percent overrides the base discount', async (t) => {
  t.equal(discountOf(3, [{ category_id: 3, discount: 0 }], 15), 0)
})

t.test('the specification number counts the existing orders', async (t) => {
  t.equal(specificationNumber({ start: 1500, orders: 0, highest: null }, true), 1501)
  t.equal(specificationNumber({ start: null, orders: 7, highest: 8 }, true), 8, 'and so repeats after a deletion')
  fc.assert(
    fc.property(
      fc.option(fc.nat()),
      fc.nat(),
      (start, orders) => specificationNumber({ start, orders, highest: null }, true) === (start ?? 0) + orders + 1,
    ),
  )
})

t.test('under strict rules the specification number never repeats and is never below the start', async () => {
  fc.assert(
    fc.property(fc.option(fc.nat(9999)), fc.nat(50), fc.option(fc.nat(9999)), (start, orders, highest) => {
      const number = specificationNumber({ start, orders, highest }, false)
      return number > (highest ?? 0) && number >= (start ?? 1) && number >= 1
    }),
  )
})
