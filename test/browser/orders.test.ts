import { eq } from 'drizzle-orm'
import t from 'tap'
import { categories, categoryCompany, companies, orderItems, orders } from '../../src/database/schema/index.ts'
import { browserTest, eventually, type OpenCabinet, type Page, type Test, violations } from '../support/browser.ts'

t.setTimeout(120_000)

/** Alpha gets 10 % off, 15 % off windows. */
function plantShop({ db, cast }: OpenCabinet): void {
  db.insert(categories).values({ name: 'Doors', search: 'doors' }).run()
  db.update(companies).set({ discount: 10 }).where(eq(companies.id, cast.companies.alpha)).run()
  db.insert(categoryCompany).values({ company_id: cast.companies.alpha, category_id: cast.category, discount: 15 }).run()
}

const part = (page: Page, index: number, name: string) => page.locator(`[name="items[${index}][${name}]"]`)

async function fillLine(page: Page, index: number, category: string, quantity: string, price: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a row' }).click()
  await part(page, index, 'category_id').selectOption({ label: category })
  await part(page, index, 'name').fill(`${category} ${index}`)
  await part(page, index, 'quantity').fill(quantity)
  await part(page, index, 'price').fill(price)
}

const shows = (page: Page, id: string, kopecks: number) =>
  eventually(async () => (await page.locator(`[id="${id}"]`).getAttribute('data-kopecks')) === String(kopecks))

/** The saved order is the same as the one that was seen being written. */
async function checkSaved(t: Test, { db, cast }: OpenCabinet, page: Page): Promise<void> {
  await page.getByRole('status').filter({ hasText: 'The order has been placed' }).waitFor()
  const id = Number(/edit\/(\d+)/.exec(page.url())?.[1])
  t.match(db.select().from(orders).where(eq(orders.id, id)).get(), { dealer_id: cast.denis, cost: 345_252, receiver: 'Klient' })
  const lines = db.select().from(orderItems).where(eq(orderItems.order_id, id)).all()
  t.match(lines, [
    { discount: 15, price: 100_099 },
    { discount: 10, price: 100_000 },
  ])
  t.ok(await shows(page, 'cost', 345_252))
}

browserTest('a manager orders for a dealer, with JavaScript', async (t, cabinet) => {
  plantShop(cabinet)
  const page = await cabinet.pageOf('maria')
  await page.goto('/orders/add')
  await fillLine(page, 0, 'Windows', '3', '1000,99')
  t.ok(await shows(page, 'total', 300_297), 'without a dealer there is no discount')
  await page.locator('.ts-control').first().click()
  await page.keyboard.type('denisov alpha')
  await page.getByRole('listbox', { name: 'Dealer' }).getByRole('option', { name: 'Denisov Denis' }).click()
  t.ok(await shows(page, 'items.0.sum', 255_252), 'the dealer brings the discounts of their company')
  await fillLine(page, 1, 'Doors', '1', '1 000')
  t.ok(await shows(page, 'total', 345_252))
  await fillLine(page, 2, 'Doors', '7', 'nonsense')
  t.ok(await shows(page, 'total', 345_252), 'what is no price costs nothing')
  await page.getByRole('button', { name: 'Remove the row' }).last().click()
  await page.locator('[name=receiver]').fill('Klient')
  t.ok(await page.getByText('There are unsaved changes').isVisible())
  t.same(await violations(page), [])
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await checkSaved(t, cabinet, page)
  t.same(await violations(page), [])
})

browserTest('a manager orders for a dealer, without JavaScript', async (t, cabinet) => {
  plantShop(cabinet)
  const page = await cabinet.pageOf('maria', { javaScriptEnabled: false })
  await page.goto('/orders/add')
  await page.getByRole('searchbox', { name: 'Dealer' }).fill('denisov alpha')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.locator('select[name=dealer_id]').selectOption({ label: 'Denisov Denis · Alpha Windows' })
  await fillLine(page, 0, 'Windows', '3', '1000,99')
  await fillLine(page, 1, 'Doors', '1', '1 000')
  t.ok(await shows(page, 'total', 255_252), 'the server has counted what was typed before the row came')
  await page.locator('[name=receiver]').fill('Klient')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await checkSaved(t, cabinet, page)
})
