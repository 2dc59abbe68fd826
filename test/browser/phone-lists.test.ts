import { eq } from 'drizzle-orm'
import { orderDrafts, orders } from '../../src/database/index.ts'
import { browserTest } from '../support/browser.ts'
import { insertPayment, payOrder } from '../support/ledger.ts'
import { setOrder } from '../support/orders.ts'

const phone = { viewport: { width: 390, height: 844 } }

browserTest(
  'on a phone a row leads to its person wherever it is touched, without JavaScript, too; box and switch stay themselves',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('root', { ...phone, javaScriptEnabled: false })
    await page.goto('/dealers')
    const row = page.locator(`#dealers-${cabinet.cast.denis}`)
    const { width, height } = (await row.boundingBox()) as { width: number; height: number }
    const touched = async (x: number, y: number) => {
      const box = (await row.boundingBox()) as { x: number; y: number }
      return page.evaluate<string>(`document.elementFromPoint(${box.x + x}, ${box.y + y}).closest('a, input, button, label').className`)
    }
    await row.scrollIntoViewIfNeeded()
    for (const y of [4, height / 2, height - 4]) t.match(await touched(width / 2, y), 'row-link')
    t.notMatch(await touched(26, 32), 'row-link', 'the box')
    t.notMatch(await touched(width - 80, 32), 'row-link', 'the switch')
    await page.mouse.click(width / 2, ((await row.boundingBox()) as { y: number }).y + height - 4)
    await page.waitForURL(`**/dealers/edit/${cabinet.cast.denis}**`)
  },
)

browserTest('on a phone payments tell their day, and dealers, whose rows name no company, how was paid', async (t, cabinet) => {
  insertPayment(cabinet.db, cabinet.cast.order, { date: '2026-01-15', kind: 'cash' })
  const shown = async (name: 'denis' | 'root') => {
    const page = await cabinet.pageOf(name, phone)
    await page.goto('/payments')
    const columns = ['company', 'date', 'kind', 'reporter'].map((key) => page.locator(`#payments-table td[data-col=${key}]`))
    return Promise.all(columns.map((column) => column.isVisible()))
  }
  t.same(await shown('denis'), [false, true, true, false])
  t.same(await shown('root'), [true, true, false, false])
})

browserTest('on a phone the title of a list stays whole beside what its company has', async (t, cabinet) => {
  payOrder(cabinet.db, cabinet.cast.order, 500_115_00)
  const page = await cabinet.pageOf('denis', { ...phone, locale: 'ru-RU' })
  for (const path of ['/payments', '/ledger']) {
    await page.goto(path)
    const title = page.getByRole('heading', { level: 1 })
    t.match(await page.locator('.page-header').innerText(), '500\u00a0115,00')
    const { height } = (await title.boundingBox()) as { height: number }
    t.equal(height, 44, `${path}: it is one line`)
    t.ok(await title.evaluate((heading) => heading.scrollWidth <= heading.clientWidth), `${path}: which has the room that it takes`)
  }
})

browserTest('on a phone a payment that waits has its menu in the corner, over nothing', async (t, cabinet) => {
  insertPayment(cabinet.db, cabinet.cast.order)
  const page = await cabinet.pageOf('root', { ...phone, locale: 'ru-RU' })
  await page.goto('/payments')
  type Box = { x: number; y: number; width: number; height: number }
  const placeOf = async (selector: string) => (await page.locator(`#payments-table tbody ${selector}`).first().boundingBox()) as Box
  const meet = (a: Box, b: Box) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
  const menu = await placeOf('.row-menu')
  for (const part of ['.order-status', 'td[data-col=company]', 'td[data-col=amount]'])
    t.notOk(meet(menu, await placeOf(part)), `not over ${part}`)
})

