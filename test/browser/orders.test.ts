import { eq } from 'drizzle-orm'
import { categories, categoryCompany, companies, orderItems, orders, users } from '../../src/database/schema/index.ts'
import { browserTest, type OpenCabinet, type Page, type Test, violations, waitUntil } from '../support/browser.ts'
import { statusId } from '../support/orders.ts'

/** Alpha gets 10 % off, 15 % off windows, and so many dealers that one searches for them. */
function plantShop({ db, cast }: OpenCabinet): void {
  for (let number = 1; number <= 25; number++)
    db.insert(users)
      .values({
        ...{ group_id: 2, email: `colleague${number}@example.com`, password: '-', name: 'Colleague', lastname: `Of ${number}` },
        ...{ company_id: cast.companies.alpha, manager_id: cast.maria, search: `of ${number} colleague` },
      })
      .run()
  db.insert(categories).values({ name: 'Doors', search: 'doors' }).run()
  db.update(companies).set({ discount: 10 }).where(eq(companies.id, cast.companies.alpha)).run()
  db.insert(categoryCompany).values({ company_id: cast.companies.alpha, category_id: cast.category, discount: 15 }).run()
}

const part = (page: Page, index: number, name: string) => page.locator(`[name="items[${index}][${name}]"]`)

async function fillLine(page: Page, index: number, category: string, quantity: string, price: string): Promise<void> {
  if (index > 0) await page.getByRole('button', { name: 'Add line' }).click()
  await part(page, index, 'category_id').selectOption({ label: category })
  await part(page, index, 'name').fill(`${category} ${index}`)
  await part(page, index, 'quantity').fill(quantity)
  await part(page, index, 'price').fill(price)
}

const shows = (page: Page, id: string, kopecks: number) =>
  waitUntil(async () => (await page.locator(`[id="${id}"]`).getAttribute('data-kopecks')) === String(kopecks))

/** The saved order is the same as the one that was seen being written. */
async function checkSaved(t: Test, { db, cast }: OpenCabinet, page: Page): Promise<void> {
  await page.getByRole('status').filter({ hasText: ' placed' }).waitFor()
  const id = Number(/orders\/(\d+)/.exec(page.url())?.[1])
  t.match(db.select().from(orders).where(eq(orders.id, id)).get(), { dealer_id: cast.denis, cost: 345_252, receiver: 'Klient' })
  const lines = db.select().from(orderItems).where(eq(orderItems.order_id, id)).all()
  t.match(lines, [
    { discount: 15, price: 100_099 },
    { discount: 10, price: 100_000 },
  ])
  t.ok(await shows(page, 'left', 345_252))
}

