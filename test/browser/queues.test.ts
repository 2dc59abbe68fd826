import { eq } from 'drizzle-orm'
import { companies, documents, orders, statuses, users } from '../../src/database/schema/index.ts'
import { browserTest, type Locator, type OpenCabinet, type Page, violations, waitUntil } from '../support/browser.ts'
import { addLine, makeIssuable } from '../support/documents.ts'
import { insertOrder, statusId } from '../support/orders.ts'

const ofAlpha = ({ cast }: OpenCabinet) => ({ dealer_id: cast.denis, company_id: cast.companies.alpha })

const statusOf = ({ db }: OpenCabinet, id: number) => db.select().from(orders).where(eq(orders.id, id)).get()?.status_id

browserTest('a manager moves ten orders in six clicks', async (t, cabinet) => {
  const ids = Array.from({ length: 10 }, () => insertOrder(cabinet, 'delivery', ofAlpha(cabinet)))
  const page = await cabinet.pageOf('maria')
  let clicks = 0
  const click = async (target: Locator) => {
    await target.click()
    clicks++
  }
  await page.goto('/')
  await click(page.getByRole('region', { name: 'Waiting for you' }).getByRole('link', { name: 'View list' }))
  await click(page.getByRole('checkbox', { name: 'Select all on this page' }))
  await page.getByText('10 selected').waitFor()
  await click(page.getByRole('button', { name: 'Move to…' }))
  const dialog = page.getByRole('dialog')
  await click(dialog.getByRole('button', { name: /Delivery\s*Installation\s*10 orders/ }))
  await dialog.getByText('10 orders will move.').waitFor()
  t.same(await violations(page), [])
  await click(dialog.getByRole('button', { name: 'Move 10 orders' }))
  await dialog.getByRole('heading', { name: '10 orders moved' }).waitFor()
  t.same(await violations(page), [])
  await click(dialog.getByRole('link', { name: 'Done' }))
  await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor()
  t.equal(clicks, 6)
  for (const id of ids) t.equal(statusOf(cabinet, id), statusId('install'), `#${id}`)
})

