import { orders } from '../../src/database/schema/index.ts'
import { browserTest, type OpenCabinet, type Page, waitUntil } from '../support/browser.ts'
import { checkLooks } from '../support/looks.ts'
import { insertOrder, linesOf, orderOf } from '../support/orders.ts'
import { insertProduct, useCatalog } from '../support/products.ts'

function placeOrder(cabinet: OpenCabinet): number {
  const { cast, db } = cabinet
  db.update(orders).set({ specification_number: 16 }).run()
  return insertOrder(cabinet, 'new', { dealer_id: cast.denis, company_id: cast.companies.alpha, receiver: 'Anna' })
}

const focused = (page: Page, selector: string) =>
  waitUntil(() => page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`))

browserTest('a section is edited over the page by keyboard; what is wrong stands there; saved, the page shows it', async (t, cabinet) => {
  cabinet.provoked.push(/^422 .*edit\/customer/)
  const { db } = cabinet
  const [order, other] = [placeOrder(cabinet), placeOrder(cabinet)]
  const page = await cabinet.pageOf('maria')
  await page.goto(`/orders/${order}`)
  await page.locator('#text').fill('A message that is not sent yet')
  await page.getByRole('link', { name: 'Edit: Customer' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Customer' })
  await dialog.waitFor()
  t.ok(await focused(page, 'dialog #receiver'), 'the keyboard is at the first field')
  await checkLooks(t, page, 'the dialog of the customer')

  await dialog.getByLabel('Customer full name').fill('Boris')
  await dialog.getByLabel('Email').fill('nobody')
  await page.keyboard.press('Enter')
  await dialog.locator('#email-error').waitFor()
  t.ok(await focused(page, 'dialog #email'), 'the keyboard is at what is wrong')
  t.equal(await dialog.getByLabel('Customer full name').inputValue(), 'Boris')
  t.equal(orderOf(db, order).receiver, 'Anna')
  await checkLooks(t, page, 'the dialog of the customer with an error')

  await dialog.getByLabel('Email').fill('boris@example.com')
  await page.keyboard.press('Enter')
  await page.getByText(`Customer, order #${order} saved`).waitFor()
  await dialog.waitFor({ state: 'hidden' })
  t.ok(await focused(page, '#edit-customer'), 'the keyboard is back at the section')
  await page.locator('.order-properties', { hasText: 'Boris' }).waitFor()
  t.equal(await page.locator('#text').inputValue(), 'A message that is not sent yet')
  t.match(orderOf(db, order), { receiver: 'Boris', email: 'boris@example.com' })
  t.equal(orderOf(db, other).receiver, 'Anna')

  await page.getByRole('link', { name: 'Edit: Production and dates' }).click()
  const dates = page.getByRole('dialog', { name: 'Production and dates' })
  await dates.locator('#date_make[type=text]').waitFor()
  await dates.getByLabel('Production date', { exact: true }).fill('16.12.2031')
  await dates.getByLabel('Reason').fill('Glass arrives late')
  await dates.getByRole('button', { name: 'Save' }).click()
  await page.locator('#timeline', { hasText: 'Glass arrives late' }).waitFor()
  t.equal(orderOf(db, order).date_make, '2031-12-16')

  await page.getByRole('link', { name: 'Edit: Delivery and payment' }).click()
  await page.getByRole('dialog').getByLabel('Delivery method').selectOption('address')
  await page.getByRole('dialog').getByLabel('Address', { exact: true }).fill('Nowhere')
  await page.keyboard.press('Escape')
  await page.getByText('Not saved. Press Esc again to discard.').waitFor()
  t.equal(await page.getByRole('dialog').getByLabel('Address', { exact: true }).inputValue(), 'Nowhere', 'one key throws nothing away')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  t.ok(await focused(page, '#edit-delivery'))
  await page.goto('/orders')
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  t.equal(orderOf(db, order).address, null)
})