browserTest('a manager places an order for a dealer, with JavaScript', async (t, cabinet) => {
  plantShop(cabinet)
  const page = await cabinet.pageOf('maria')
  await page.goto('/orders/add')
  await fillLine(page, 0, 'Windows', '3', '1000,99')
  t.ok(await shows(page, 'total', 300_297), 'without a dealer there is no discount')
  await page.locator('.ts-control').first().click()
  const answered = page.waitForResponse(/\/orders\/dealers\?.*q=denisov\+alpha$/)
  await page.locator('.dropdown-input:visible').fill('denisov alpha')
  await answered
  await page.getByRole('listbox', { name: 'Dealer' }).getByRole('option', { name: 'Denisov Denis' }).click()
  t.ok(await shows(page, 'items.0.sum', 255_252), 'the dealer brings the discounts of their company')
  await fillLine(page, 1, 'Doors', '1', '1 000')
  t.ok(await shows(page, 'total', 345_252))
  await fillLine(page, 2, 'Doors', '7', 'nonsense')
  t.ok(await shows(page, 'total', 345_252), 'what is no price costs nothing')
  await part(page, 2, 'price').fill('10')
  await part(page, 2, 'quantity').fill('10000')
  t.ok(await shows(page, 'items.2.sum', 9_000_000), 'ten thousand can be ordered')
  for (const [quantity, why] of [
    ['0', 'none'],
    ['10001', 'more'],
  ] as const) {
    await part(page, 2, 'quantity').fill(quantity)
    t.ok(await waitUntil(async () => (await page.locator('[id="items.2.sum"]').innerText()) === '—'), `${why} cannot`)
    t.ok(await shows(page, 'total', 345_252))
  }
  await page.getByRole('button', { name: 'Remove line' }).last().click()
  const remaining = page.getByRole('button', { name: 'Remove line' })
  t.equal(await remaining.count(), 2)
  t.ok(await remaining.last().evaluate((button) => button.matches(':focus')), 'the keyboard goes on at the line before')
  await page.locator('[name=receiver]').fill('Klient')
  await page.getByText(/Draft saved at \d/).waitFor()
  t.same(await violations(page), [])
  await page.getByRole('button', { name: 'Place order', exact: true }).click()
  await checkSaved(t, cabinet, page)

  cabinet.db.update(categoryCompany).set({ discount: 20 }).run()
  await page.goto(page.url().replace('/orders/', '/orders/edit/'))
  const shownDiscount = async () => (await page.locator('[id="items.0.discount"]').innerText()).replace(/\s/g, ' ')
  const ofCategory = async (label: string, discount: string) => {
    await part(page, 0, 'category_id').selectOption({ label })
    t.ok(await waitUntil(async () => (await shownDiscount()) === discount), `${label}: ${await shownDiscount()}`)
  }
  t.equal(await shownDiscount(), '15%', 'an order keeps its discount')
  await ofCategory('Doors', '10%')
  await ofCategory('Windows', '15%')
})

browserTest('a manager places an order for a dealer, without JavaScript', async (t, cabinet) => {
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
  await page.getByRole('button', { name: 'Place order', exact: true }).click()
  await checkSaved(t, cabinet, page)
})

/** Brings the order of the cast into production at Pavel's site, with all but the date of its delivery. */
function putIntoProduction({ db, cast, provoked }: OpenCabinet): void {
  provoked.push(/^422 .*transition/)
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
  db.update(orders).set({ status_id: 5, receiver: 'Anna', phone: '1', address: 'Here' }).where(eq(orders.id, cast.order)).run()
}

browserTest('an order is moved by mouse and by keyboard, with required fields, and each step is shown', async (t, cabinet) => {
  const { cast, db, pageOf } = cabinet
  const statusOf = () => db.select().from(orders).where(eq(orders.id, cast.order)).get()?.status_id
  const denis = await pageOf('denis')
  await denis.goto(`/orders/edit/${cast.order}`)
  await denis.locator('.order-transitions > summary').click()
  await denis.getByRole('button', { name: 'Send for signing' }).click()
  t.ok(await waitUntil(async () => statusOf() === 2))
  await denis.locator('.current-status', { hasText: 'Awaiting signing' }).waitFor()
  const told = denis.getByRole('status').filter({ hasText: `Order #${cast.order} moved to Awaiting signing` })
  t.equal(await told.count(), 1, 'it is said')
  t.ok(
    await waitUntil(() => denis.evaluate<boolean>("document.activeElement.matches('.order-transitions')")),
    'and the keyboard goes on there',
  )
  const closed = denis.getByRole('button', { name: 'Request payment' })
  t.ok(await closed.isDisabled())
  t.match(await denis.locator(`#${await closed.getAttribute('aria-describedby')}`).textContent(), "the company's manager")
  t.same(await violations(denis), [])
  await denis.getByRole('link', { name: 'History' }).click()
  await denis.locator('[data-transition]', { hasText: 'New' }).waitFor()
  t.equal(await told.count(), 0, 'what was said of another state is gone')

  putIntoProduction(cabinet)
  const pavel = await pageOf('pavel', { viewport: { width: 375, height: 800 } })
  await pavel.goto(`/orders/edit/${cast.order}`)
  await pavel.locator('.order-transitions > summary').click()
  await pavel.getByRole('button', { name: 'Hand over for delivery', exact: true }).focus()
  await pavel.keyboard.press('Enter')
  const date = pavel.locator('.transition-form [name=date_delivery]')
  await date.waitFor()
  t.equal(await date.getAttribute('aria-invalid'), 'true')
  t.equal(await pavel.locator('.is-unsaved').count(), 0, 'who has typed nothing yet loses nothing')
  t.ok(await waitUntil(async () => (await pavel.evaluate('document.activeElement?.name')) === 'date_delivery'), 'work goes on at the field')
  t.same(await violations(pavel), [])
  await pavel.keyboard.type('01122026')
  await pavel.keyboard.press('Enter')
  await pavel.locator('.current-status', { hasText: 'Delivery' }).waitFor()
  t.equal(statusOf(), 6)
  t.equal(db.select().from(orders).where(eq(orders.id, cast.order)).get()?.date_delivery, '2026-12-01')
})

