import fc from 'fast-check'
import t from 'tap'
import { discountOf } from '../../src/core/discount.ts'
import { findLegalDetailWarnings } from '../../src/core/legal-details.ts'
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

t.test('valid legal details cause no warning', async (t) => {
  // Published numbers of a large bank and its account at the central bank.
  t.same(findLegalDetailWarnings({ inn: '7707083893', ogrn: '1027700132195', bik: '044525225', cs: '30101810400000000225' }), {})
  t.same(findLegalDetailWarnings({ inn: '500100732259', ogrn: '304500116000157' }), {}, 'a person')
  t.same(findLegalDetailWarnings({ bik: '044525225', rs: '40702810438000005001' }), {}, 'an account at a bank')
  t.same(findLegalDetailWarnings({ inn: '7707083830', ogrn: '1027700132130' }), {}, 'a remainder of ten is written as zero')
  t.same(findLegalDetailWarnings({ rs: '1', cs: '1' }), {}, 'without a BIK there is nothing to compare accounts with')
  t.same(findLegalDetailWarnings({}), {})
})

const shifted = (number: string, at: number, shift: number) =>
  number.slice(0, at) + ((Number(number[at]) + shift) % 10) + number.slice(at + 1)
const shift = fc.integer({ min: 1, max: 9 })

t.test('any wrong digit in a bank account number causes a warning', async () => {
  const account = '30101810400000000225'
  fc.assert(
    fc.property(
      fc.nat(account.length - 1),
      shift,
      (at, by) => 'cs' in findLegalDetailWarnings({ bik: '044525225', cs: shifted(account, at, by) }),
    ),
  )
})

t.test('a wrong check digit of INN or OGRN causes a warning', async () => {
  // Elsewhere in the number the rule lets a few slip through: remainders of ten count as zero.
  const wrong = (number: string, by: number) => shifted(number, number.length - 1, by)
  fc.assert(
    fc.property(
      shift,
      (by) =>
        'inn' in findLegalDetailWarnings({ inn: wrong('7707083893', by) }) &&
        'inn' in findLegalDetailWarnings({ inn: wrong('500100732259', by) }),
    ),
  )
  fc.assert(fc.property(shift, (by) => 'ogrn' in findLegalDetailWarnings({ ogrn: wrong('1027700132195', by) })))
})

t.test('each of the two check digits of a personal INN counts', async (t) => {
  for (const inn of ['500100732266', '500100732258']) t.ok(findLegalDetailWarnings({ inn }).inn, inn)
})

t.test('legal details that are not numbers cause a warning', async (t) => {
  t.hasProps(findLegalDetailWarnings({ inn: 'abc', ogrn: '12', bik: '1', rs: 'x', cs: '1' }), ['inn', 'ogrn', 'bik', 'rs', 'cs'])
})
