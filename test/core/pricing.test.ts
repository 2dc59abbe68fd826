import fc from 'fast-check'
import t from 'tap'
import {
  bases,
  findSizeProblems,
  grossPiece,
  lineAmount,
  type PricedProduct,
  piecePrice,
  sizesOf,
  sumAmounts,
  unitPriceFor,
  vatRates,
  vatWithin,
} from '../../src/core/pricing.ts'

const any = { width_min: null, width_max: null, height_min: null, height_max: null, minimum: null }
const each: PricedProduct = { ...any, basis: 'each' }
const area: PricedProduct = { ...any, basis: 'area' }
const length: PricedProduct = { ...any, basis: 'length' }
const none = { contract: null, agreed: null, category: null, base: null }
const noSize = { width: null, height: null }
const tooLarge = { message: 'more than a number holds exactly' }

const priced = fc.record({
  price: fc.integer({ min: 0, max: 10_000_000 }),
  discount: fc.integer({ min: 0, max: 100 }),
  basis: fc.constantFrom(...bases),
  minimum: fc.option(fc.integer({ min: 1, max: 1000 })),
  width: fc.integer({ min: 1, max: 6000 }),
  height: fc.integer({ min: 1, max: 6000 }),
})

/** The price of a piece as an exact fraction. */
function fractionOf({ price, discount, basis, minimum, width, height }: typeof priced extends fc.Arbitrary<infer T> ? T : never) {
  const [size, one] = { each: [1n, 1n], area: [BigInt(width * height), 1_000_000n], length: [BigInt(width), 1000n] }[basis] as [
    bigint,
    bigint,
  ]
  const least = basis === 'each' ? 0n : (BigInt(minimum ?? 0) * one) / 100n
  return { top: BigInt(price) * (size > least ? size : least) * BigInt(100 - discount), bottom: one * 100n }
}

t.test('the price of a piece is the exact one, rounded half up to a kopeck', async (t) => {
  fc.assert(
    fc.property(priced, (one) => {
      const piece = BigInt(piecePrice(one, { ...any, basis: one.basis, minimum: one.minimum }, one))
      const { top, bottom } = fractionOf(one)
      const twice = 2n * (piece * bottom - top)
      return twice <= bottom && twice > -bottom
    }),
  )
  t.equal(piecePrice({ price: 1_240_000, discount: 18 }, each, noSize), 1_016_800)
  t.equal(piecePrice({ price: 1, discount: 50 }, each, noSize), 1, 'half a kopeck is one')
  t.equal(piecePrice({ price: 1, discount: 51 }, each, noSize), 0)
  t.equal(piecePrice({ price: 100_000, discount: 0 }, area, { width: 1005, height: 1005 }), 101_003, '1010.025 rubles')
  t.equal(piecePrice({ price: 45_000, discount: 10 }, length, { width: 2350, height: null }), 95_175)
})

t.test('of a small piece the minimum is charged, of a larger one its size', async (t) => {
  const halfMeter = { ...area, minimum: 50 }
  t.equal(piecePrice({ price: 100_000, discount: 0 }, halfMeter, { width: 500, height: 500 }), 50_000)
  t.equal(piecePrice({ price: 100_000, discount: 0 }, halfMeter, { width: 1000, height: 500 }), 50_000)
  t.equal(piecePrice({ price: 100_000, discount: 0 }, halfMeter, { width: 1000, height: 501 }), 50_100)
  t.equal(piecePrice({ price: 100_000, discount: 0 }, { ...length, minimum: 150 }, { width: 400, height: null }), 150_000)
})

t.test('the price of a piece before its discount follows from its size, or from what it costs where a minimum was charged', async (t) => {
  const unit = { price: 100_000, discount: 15 }
  const [small, large] = [
    { width: 500, height: 500 },
    { width: 1000, height: 1000 },
  ]
  const halfMeter = { ...area, minimum: 50 }
  t.equal(grossPiece(unit, 'area', small, piecePrice(unit, halfMeter, small)), 50_000)
  t.equal(grossPiece(unit, 'area', small, 42_501), 50_001, 'rounded half up')
  t.equal(grossPiece(unit, 'area', large, piecePrice(unit, halfMeter, large)), 100_000)
  t.equal(grossPiece({ price: 333, discount: 50 }, 'each', { width: null, height: null }, 167), 333, 'as it was rounded')
  t.equal(grossPiece({ price: 333, discount: 100 }, 'each', { width: null, height: null }, 0), 333)
})