browserTest('on a phone staff are listed by their names, and orders of a company say whose they are', async (t, cabinet) => {
  const { order, companies, maria } = cabinet.cast
  setOrder(cabinet, 'new', { cost: 100_000 })
  const page = await cabinet.pageOf('root', phone)
  const placeOf = async (selector: string) =>
    (await page.locator(selector).boundingBox()) as { x: number; y: number; width: number; height: number }
  await page.goto('/managers')
  const [name, lastname, email] = [
    await placeOf(`#managers-${maria} [data-col=name]`),
    await placeOf(`#managers-${maria} [data-col=lastname]`),
    await placeOf(`#managers-${maria} [data-col=email]`),
  ]
  t.ok(Math.abs(name.y - lastname.y) < 4 && name.y + name.height <= email.y + 2, JSON.stringify([name, lastname, email]))

  await page.goto('/dealers')
  const dealerRow = `#dealers-${cabinet.cast.denis}`
  const [first, last] = [await placeOf(`${dealerRow} [data-col=name]`), await placeOf(`${dealerRow} [data-col=lastname]`)]
  t.ok(Math.abs(first.y - last.y) < 4 && first.height < 40, `the name of a dealer is one line: ${JSON.stringify([first, last])}`)

  await page.goto(`/company/edit/${companies.alpha}?tab=orders`)
  const [id, dealer] = [await placeOf(`#orders-${order} [data-col=id]`), await placeOf(`#orders-${order} [data-col=dealer]`)]
  t.ok(id.y + id.height <= dealer.y, 'below the number')
  const [search, button] = [await placeOf('.list-search'), await placeOf('.list-tools-button')]
  const centers = [search, button].map(({ y, height }) => y + height / 2) as [number, number]
  t.ok(Math.abs(centers[0] - centers[1]) < 8, `search and tools share a row in a card, too: ${JSON.stringify([search, button])}`)

  await page.goto(`/managers/edit/${maria}?tab=rights`)
  const [choice, below] = [await placeOf('#rights-category'), await placeOf('.list-search + *')]
  t.ok(choice.x + choice.width <= 390 && choice.y + choice.height <= below.y, 'a choice beside a search takes a row of its own')

  await page.goto('/orders')
  const [company, ofCompany, cost] = await Promise.all(
    ['company', 'dealer', 'cost'].map((key) => placeOf(`#orders-${order} [data-col=${key}]`)),
  )
  t.ok(company && ofCompany && cost && company.y + company.height <= ofCompany.y, 'below the name of the company')
  t.ok(ofCompany && cost && Math.abs(ofCompany.y - cost.y) < 6 && ofCompany.x + ofCompany.width <= cost.x, 'beside the cost')
})

browserTest('on a phone what adds to a list stands beside its title', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { ...phone, locale: 'ru-RU' })
  for (const list of ['admins', 'productions', 'manufactures']) {
    await page.goto(`/${list}`)
    const [title, add] = [page.locator('h1'), page.locator('.page-actions > .btn-primary')]
    const topOf = async (one: typeof add) => (await one.boundingBox())?.y ?? 0
    t.ok((await topOf(add)) - (await topOf(title)) < 20, `/${list}`)
  }
})

browserTest('on a phone of 360 px the head of orders has all it offers in sight, drafts a line below', async (t, cabinet) => {
  const draft = { user_id: cabinet.cast.denis, fields: [], created_at: 1, opened_at: Date.now() }
  cabinet.db.insert(orderDrafts).values([draft, draft]).run()
  const page = await cabinet.pageOf('denis', { viewport: { width: 360, height: 740 }, locale: 'ru-RU' })
  await page.goto('/orders')
  const boxes = await Promise.all((await page.locator('.page-header :is(h1, a)').all()).map((one) => one.boundingBox()))
  t.equal(boxes.length, 4, 'title, board, drafts and what adds')
  for (const box of boxes) t.ok(box && box.x >= 0 && box.x + box.width <= 360, 'within the screen')
  const topOf = async (selector: string) => (await page.locator(`.page-header ${selector}`).boundingBox())?.y ?? 0
  t.ok((await topOf('.btn-primary')) - (await topOf('h1')) < 20, 'what adds stands beside the title')
  t.ok((await topOf('.own-drafts')) - (await topOf('h1')) >= 44, 'drafts below it')
})

browserTest('on a phone the cost ends the row of an order, below its customer, whatever columns were chosen', async (t, cabinet) => {
  const { order, denis } = cabinet.cast
  cabinet.db.update(orders).set({ cost: 11_632_50, receiver: 'Ершова Софья', dealer_id: denis }).where(eq(orders.id, order)).run()
  const page = await cabinet.pageOf('denis', { ...phone, locale: 'ru-RU' })
  for (const cols of ['', 'company']) {
    await page.goto(`/orders?cols=${cols}`)
    const placeOf = (key: string) => page.locator(`#orders-${order} td[data-col=${key}]`).boundingBox()
    const [receiver, cost, row] = [await placeOf('receiver'), await placeOf('cost'), await page.locator(`#orders-${order}`).boundingBox()]
    t.ok(receiver && cost && row && receiver.y + receiver.height <= cost.y, `below, with ${cols}`)
    t.ok(cost && row && row.x + row.width - cost.x - cost.width < 48, `at the end, with ${cols}`)
  }
})
