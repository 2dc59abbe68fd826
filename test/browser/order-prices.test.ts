import { eq } from 'drizzle-orm'
import { companies, orderItems, users } from '../../src/database/schema/index.ts'
import { browserTest, type OpenCabinet, overflow, type Page, type Test, violations, waitUntil } from '../support/browser.ts'
import { grant } from '../support/cast.ts'
import { insertOrder, linesOf, orderOf, statusId } from '../support/orders.ts'
import { dayIn, insertProduct, useCatalog } from '../support/products.ts'

const words = {
  'en-GB': {
    limit: 'You may give up to 10%.',
    agreed: 'Agreed discount',
    question: /for 900,00 ₽ and costs 1 164,00 ₽ today/,
    answers: ['Not selected', 'Prices of today', 'Prices as written'],
  },
  'ru-RU': {
    limit: 'Вы можете дать скидку не больше 10 %.',
    agreed: 'Согласованная скидка',
    question: /при оформлении он стоил 900,00 ₽, сегодня стоит 1 164,00 ₽/,
    answers: ['Не выбрано', 'Сегодняшние цены', 'Цены, записанные в заказе'],
  },
}

type Locale = keyof typeof words

/** An order of a handle at 900, written twenty days ago; it costs Alpha 1 164 today. Maria may give 10 %. */
function writeOrder(cabinet: OpenCabinet): number {
  const { db, cast } = cabinet
  useCatalog(db)
  db.update(companies).set({ discount: 3 }).where(eq(companies.id, cast.companies.alpha)).run()
  db.update(users).set({ discount_limit: 10 }).where(eq(users.id, cast.maria)).run()
  grant(db, cast.maria, 'order_can_edit', 'order_can_view')
  const product_id = insertProduct(db, { article: 'H-7', name: 'Handle', category_id: cast.category }, [
    [dayIn(-60), 100_000],
    [dayIn(-1), 120_000],
  ])
  const order_id = insertOrder(cabinet, 'new', { dealer_id: cast.denis, company_id: cast.companies.alpha, cost: 90_000 })
  const product = { product_id, article: 'H-7', name: 'Handle', unit: 'pcs', basis: 'each', category_id: cast.category } as const
  const price = { quantity: 1, price: 100_000, discount: 10, piece_price: 90_000, price_origin: 'base', priced_on: dayIn(-20) } as const
  db.insert(orderItems)
    .values({ order_id, ...product, ...price })
    .run()
  return order_id
}

const shownText = async (page: Page, selector: string) => (await page.locator(selector).first().innerText()).replace(/\s+/g, ' ')

const total = (page: Page, kopecks: number) =>
  waitUntil(async () => (await page.locator('#total').getAttribute('data-kopecks')) === String(kopecks))

async function save(page: Page): Promise<void> {
  await page.locator('.save-bar .btn-primary').click()
}

async function agree(t: Test, cabinet: OpenCabinet, locale: Locale): Promise<void> {
  cabinet.provoked.push(/^422 /)
  const order = writeOrder(cabinet)
  const page = await cabinet.pageOf('maria', { locale })
  await page.goto(`/orders/edit/${order}`)
  t.ok(await total(page, 90_000))
  await page.locator('.line-agreed summary').first().click()
  const agreed = page.locator('[name$="[agreed]"]').first()
  await agreed.fill('12')
  await page.locator('.line-price .field-error').waitFor()
  t.equal(await shownText(page, '.line-price .field-error'), words[locale].limit)
  await agreed.fill('5')
  t.ok(await total(page, 114_000), 'the total follows while typing')
  const without = page.waitForResponse(/\/price\?/)
  await agreed.fill('')
  await without
  await page.locator('.is-folded > summary').first().click()
  await page.locator('#agreed').fill('3')
  t.ok(await total(page, 116_400), 'also what is agreed for the whole order')
  await page.locator('#agreed').fill('')
  await agreed.fill('5')
  t.ok(await total(page, 114_000))
  await page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
  t.same(await violations(page), [])
  await save(page)
  await page.locator('#agreed_reason-error').waitFor()
  t.equal(await agreed.inputValue(), '5', 'what was typed is kept')
  await page.locator('[name=agreed_reason]').fill('A large order')
  await save(page)
  await page
    .getByRole('status')
    .filter({ hasText: String(order) })
    .first()
    .waitFor()
  t.match(linesOf(cabinet.db, order), [{ discount: 5, piece_price: 114_000, agreed_reason: 'A large order' }])
  await page.goto(`/orders/${order}`)
  t.notOk((await shownText(page, '.order-lines')).includes(words[locale].agreed), 'how a price came about is shown to whoever asks')
  await page.locator('.line-terms summary').click()
  t.ok((await shownText(page, '.order-lines')).includes(words[locale].agreed))
}

async function renew(t: Test, cabinet: OpenCabinet, locale: Locale): Promise<void> {
  cabinet.provoked.push(/^422 .*transition/)
  const order = writeOrder(cabinet)
  const page = await cabinet.pageOf('maria', { locale, viewport: { width: 390, height: 844 } })
  await page.goto(`/orders/${order}`)
  await page.locator('[data-htmx-powered]').first().waitFor({ state: 'attached' })
  await page.locator('.order-steps .btn').first().click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('[name=prices]').waitFor()
  t.match((await dialog.innerText()).replace(/\s+/g, ' '), words[locale].question)
  t.same(await dialog.locator('[name=prices] option').allInnerTexts(), words[locale].answers)
  t.equal(await overflow(page), 0)
  await dialog.locator('[name=note]').fill('As agreed')
  await dialog.locator('.btn-primary').click()
  await dialog.locator('#prices-error').waitFor()
  t.equal(await dialog.locator('[name=note]').inputValue(), 'As agreed')
  t.equal(orderOf(cabinet.db, order).status_id, statusId('new'))
  await dialog.locator('[name=prices]').selectOption('renew')
  await dialog.locator('.btn-primary').click()
  await page
    .getByRole('status')
    .filter({ hasText: String(order) })
    .first()
    .waitFor()
  t.match(orderOf(cabinet.db, order), { status_id: statusId('apply'), cost: 116_400 })
}

browserTest('a manager gives an agreed discount up to their limit and says why', (t, cabinet) => agree(t, cabinet, 'en-GB'))

browserTest('a step out of the first status asks which prices apply', (t, cabinet) => renew(t, cabinet, 'ru-RU'))

browserTest('without scripts staff keep the prices as written', async (t, cabinet) => {
  const order = writeOrder(cabinet)
  const page = await cabinet.pageOf('maria', { javaScriptEnabled: false })
  await page.goto(`/orders/${order}`)
  await page.locator('.order-steps .btn').first().click()
  await page.locator('[name=prices]').selectOption('keep')
  await page.locator('#step .save-bar .btn-primary').click()
  await page
    .getByRole('status')
    .filter({ hasText: String(order) })
    .first()
    .waitFor()
  t.match(orderOf(cabinet.db, order), { status_id: statusId('apply'), cost: 90_000 })
  t.match(linesOf(cabinet.db, order), [{ piece_price: 90_000 }])
})
