import { eq } from 'drizzle-orm'
import t from 'tap'
import { products } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { parseHtml, textOf } from '../support/html.ts'
import { insertProduct, useCatalog } from '../support/products.ts'

t.test('the page of a product shows its picture, nothing that is empty, and what else may be done with it', async (t) => {
  const { as, db } = await startCabinet(t)
  useCatalog(db)
  const id = insertProduct(db, { article: 'S-1', name: 'Sill', unit: 'm', basis: 'length', image: 'a.png' })
  const page = async (name: 'denis' | 'maria') => parseHtml((await (await as(name)).get(`/products/edit/${id}?back=%3Fq%3Dsill`)).body)
  const dealers = await page('denis')
  t.equal(dealers('.back-link').attr('href'), '/products?q=sill')
  t.equal(dealers('.product-overview img').attr('src'), '/products/images/a.png')
  t.equal(textOf(dealers('.properties').html() ?? ''), 'Unit m')
  t.equal(dealers('h1').text().trim(), 'S-1 Sill', 'where it is once')
  t.equal(dealers('.record-menu a').attr('href'), `/products/${id}/customer-offer`)
  const state = async () => textOf((await page('maria'))('.record-state').html() ?? '')
  t.equal(await state(), 'For sale')
  db.update(products).set({ active: false }).where(eq(products.id, id)).run()
  t.equal(await state(), 'Not for sale')
})
