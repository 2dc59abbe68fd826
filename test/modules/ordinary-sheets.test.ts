import { eq } from 'drizzle-orm'
import t from 'tap'
import { categories, companies, products, users } from '../../src/database/schema/index.ts'
import { pricesOf } from '../../src/modules/products/product.ts'
import { type OrdinarySheet, ordinarySheets } from '../fixtures/sheets/index.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { checked, rowsOf } from '../support/imports.ts'

const stored: Record<OrdinarySheet['list'], (cabinet: Cabinet) => Record<string, unknown>[]> = {
  products: ({ db }) =>
    db
      .select()
      .from(products)
      .leftJoin(categories, eq(categories.id, products.category_id))
      .orderBy(products.id)
      .all()
      .map(({ products: product, categories: category }) => ({
        ...product,
        category: category?.name ?? null,
        prices: pricesOf(db, product.id).map(({ price }) => price),
      })),
  companies: ({ db }) => db.select().from(companies).orderBy(companies.id).all(),
  dealers: ({ db }) => db.select().from(users).orderBy(users.id).all(),
}

for (const { name, list, content, choices, rows, holds } of ordinarySheets)
  t.test(`a sheet as people have it: ${name}`, async (t) => {
    const cabinet = await startCabinet(t)
    const root = await cabinet.as('root')
    const before = stored[list](cabinet).length
    const { path } = await checked(root, list, await content())
    if (choices) await root.post(path, choices)
    const found = rowsOf(await root.get(path))
    const outcomes = found.toSorted((one, other) => one.row - other.row).map(({ row, outcome }) => `${row} ${outcome}`)
    t.same(outcomes, rows, found.map(({ text }) => text).join('\n'))
    await root.post(`${path}/save`, { good_rows: '1' })
    const added = stored[list](cabinet).slice(before)
    t.equal(added.length, holds.length)
    t.match(added, holds)
    const again = await checked(root, list, await content())
    if (choices) await root.post(again.path, choices)
    const outcomesAgain = rowsOf(await root.get(again.path)).map(({ outcome }) => outcome)
    t.same(
      outcomesAgain.filter((outcome) => outcome === 'new' || outcome === 'changed'),
      [],
      'sent again, it changes nothing',
    )
  })
