import fc from 'fast-check'
import t from 'tap'
import { group } from '../../src/core/access.ts'
import { lineCost, type UnitPrice } from '../../src/core/pricing.ts'
import type { Catalog } from '../../src/modules/orders/pricing/catalog.ts'
import type { Item, SentItem } from '../../src/modules/orders/pricing/lines.ts'
import { priceLines } from '../../src/modules/orders/pricing/price-lines.ts'

const day = '2026-11-26'

const product = (id: number, over: object = {}) =>
  ({
    ...{ id, article: `A-${id}`, name: `Door ${id}`, category_id: 5, active: true, unit: 'm2', basis: 'area', minimum: null },
    ...{ width_min: 100, width_max: 2000, height_min: 100, height_max: 2000 },
    ...over,
  }) as never

/** A square meter costs 100.00, of which companies get 10 %, or what was agreed on. */
const priceOf = (_: unknown, agreed: number | null = null): UnitPrice =>
  agreed === null ? { price: 10_000, discount: 10, origin: 'base' } : { price: 10_000, discount: agreed, origin: 'agreed' }

const catalog = (groupId: number = group.manager, over: Partial<Catalog> = {}): Catalog => ({
  ...{ products: new Map([1, 2].map((id) => [id, product(id)])), priceOf, vat: '20', day },
  ...{ actor: { id: 1, group_id: groupId } as Catalog['actor'], inUse: true, custom: true, limit: 100 },
  ...{ discounts: { base: 10, rows: [{ category_id: 6, discount: 25 }] }, lists: new Map() },
  ...over,
})

const sold = (over: Partial<SentItem> = {}): SentItem => ({ product_id: 1, width: 1000, height: 1000, quantity: 2, ...over })
const written = (over: Partial<Item> = {}): Item => ({
  ...{ id: 3, product_id: 1, article: 'A-1', name: 'Old door', category_id: 5, unit: 'm2', basis: 'area', width: 1000, height: 1000 },
  ...{ quantity: 1, price: 8000, discount: 50, piece_price: 4000, price_origin: 'base', priced_on: '2020-01-01', vat: 'none' },
  ...over,
})

const itemOf = (...args: Parameters<typeof priceLines>): Item => {
  const [priced] = priceLines(...args)
  if (!priced || !('item' in priced)) throw new Error(JSON.stringify(priced))
  return priced.item
}
const errorsOf = (...args: Parameters<typeof priceLines>) =>
  priceLines(...args).map((one) => ('errors' in one ? Object.keys(one.errors) : []))

t.test('a line keeps the price it was written with while only its quantity changes, whatever products cost today', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.constantFrom(group.dealer, group.manager), (quantity, who) => {
      const item = itemOf(catalog(who), [sold({ id: 3, quantity })], [written()])
      return item.piece_price === 4000 && item.name === 'Old door' && item.quantity === quantity && lineCost(item) === 4000 * quantity
    }),
  )
})

t.test('another size, product, category or agreed discount is priced anew', async (t) => {
  const anew = (sent: Partial<SentItem>) => itemOf(catalog(), [sold({ id: 3, ...sent })], [written()])
  t.match(anew({ width: 500 }), { id: 3, name: 'Door 1', piece_price: 4500, discount: 10, priced_on: day, vat: '20' })
  t.match(anew({ product_id: 2 }), { name: 'Door 2', piece_price: 9000 })
  t.match(anew({ category_id: 6 }), { category_id: 6, piece_price: 9000 })
  t.match(anew({ agreed: 40 }), { piece_price: 6000, price_origin: 'agreed' })
  t.equal(itemOf(catalog(group.dealer), [sold({ id: 3, category_id: 6 })], [written()]).piece_price, 4000, 'a dealer chooses no category')
  t.match(itemOf(catalog(), [sold()], [], { agreed: 30, agreed_reason: 'Fair' }), { piece_price: 7000, agreed_reason: 'Fair' })
})

t.test('a line says by its fields what is wrong with it, and the others are priced', async (t) => {
  const gone = catalog(group.manager, {
    products: new Map([
      [1, product(1, { active: false })],
      [2, product(2)],
    ]),
  })
  const lines = [sold(), sold({ product_id: 2, width: 50 }), sold({ product_id: 2 }), sold({ product_id: 2, agreed: 5, quantity: 1 })]
  t.same(errorsOf(gone, lines, []), [['product_id'], ['width'], [], []])
  t.same(errorsOf(catalog(group.manager, { limit: 4 }), [sold({ agreed: 5 })], []), [['agreed']])
  t.same(errorsOf(catalog(), [sold({ quantity: Number.MAX_SAFE_INTEGER })], []), [['quantity']], 'an amount that no number holds')
})

t.test('dealers name no price but their own, and no discount (403)', async (t) => {
  const named = (sent: Partial<SentItem>) => () => priceLines(catalog(group.dealer), [sold(sent)], [])
  t.throws(named({ price: 1 }), /cannot set prices/)
  t.throws(named({ agreed: 0 }), /cannot set discounts/)
  for (const price of [10_000, 9000]) t.doesNotThrow(named({ price }), 'of a unit, or of a piece')
  const custom = itemOf(catalog(group.dealer), [{ name: 'Handle', category_id: 6, quantity: 1 }], [])
  t.equal(itemOf(catalog(), [{ name: 'Handle', category_id: 6, quantity: 1, price: 700 }], []).price, 700, 'to others it is theirs to set')
  t.equal(itemOf(catalog(group.dealer), [sold({ category_id: 6 })], []).category_id, 5, 'and the category is that of the product')
  t.match(custom, { price: null, discount: 25 }, 'what is not in the catalog waits for its price')
})

t.test('without the catalog each line costs what was sent, less the discount of its category', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 100_000 }),
      fc.integer({ min: 1, max: 100 }),
      fc.constantFrom(5, 6),
      (price, quantity, category_id) => {
        const item = itemOf(catalog(group.dealer, { inUse: false }), [{ name: 'Door', category_id, quantity, price }], [])
        return item.discount === (category_id === 6 ? 25 : 10) && lineCost(item) === lineCost({ quantity, price, discount: item.discount })
      },
    ),
  )
})
