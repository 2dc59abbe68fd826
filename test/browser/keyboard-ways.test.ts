import { news, orders } from '../../src/database/schema/index.ts'
import { browserTest } from '../support/browser.ts'
import { insertOrder } from '../support/orders.ts'
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

browserTest('C leads from an order to a new one', async (t, { cast, pageOf }) => {
  const page = await pageOf('denis')
  await page.goto(`/orders/${cast.order}`)
  await page.keyboard.press('c')
  await page.waitForURL('**/orders/add')
  t.equal(new URL(page.url()).search, '', 'which repeats none')
})

browserTest(
  'on the home page J and K go through orders, a full stop offers its steps, and Enter leads to the order',
  async (t, cabinet) => {
    cabinet.db.delete(orders).run()
    const [oldest, newer] = [2, 1].map((days) =>
      insertOrder(cabinet, 'new', { dealer_id: cabinet.cast.denis, status_since: Date.now() - days * 24 * 3600_000 }),
    )
    const page = await cabinet.pageOf('denis')
    const current = () => page.locator(':focus').innerText()
    await page.goto('/')
    await page.keyboard.press('j')
    t.equal(await current(), `#${oldest}`)
    await page.keyboard.press('j')
    t.equal(await current(), `#${newer}`)
    await page.keyboard.press('k')
    await page.keyboard.press('.')
    await page.locator('dialog .bulk-choices button:focus').waitFor()
    t.match(await page.locator('#dialog-title').innerText(), `#${oldest}`)
    await page.keyboard.press('Escape')
    t.equal(await current(), `#${oldest}`)
    await page.keyboard.press('?')
    await page.locator('#dialog').getByText('What can be done with the row').waitFor()
    t.ok(await page.locator('#dialog').getByText('Next row, previous row').isVisible())
    await page.keyboard.press('Escape')
    await page.locator('.order-line', { hasText: `#${newer}` }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/orders/${newer}?**`)
    t.equal(new URL(page.url()).pathname, `/orders/${newer}`)
  },
)

for (const javaScriptEnabled of [true, false])
  browserTest(
    `the second Tab of a list offers to skip to its first row${javaScriptEnabled ? '' : ', without JavaScript, too'}`,
    async (t, { cast, pageOf }) => {
      const page = await pageOf('root', { javaScriptEnabled })
      await page.goto('/dealers')
      for (const key of ['Tab', 'Tab']) await page.keyboard.press(key)
      t.equal(await page.locator(':focus').innerText(), 'Skip to the list')
      for (const key of ['Enter', 'Tab']) await page.keyboard.press(key)
      t.match(await page.locator('tbody tr:has(:focus)').getAttribute('id'), /^dealers-\d+$/)
      t.ok(await page.locator('tbody tr:first-child :focus').isVisible(), 'the first one')
      await page.goto(`/dealers/edit/${cast.denis}`)
      for (const key of ['Tab', 'Tab']) await page.keyboard.press(key)
      t.not(await page.locator(':focus').innerText(), 'Skip to the list', 'elsewhere there is none')
    },
  )

browserTest('what is touched names no keys, what has a pointer does', async (t, { pageOf }) => {
  for (const [options, shown] of [
    [{ hasTouch: true, isMobile: true, viewport: { width: 1180, height: 820 } }, false],
    [{ viewport: { width: 1180, height: 820 } }, true],
  ] as const) {
    const page = await pageOf('root', options)
    await page.goto('/find')
    t.equal(await page.locator('.find-button > kbd').isVisible(), shown)
    t.equal(await page.locator('.hit-keys:not([hidden])').first().isVisible(), shown)
    await page.locator('summary.person').click()
    t.equal(await page.locator('#shortcuts').isVisible(), shown)
  }
})

browserTest('an address that ends in what names nothing leaves keys and scripts as they are', async (t, { pageOf }) => {
  const page = await pageOf('root')
  await page.goto('/dealers#%')
  await page.locator('[data-htmx-powered]').first().waitFor({ state: 'attached' })
  await page.keyboard.press('/')
  t.equal(await page.locator(':focus').getAttribute('id'), 'dealers-q')
})
