import { news } from '../../src/database/schema/index.ts'
import { browserTest } from '../support/browser.ts'
import { insertProduct, useCatalog } from '../support/products.ts'

browserTest('Esc leads from an article that is edited back to the news', async (t, { db, pageOf }) => {
  const article = db.insert(news).values({ name: 'Holidays' }).returning().get()
  const page = await pageOf('root')
  await page.goto(`/news/edit/${article.id}`)
  await page.locator('.tox').first().waitFor()
  await page.locator('h1.page-title').click()
  await page.keyboard.press('Escape')
  await page.waitForURL('**/news')
  t.equal(new URL(page.url()).pathname, '/news')
})

browserTest('C leads from a product to an order of it', async (t, { db, cast, pageOf }) => {
  useCatalog(db)
  const product = insertProduct(db, { article: 'H-1', name: 'Handle', category_id: cast.category })
  const page = await pageOf('denis')
  await page.goto(`/products/edit/${product}`)
  await page.keyboard.press('c')
  await page.waitForURL(`**/orders/add?product=${product}`)
  t.equal(new URL(page.url()).pathname, '/orders/add')
})