browserTest('an order is moved without JavaScript', async (t, cabinet) => {
  const { cast, db, pageOf } = cabinet
  putIntoProduction(cabinet)
  const page = await pageOf('pavel', { javaScriptEnabled: false })
  await page.goto(`/orders/edit/${cast.order}`)
  await page.locator('.order-transitions > summary').click()
  await page.getByRole('button', { name: 'Hand over for delivery', exact: true }).click()
  await page.locator('[name=date_delivery]').fill('2026-12-01')
  await page.getByRole('button', { name: 'Hand over for delivery', exact: true }).last().click()
  await page
    .getByRole('status')
    .filter({ hasText: `Order #${cast.order} moved to Delivery` })
    .waitFor()
  t.equal(db.select().from(orders).where(eq(orders.id, cast.order)).get()?.status_id, 6)
})

browserTest('a transition, also a final or an assigned one, asks before it discards unsaved changes', async (t, cabinet) => {
  const { cast, db, pageOf } = cabinet
  const ways = [
    { from: statusId('production'), press: 'Hand over for delivery', follows: '.transition-form [name=date_delivery]' },
    { from: statusId('install'), press: 'Complete order', follows: 'text=This is a final status' },
    { from: null, press: 'Assign status', follows: '.transitions' },
  ]
  for (const { from, press, follows } of ways) {
    putIntoProduction(cabinet)
    db.update(orders).set({ status_id: from }).where(eq(orders.id, cast.order)).run()
    const statusOf = () => db.select().from(orders).where(eq(orders.id, cast.order)).get()?.status_id
    const page = await pageOf('root')
    const asked: string[] = []
    let leave = false
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      return leave ? dialog.accept() : dialog.dismiss()
    })
    await page.goto(`/orders/edit/${cast.order}`)
    await page.locator('[name=receiver]').fill('Somebody else')
    if (from) await page.locator('.order-transitions > summary').click()
    await page.getByRole('button', { name: press, exact: true }).click()
    t.ok(await waitUntil(async () => asked.length === 1), `${press}: it asks`)
    t.equal(await page.locator('[name=receiver]').inputValue(), 'Somebody else', `${press}: what was typed is still there`)
    t.equal(statusOf(), from, `${press}: nothing has moved`)

    leave = true
    await page.getByRole('button', { name: press, exact: true }).click()
    await page.locator(follows).waitFor()
    t.same(asked, ['beforeunload', 'beforeunload'], `${press}: whoever leaves all the same goes on`)
  }
})

browserTest('an order card styled by a script can be replaced by htmx under the strict content security policy', async (_t, cabinet) => {
  const { cast, pageOf } = cabinet
  const page = await pageOf('denis')
  await page.goto(`/orders/edit/${cast.order}`)
  await page.locator('.current-status').evaluate((title) => title.style.setProperty('color', 'red'))
  await page.locator('.order-transitions > summary').click()
  await page.getByRole('button', { name: 'Send for signing' }).click()
  await page.locator('.current-status', { hasText: 'Awaiting signing' }).waitFor()
})