t.test('a contract price replaces price and discount, and a category discount the base discount, even with zero', async (t) => {
  const all = { ...none, contract: 900, category: 18, base: 5 }
  t.same(unitPriceFor(1000, all), { price: 900, discount: 0, origin: 'contract' })
  t.same(unitPriceFor(1000, { ...all, contract: null }), { price: 1000, discount: 18, origin: 'category' })
  t.same(unitPriceFor(1000, { ...all, contract: null, category: 0 }), { price: 1000, discount: 0, origin: 'category' })
  t.same(unitPriceFor(1000, { ...none, base: 5 }), { price: 1000, discount: 5, origin: 'base' })
  t.same(unitPriceFor(1000, { ...none, base: 0 }), { price: 1000, discount: 0, origin: 'list' })
  t.same(unitPriceFor(1000, none), { price: 1000, discount: 0, origin: 'list' })
  t.same(unitPriceFor(0, none), { price: 0, discount: 0, origin: 'list' })
})

t.test('an agreed discount replaces the discounts of the company, even with zero', async (t) => {
  t.same(unitPriceFor(1000, { ...none, category: 18, agreed: 20 }), { price: 1000, discount: 20, origin: 'agreed' })
  t.same(unitPriceFor(1000, { ...none, category: 18, agreed: 0 }), { price: 1000, discount: 0, origin: 'agreed' })
  t.same(unitPriceFor(1000, { ...none, contract: 900, agreed: 10 }), { price: 900, discount: 10, origin: 'agreed' })
})

t.test('a product without a price is not for sale, unless the contract has one', async (t) => {
  t.equal(unitPriceFor(null, { ...none, base: 5 }), null)
  t.equal(unitPriceFor(null, { ...none, agreed: 5 }), null)
  t.same(unitPriceFor(null, { ...none, contract: 900 }), { price: 900, discount: 0, origin: 'contract' })
})

t.test('the printed price times the quantity is the amount of a line', async () => {
  fc.assert(
    fc.property(priced, fc.integer({ min: 1, max: 10_000 }), (one, quantity) => {
      const piece = piecePrice(one, { ...any, basis: one.basis, minimum: one.minimum }, one)
      return BigInt(lineAmount(piece, quantity)) === BigInt(piece) * BigInt(quantity)
    }),
  )
})

t.test('what a number does not hold exactly is refused', async (t) => {
  const most = Number.MAX_SAFE_INTEGER
  t.equal(lineAmount(most, 1), most)
  t.throws(() => lineAmount(most, 2), tooLarge)
  t.throws(() => lineAmount((most + 1) / 4, 4), tooLarge)
  t.equal(sumAmounts([most - 1, 1]), most)
  t.throws(() => sumAmounts([most, 1]), tooLarge)
  t.throws(() => piecePrice({ price: 1_000_000_000, discount: 0 }, area, { width: 10_000_000, height: 10_000_000 }), tooLarge)
})

t.test('VAT is within the amount: rounded half up, none of nothing, and no number without a rate', async (t) => {
  t.equal(vatWithin(12_000, '20'), 2000)
  t.equal(vatWithin(12_200, '22'), 2200)
  t.equal(vatWithin(3, '20'), 1, 'half a kopeck is one')
  t.equal(vatWithin(2, '20'), 0)
  t.equal(vatWithin(12_000, '0'), 0)
  t.equal(vatWithin(12_000, 'none'), null)
  t.equal(vatWithin(12_000, null), null)
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(...vatRates), (amount, rate) => {
      const vat = vatWithin(amount, rate)
      if (vat === null) return rate === 'none'
      const twice = 2n * (BigInt(vat) * BigInt(100 + Number(rate)) - BigInt(amount) * BigInt(rate))
      return twice <= BigInt(100 + Number(rate)) && twice > -BigInt(100 + Number(rate))
    }),
  )
})

t.test('a size outside of the range is named with its range', async (t) => {
  const window = { ...area, width_min: 400, width_max: 2000, height_min: 500, height_max: null }
  t.same(findSizeProblems(window, { width: 400, height: 500 }), [])
  t.same(findSizeProblems(window, { width: 2000, height: 9000 }), [])
  t.same(findSizeProblems(window, { width: 399, height: 500 }), [{ part: 'width', least: 400, most: 2000 }])
  t.same(findSizeProblems(window, { width: 2001, height: 500 }), [{ part: 'width', least: 400, most: 2000 }])
  t.same(findSizeProblems(window, { width: 400, height: 499 }), [{ part: 'height', least: 500, most: null }])
  t.same(findSizeProblems(window, { width: 400, height: null }), [{ part: 'height', least: 500, most: null }])
  t.same(
    findSizeProblems(window, { width: null, height: 499 }).map(({ part }) => part),
    ['width', 'height'],
    'both at once',
  )
  t.same(findSizeProblems(area, { width: 0, height: 1 }), [{ part: 'width', least: 1, most: null }])
  t.same(findSizeProblems(each, noSize), [])
  t.same(findSizeProblems({ ...window, basis: 'length' }, { width: 700, height: null }), [], 'a length has no height')
})

t.test('each basis asks for its sizes', async (t) => {
  t.same(bases.map(sizesOf), [[], ['width', 'height'], ['width']])
})