browserTest('a step is pressed on the home page, answered in the dialog, and taken back there', async (t, cabinet) => {
  const first = insertOrder(cabinet, 'delivery', ofAlpha(cabinet))
  const last = insertOrder(cabinet, 'install', ofAlpha(cabinet))
  const page = await cabinet.pageOf('maria')
  await page.goto('/')
  const waiting = page.getByRole('region', { name: 'Waiting for you' })
  await waiting.getByRole('button', { name: `Complete order: #${last}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('This is a final status.').waitFor()
  t.same(await violations(page), [])
  await dialog.getByRole('button', { name: 'Complete order' }).click()
  await page.getByText(`Order #${last} moved to Completed`).waitFor()
  t.equal(new URL(page.url()).pathname, '/')
  t.same([statusOf(cabinet, first), statusOf(cabinet, last)], [statusId('delivery'), statusId('completed')])
  t.same(await violations(page), [])
  await page.getByRole('button', { name: 'Undo' }).click()
  await waiting.getByRole('button', { name: `Complete order: #${last}` }).waitFor()
  t.equal(statusOf(cabinet, last), statusId('install'))
})

browserTest('ten orders are invoiced in six clicks, and nobody chooses a file', async (t, cabinet) => {
  const { db } = cabinet
  makeIssuable(cabinet)
  const ids = Array.from({ length: 10 }, () => insertOrder(cabinet, 'apply', ofAlpha(cabinet)))
  for (const id of ids) addLine(cabinet, id)
  const page = await cabinet.pageOf('maria')
  let clicks = 0
  const click = async (target: Locator) => {
    await target.click()
    clicks++
  }
  await page.goto('/')
  await click(page.getByRole('region', { name: 'Waiting for you' }).getByRole('link', { name: 'View list' }))
  await click(page.getByRole('checkbox', { name: 'Select all on this page' }))
  await page.getByText('10 selected').waitFor()
  await click(page.getByRole('button', { name: 'Move to…' }))
  const dialog = page.getByRole('dialog')
  await click(dialog.getByRole('button', { name: /Awaiting signing\s*Awaiting payment\s*10 orders/ }))
  await dialog.getByText('Issues: Specification, Invoice').waitFor()
  t.equal(await dialog.locator('input[type=file]').count(), 0)
  t.same(await violations(page), [])
  await click(dialog.getByRole('button', { name: 'Move 10 orders' }))
  await dialog.getByRole('heading', { name: '10 orders moved' }).waitFor()
  await click(dialog.getByRole('link', { name: 'Done' }))
  await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor()
  t.equal(clicks, 6)
  for (const id of ids) t.equal(statusOf(cabinet, id), statusId('payment'), `#${id}`)
  const issued = db.select().from(documents).where(eq(documents.kind, 'invoice')).orderBy(documents.id).all()
  t.same(
    issued.map(({ number, amount }) => [number, amount]),
    ids.map((_, at) => [String(at + 1), 2_000_00]),
  )
  t.same(issued.map(({ order_id }) => order_id).sort(), [...ids].sort())
})

browserTest('an administrator changes manager, company and account of ticked dealers', async (t, cabinet) => {
  const { cast, db } = cabinet
  const page = await cabinet.pageOf('root')
  await page.goto('/dealers')
  for (const id of [cast.denis, cast.vera]) await page.locator(`#dealers-${id} .row-select input`).check()
  await page.getByText('2 selected').waitFor()
  await page.getByRole('button', { name: 'Change…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('heading', { name: 'Change 2 dealers' }).waitFor()
  t.same(await violations(page), [])
  await choose(dialog, 'manager_id', 'Sidorov Mikhail')
  await choose(dialog, 'company_id', 'Alpha Windows')
  await choose(dialog, 'account', 'Deactivated')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await dialog.getByRole('heading', { name: '2 dealers changed' }).waitFor()
  await dialog.getByRole('link', { name: 'Done' }).click()
  await page.getByRole('heading', { name: 'Dealers', exact: true }).waitFor()
  const changed = { manager_id: cast.mikhail, company_id: cast.companies.alpha, active: false }
  for (const id of [cast.denis, cast.vera]) t.match(db.select().from(users).where(eq(users.id, id)).get(), changed)
})

/** An option of a field, whether it is a plain one or one that is searched. */
async function choose(dialog: Locator, name: string, option: string): Promise<void> {
  const select = dialog.locator(`select[name=${name}]`)
  if (await select.isVisible()) return void (await select.selectOption({ label: option }))
  await dialog.locator(`select[name=${name}] + .ts-wrapper .ts-control`).click()
  await dialog.locator('.dropdown-input:visible').fill(option)
  await dialog.getByRole('option', { name: option }).first().click()
}

browserTest("a caller's order is found by the phone number, with the keyboard alone", async (t, cabinet) => {
  const calling = { ...ofAlpha(cabinet), phone: '+7(912) 345 67 89' }
  insertOrder(cabinet, 'new', calling)
  const id = insertOrder(cabinet, 'paid', { ...calling, receiver: 'Anna' })
  for (const [key, address, typed, colorScheme] of [
    ['/', '/', '8 912 345-67-89', 'light'],
    ['Control+K', '/orders', '89123456789', 'dark'],
  ] as const) {
    const page = await cabinet.pageOf('maria', { colorScheme })
    await page.goto(address)
    await page.keyboard.press(key)
    const field = page.getByRole('dialog').getByRole('searchbox', { name: 'Search' })
    await field.waitFor()
    t.ok(await waitUntil(async () => (await page.evaluate('document.activeElement?.id')) === 'find-q'))
    await page.keyboard.type(typed)
    await page.locator(`[data-found="orders-${id}"] mark`, { hasText: '912' }).waitFor()
    if (colorScheme === 'dark') t.same(await violations(page), [])
    const marked = () => page.evaluate<string | undefined>(`document.querySelector('#found .is-marked')?.closest('li').dataset.found`)
    t.ok(await waitUntil(async () => (await marked()) !== undefined), 'the first hit is marked')
    const first = await marked()
    await page.keyboard.press('ArrowDown')
    t.not(await marked(), first)
    await page.keyboard.press('ArrowUp')
    t.equal(await marked(), first)
    const active = await page.evaluate('[document.activeElement.id, document.activeElement.getAttribute("aria-activedescendant")].join()')
    t.equal(active, `find-q,hit-${first}`, 'typing goes on')
    if (first !== `orders-${id}`) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/orders/${id}(\\?|$)`))
  }
})

browserTest('a question mark lists the shortcuts, but not while somebody types', async (t, cabinet) => {
  for (const [language, title] of [
    ['en', 'Keyboard shortcuts'],
    ['ru', 'Сочетания клавиш'],
  ] as const) {
    cabinet.db.update(users).set({ language }).where(eq(users.id, cabinet.cast.maria)).run()
    const page = await cabinet.pageOf('maria')
    await page.goto('/dealers')
    await page.locator('[data-htmx-powered]').first().waitFor({ state: 'attached' })
    await page.locator('[data-hotkey="/"]').focus()
    await page.keyboard.type('?')
    t.equal(await page.locator('[data-hotkey="/"]').inputValue(), '?')
    t.equal(await page.getByRole('dialog').count(), 0)
    await page.locator('h1').first().click()
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByRole('heading', { name: title }).waitFor()
    if (language === 'ru') t.same(await violations(page), [])
    await page.keyboard.press('Escape')
  }
  cabinet.db.update(users).set({ language: null }).where(eq(users.id, cabinet.cast.maria)).run()
})

const card = (page: Page, id: number) => page.locator(`[data-order="${id}"]`)
const dataOf = async (places: Locator, name: string) =>
  (await places.evaluateAll((all, name) => all.map((one) => one.getAttribute(`data-${name}`) ?? ''), name)).sort()
const inColumn = (page: Page, key: string, id: number) => page.locator(`[data-status="${statusId(key)}"] [data-order="${id}"]`)

browserTest('a manager moves orders on the board by dragging, with the keyboard and with buttons', async (t, cabinet) => {
  const [dragged, typed, clicked] = [1, 2, 3].map(() => insertOrder(cabinet, 'new', ofAlpha(cabinet))) as [number, number, number]
  const page = await cabinet.pageOf('maria')
  await page.goto('/orders/board')
  t.same(await violations(page), [])
  await card(page, dragged).hover()
  await page.mouse.down()
  await page.mouse.move(5, 300, { steps: 3 })
  const accepting = page.locator('[data-accepts]')
  await accepting.first().waitFor()
  const [places, steps] = [await dataOf(accepting, 'status'), await dataOf(card(page, dragged).locator('[data-to]'), 'to')]
  t.ok(steps.length > 1 && steps.length < (await page.locator('[data-status]').count()))
  const shown = steps.filter((status) => status !== String(statusId('canceled')))
  t.same(places, shown, 'columns that a card can be dropped on are marked while it is dragged')
  await page.mouse.up()
  t.ok(await waitUntil(async () => (await accepting.count()) === 0), 'and no longer than that')
  await card(page, dragged).dragTo(page.locator(`[data-status="${statusId('apply')}"]`))
  await inColumn(page, 'apply', dragged).waitFor()
  await page
    .getByRole('status')
    .filter({ hasText: `Order #${dragged} moved to Awaiting signing` })
    .waitFor()

  await card(page, typed).getByTitle('Move to…').focus()
  await page.keyboard.press('Enter')
  await card(page, typed).getByRole('button', { name: 'Send for signing' }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await inColumn(page, 'apply', typed).waitFor()

  await card(page, clicked).getByTitle('Move to…').click()
  await card(page, clicked).getByRole('button', { name: 'Send for signing' }).click()
  await inColumn(page, 'apply', clicked).waitFor()
  for (const id of [dragged, typed, clicked]) t.equal(statusOf(cabinet, id), statusId('apply'))
})

browserTest('the board asks for required fields in a dialog, and says why an order cannot be moved', async (t, cabinet) => {
  const { db } = cabinet
  const [asking, overtaken] = [insertOrder(cabinet, 'paid', ofAlpha(cabinet)), insertOrder(cabinet, 'new', ofAlpha(cabinet))]
  const page = await cabinet.pageOf('maria', { viewport: { width: 2200, height: 900 } })
  await page.goto('/orders/board')
  await card(page, asking).dragTo(page.locator(`[data-status="${statusId('production')}"]`))
  const dialog = page.getByRole('dialog')
  const date = dialog.locator('[name=date_make]')
  await date.waitFor()
  t.same(await violations(page), [])
  await date.fill('2026-12-31')
  await dialog.getByRole('button', { name: 'Start production' }).click()
  await inColumn(page, 'production', asking).waitFor()
  t.match(db.select().from(orders).where(eq(orders.id, asking)).get(), { status_id: statusId('production'), date_make: '2026-12-31' })

  db.update(orders)
    .set({ status_id: statusId('canceled') })
    .where(eq(orders.id, overtaken))
    .run()
  await card(page, overtaken).getByTitle('Move to…').click()
  await card(page, overtaken).getByRole('button', { name: 'Send for signing' }).click()
  await page.getByText('The order is in "Canceled".').waitFor()
  t.equal(statusOf(cabinet, overtaken), statusId('canceled'))
  await page.getByRole('link', { name: 'Done' }).click()
  await page.getByRole('heading', { name: 'Board' }).waitFor()
})

browserTest('list and board lead to each other at the same place', async (t, cabinet) => {
  const page = await cabinet.pageOf('maria')
  await page.goto('/orders')
  const segment = page.locator('.segment')
  await segment.getByRole('link', { name: 'Board' }).click()
  await page.getByRole('heading', { name: 'Board' }).waitFor()
  t.equal(await segment.locator('[aria-current]').innerText(), 'Board')
  await segment.getByRole('link', { name: 'List' }).click()
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  t.equal(await segment.locator('[aria-current]').innerText(), 'List')
})

browserTest('without JavaScript the board moves orders and asks for required fields', async (t, cabinet) => {
  const [moved, asking] = [insertOrder(cabinet, 'new', ofAlpha(cabinet)), insertOrder(cabinet, 'paid', ofAlpha(cabinet))]
  const page = await cabinet.pageOf('maria', { javaScriptEnabled: false })
  await page.goto('/orders/board')
  await card(page, moved).getByTitle('Move to…').click()
  await card(page, moved).getByRole('button', { name: 'Send for signing' }).click()
  await inColumn(page, 'apply', moved).waitFor()
  await card(page, asking).getByTitle('Move to…').click()
  await card(page, asking).getByRole('button', { name: 'Start production' }).click()
  await page.locator('[name=date_make]').fill('2026-12-31')
  await page.getByRole('button', { name: 'Start production' }).click()
  await inColumn(page, 'production', asking).waitFor()
  t.equal(statusOf(cabinet, asking), statusId('production'))
})

browserTest('a production worker goes through the queue from order to order, earliest date first', async (t, cabinet) => {
  const { cast, db } = cabinet
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
  const of = { ...ofAlpha(cabinet), date_delivery: '2026-12-31', receiver: 'A', phone: '1', address: 'x', delivery: 'Pickup' }
  const dates = ['2020-03-01', '2020-01-01', '2020-02-01']
  const [late, first, second] = dates.map((date_make) => insertOrder(cabinet, 'production', { ...of, date_make })) as [
    number,
    number,
    number,
  ]
  const page = await cabinet.pageOf('pavel')
  await page.goto('/')
  await page.getByRole('navigation').getByRole('link', { name: 'Orders', exact: true }).click()
  const rows = page.locator('tr[id^=orders-]')
  await rows.nth(2).waitFor()
  const shown = await rows.evaluateAll((found) => found.map(({ id }) => Number(id.replace('orders-', ''))))
  t.same(shown, [first, second, late])
  await rows.first().locator('[data-col=date_make][title="01.01.2020"]').waitFor()

  await rows
    .first()
    .getByRole('link', { name: `#${first}`, exact: true })
    .click()
  await page.getByRole('heading', { name: `Order #${first}` }).waitFor()
  await page.getByRole('link', { name: 'Next order' }).click()
  await page.getByRole('heading', { name: `Order #${second}` }).waitFor()
  await page.getByRole('link', { name: 'Previous order' }).click()
  await page.getByRole('heading', { name: `Order #${first}` }).waitFor()
  await page.getByRole('button', { name: 'Ready for pickup' }).click()
  await page.locator('.order-state', { hasText: 'Awaiting pickup' }).waitFor()
  const next = page.getByRole('link', { name: 'Next order' })
  await next.getByText('Next order').waitFor()
  await next.click()
  await page.getByRole('heading', { name: `Order #${second}` }).waitFor()
})

browserTest(
  'the board shows whole columns and the edge of the next; on a phone one, which comes to rest at the side',
  async (t, cabinet) => {
    for (const { id } of cabinet.db.select({ id: statuses.id }).from(statuses).all())
      cabinet.db
        .update(orders)
        .set({ status_id: id })
        .where(eq(orders.id, insertOrder(cabinet, 'new', ofAlpha(cabinet))))
        .run()
    const page = await cabinet.pageOf('root')
    for (const [width, whole] of [
      [1440, 5],
      [1100, 4],
      [768, 3],
      [390, 1],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto('/orders/board')
      const edges = await page.evaluate<[number, number][]>(`(() => {
      const right = document.getElementById('board').getBoundingClientRect().right
      return [...document.querySelectorAll('.board-column')].map((one) => one.getBoundingClientRect()).map((box) => [right - box.left, right - box.right])
    })()`)
      t.equal(edges.filter(([, right]) => right >= 0).length, whole, `${width}: whole columns`)
      const peeks = edges[whole]?.[0] ?? 0
      t.ok(peeks >= (width === 390 ? 20 : 40), `${width}: ${peeks} of the next one`)
    }
    t.equal(await page.evaluate(`getComputedStyle(document.getElementById('board')).scrollSnapType`), 'x mandatory')
  },
)