/** Prices are answered once the returned function is called. */
async function holdPrices(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/orders/add/price*', async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

browserTest('a key opens the lines, which are priced while they are typed, added and saved over the page', async (t, cabinet) => {
  cabinet.provoked.push(/^422 .*edit\/lines/)
  const { cast, db } = cabinet
  const sized = { category_id: cast.category, basis: 'area', unit: 'm2', width_min: 400, width_max: 2400 } as const
  const window = insertProduct(db, { article: 'W-1', ...sized }, [['2026-01-01', 1000_00]])
  const door = insertProduct(db, { article: 'D-1', category_id: cast.category }, [['2026-01-01', 500_00]])
  useCatalog(db)
  const order = placeOrder(cabinet)
  const page = await cabinet.pageOf('denis')
  await page.goto(`/orders/${order}`)
  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog', { name: 'Order lines' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  t.ok(await focused(page, '#edit-lines'), 'the keyboard is where the key has been')
  await page.keyboard.press('e')
  await dialog.waitFor()
  const choose = (row: number, product: number) => dialog.locator(`[name="items[${row}][product_id]"]`).selectOption(String(product))
  await dialog.getByRole('button', { name: 'Add line' }).click()
  await dialog.locator('.repeater-row').first().waitFor()
  await choose(0, window)
  await dialog.getByLabel('Width, mm').fill('2000')
  await dialog.getByLabel('Height, mm').fill('1000')
  t.ok(await waitUntil(async () => (await dialog.locator('#total').getAttribute('data-kopecks')) === '200000'), 'the total follows')
  await dialog.getByRole('button', { name: 'Add line' }).click()
  await dialog.locator('.repeater-row').nth(1).waitFor()
  await choose(1, door)
  await dialog.getByLabel('Width, mm').fill('')
  await dialog.getByLabel('Quantity').nth(1).fill('0')
  const priced = page.waitForResponse((answer) => answer.url().includes('/orders/add/price'))
  const release = await holdPrices(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.locator('[id="items.1.quantity-error"]').waitFor()
  release()
  await priced
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  t.ok(await dialog.locator('[id="items.0.width-error"]').isVisible(), 'prices that come late leave what is wrong where it is')
  t.equal(linesOf(db, order).length, 0)
  await checkLooks(t, page, 'the dialog of the lines with an error')
  await dialog.getByLabel('Width, mm').fill('2000')
  await dialog.getByLabel('Quantity').nth(1).fill('2')
  t.ok(await waitUntil(async () => (await dialog.locator('#total').getAttribute('data-kopecks')) === '300000'))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText(`Order lines, order #${order} saved`).waitFor()
  t.ok(await focused(page, '#edit-lines'))
  t.equal(await page.locator('.order-total-row td').getAttribute('data-kopecks'), '300000')
  t.match(linesOf(db, order), [
    { product_id: window, width: 2000, quantity: 1 },
    { product_id: door, quantity: 2 },
  ])
})

browserTest('without JavaScript a section is a page, and leads back to where it stands', async (t, cabinet) => {
  const { db } = cabinet
  cabinet.provoked.push(/^422 .*edit\/customer/)
  const order = placeOrder(cabinet)
  const page = await cabinet.pageOf('denis', { javaScriptEnabled: false })
  await page.goto(`/orders/${order}?back=%3Fq%3DAnna`)
  await page.getByRole('link', { name: 'Edit: Customer' }).click()
  await page.getByRole('heading', { name: 'Customer' }).waitFor()
  await page.getByLabel('Email').fill('nobody')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#email-error').waitFor()
  await page.getByLabel('Email').fill('anna@example.com')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(`Customer, order #${order} saved`).waitFor()
  t.match(page.url(), new RegExp(`/orders/${order}\\?back=%3Fq%3DAnna#edit-customer$`))
  t.equal(orderOf(db, order).email, 'anna@example.com')
  await page.getByRole('link', { name: 'Edit: Customer' }).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('heading', { name: `Order #${order}` }).waitFor()
})

browserTest('a section that two people change shows both sides over the page', async (t, cabinet) => {
  cabinet.provoked.push(/^409 .*edit\/customer/)
  const { db, as } = cabinet
  const order = placeOrder(cabinet)
  const page = await cabinet.pageOf('maria')
  await page.goto(`/orders/${order}`)
  await page.getByRole('link', { name: 'Edit: Customer' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Customer full name').fill('Boris')
  await (await as('denis')).post(`/orders/${order}/edit/customer`, { receiver: 'Clara' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Nothing has been saved yet').waitFor()
  t.equal(await dialog.getByLabel('Customer full name').inputValue(), 'Boris')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  t.equal(orderOf(db, order).receiver, 'Boris')
})
