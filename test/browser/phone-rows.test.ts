import { eq } from 'drizzle-orm'
import { companies, deliveries, notifications, orders, users } from '../../src/database/schema/index.ts'
import { browserTest, type OpenCabinet, type Page } from '../support/browser.ts'
import { insertDocument } from '../support/documents.ts'
import { insertEntry, insertPayment, payOrder } from '../support/ledger.ts'
import { notifyRecipients } from '../support/notify.ts'
import { insertOrder } from '../support/orders.ts'
import { insertProduct } from '../support/products.ts'

const phone = { viewport: { width: 390, height: 844 }, locale: 'ru-RU' }

/** The lines of a row as they are seen, from left to right: the column of each cell, after the name it is told with. */
function linesOf(page: Page, row: string): Promise<string[]> {
  return page.evaluate(`(() => {
    const row = document.querySelector('${row}')
    const lines = []
    for (const cell of row.querySelectorAll('td[data-col]')) {
      const { x, y, width, height } = cell.getBoundingClientRect()
      if (width === 0 || cell.querySelector('[role=switch]')) continue
      const { content } = getComputedStyle(cell, '::before')
      const label = content.startsWith('"' + cell.dataset.label) ? cell.dataset.label + ' ' : ''
      const middle = y + Math.min(height, 24) / 2
      const line = lines.find((one) => one.top < middle && middle < one.bottom) ?? { middle, top: y, bottom: y + height, cells: [] }
      if (line.cells.length === 0) lines.push(line)
      line.cells.push({ x, said: label + cell.dataset.col })
    }
    return lines.sort((a, b) => a.middle - b.middle).map(({ cells }) => cells.sort((a, b) => a.x - b.x).map(({ said }) => said).join(' | '))
  })()`)
}

/** What everybody's rows are about, with a long name of the company. */
function plantRows(cabinet: OpenCabinet): void {
  const { db, cast } = cabinet
  const org = 'Индивидуальный предприниматель Гордеев Алексей Петрович'
  db.update(companies).set({ org }).where(eq(companies.id, cast.companies.alpha)).run()
  db.update(orders)
    .set({ cost: 165_857_50, receiver: 'Миронов Михаил Павлович', date_make: '2026-12-03' })
    .where(eq(orders.id, cast.order))
    .run()
  db.update(users).set({ tg_id: '1326708015', phone: '+7(999) 999 99 99' }).where(eq(users.id, cast.denis)).run()
  db.update(users).set({ tg_id: '1326708016' }).where(eq(users.id, cast.maria)).run()
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
  insertPayment(db, cast.order, { kind: 'cash' })
  insertDocument(cabinet, { amount: 12_400_00 })
  insertEntry(db, cast.companies.alpha, { order_id: cast.order })
  insertProduct(db, { article: 'A-1', category_id: cast.category })
  payOrder(db, cast.order, 5_00)
  notifyRecipients(cabinet, [cast.denis])
  const notice = db.select().from(notifications).get()
  db.insert(deliveries)
    .values({ notification_id: notice?.id as number, channel: 'email', next_at: Date.now() + 1_000_000 })
    .run()
}

browserTest('on a phone every kind of list has rows of three lines, each thing in its place', async (t, cabinet) => {
  plantRows(cabinet)
  const { order, denis, maria, companies } = cabinet.cast
  const rows: Record<'root' | 'denis' | 'pavel', [address: string, row: string, lines: string[]][]> = {
    root: [
      ['/orders', `#orders-${order}`, ['id | status', 'company', 'dealer | cost']],
      ['/payments', '#payments-1', ['order | state', 'company', 'date | amount']],
      ['/documents', '#documents-1', ['kind | number | state', 'company', 'date | Заказ order | amount']],
      ['/ledger', '#ledger-1', ['kind | amount', 'company', 'date | order']],
      ['/companies', `#companies-${companies.alpha}`, ['org', 'manager', 'Сальдо balance']],
      ['/ledger/balances', `#balances-${companies.alpha}`, ['company', 'Конечное сальдо closing', 'Последняя оплата last_payment']],
      ['/products', '#products-1', ['article | price | unit', 'name', 'category']],
      ['/dealers', `#dealers-${denis}`, ['lastname | name', 'company', 'phone']],
      ['/managers', `#managers-${maria}`, ['lastname | name', 'email']],
      ['/outbox', '#outbox-table tbody tr', ['order | state', 'recipient | created_at | channel']],
    ],
    denis: [
      ['/orders', `#orders-${order}`, ['id', 'receiver', 'cost', 'Не хватает lacks']],
      ['/payments', '#payments-1', ['order | state', 'date | kind | amount']],
      ['/documents', '#documents-1', ['kind | number | state', 'receiver', 'date | Заказ order | amount']],
      ['/ledger', '#ledger-1', ['kind | amount', 'date | order | Сальдо balance']],
    ],
    pavel: [
      [
        '/orders',
        `#orders-${insertOrder(cabinet, 'production', { dealer_id: denis, company_id: companies.alpha })}`,
        ['id | status', 'company', 'products', 'Изготовление date_make'],
      ],
    ],
  }
  for (const [name, lists] of Object.entries(rows) as ['root' | 'denis' | 'pavel', [string, string, string[]][]][]) {
    const page = await cabinet.pageOf(name, phone)
    for (const [address, row, lines] of lists) {
      await page.goto(address)
      t.same(await linesOf(page, row), lines, `${address} of ${name}`)
      t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, `${address} of ${name}: nothing leads beyond the screen`)
    }
  }
})

browserTest('on a phone what is late or not sent stands in the line of the cost, below the name', async (t, cabinet) => {
  plantRows(cabinet)
  const { denis, companies, order } = cabinet.cast
  const of = { dealer_id: denis, company_id: companies.alpha, receiver: 'Миронов Михаил Павлович', cost: 1_165_857_50 }
  const late = insertOrder(cabinet, 'production', { ...of, date_make: '2020-01-01' })
  for (const [name, id, said] of [
    ['root', late, '.overdue'],
    ['denis', late, '.overdue'],
    ['denis', order, '.order-to-send'],
  ] as const) {
    const page = await cabinet.pageOf(name, phone)
    await page.goto('/orders')
    const middleOf = async (part: string) => {
      const { y, height } = (await page.locator(`#orders-${id} ${part}`).boundingBox()) as { y: number; height: number }
      return y + height / 2
    }
    t.ok(Math.abs((await middleOf(said)) - (await middleOf('[data-col=cost]'))) < 3, `${name}: ${said} beside the cost`)
    t.ok(Math.abs((await middleOf('.order-status')) - (await middleOf('[data-col=id]'))) < 3, `${name}: ${said}: status and number`)
  }
})

browserTest('on a phone names are read in full, sums end their row, and no dash stands alone', async (t, cabinet) => {
  plantRows(cabinet)
  const page = await cabinet.pageOf('root', phone)
  for (const list of ['orders', 'payments', 'documents']) {
    await page.goto(`/${list}`)
    const row = page.locator(`#${list}-table tbody tr`, { hasText: 'Гордеев' }).first()
    const name = row.locator('[data-col=company]')
    t.ok(await name.evaluate((cell) => cell.scrollHeight <= cell.clientHeight + 1), `/${list}: the whole name`)
    const sum = (await row.locator('[data-col=cost], [data-col=amount]').boundingBox()) as { x: number; width: number }
    const whole = (await row.boundingBox()) as { x: number; width: number }
    const beside = list === 'documents' ? 16 : 44
    t.ok(Math.abs(sum.x + sum.width + beside - whole.x - whole.width) < 2, `/${list}: the sum stands right`)
  }
  await page.goto('/documents?sort=date')
  const long = insertDocument(cabinet, { kind: 'offer', number: '1234', serial: 1234, file: 'e'.repeat(64) })
  await page.reload()
  t.equal((await linesOf(page, `#documents-${long}`))[0], 'kind | number | state', 'the state leaves no row, however long its kind is')
  await page.goto('/news')
  t.notOk(await page.locator('td.is-blank').first().isVisible())
})

browserTest('on a phone a switch that somebody may not turn is read only where it is off, with its name', async (t, cabinet) => {
  const [on, off] = [insertProduct(cabinet.db, { article: 'A-1' }), insertProduct(cabinet.db, { article: 'A-2', active: false })]
  const page = await cabinet.pageOf('maria', phone)
  await page.goto('/products')
  const cellOf = (id: number) => page.locator(`#products-${id} [data-col=active]`)
  t.notOk(await cellOf(on).isVisible())
  const word = `getComputedStyle(document.querySelector('#products-${off} [data-col=active]'), '::before').content`
  t.match(await page.evaluate(word), /^"В продаже/)
})

browserTest('on a phone a row says what is off, and its sheet turns it; without JavaScript the row itself does', async (t, cabinet) => {
  const product = insertProduct(cabinet.db, { article: 'A-1' })
  const page = await cabinet.pageOf('root', { ...phone, hasTouch: true })
  await page.goto('/products')
  const row = page.locator(`#products-${product}`)
  const cell = row.locator('[data-col=active]')
  const turn = async () => {
    await row.locator('.row-menu').tap()
    const turned = row.getByRole('switch', { name: 'В продаже' })
    const before = await turned.getAttribute('aria-checked')
    await turned.tap()
    t.notOk(await turned.isVisible(), 'the sheet closes')
    return before
  }
  t.notOk(await cell.isVisible(), 'what is on says nothing')
  t.equal(await turn(), 'true')
  await cell.waitFor()
  t.match(await cell.innerText(), 'Нет')
  t.notOk(await cell.getByRole('switch').isVisible(), 'nothing beside a thumb that scrolls turns it')
  await page.reload()
  t.equal(await turn(), 'false', 'as it is saved')
  await cell.waitFor({ state: 'hidden' })

  const plain = await cabinet.pageOf('root', { ...phone, javaScriptEnabled: false })
  await plain.goto('/products')
  t.ok(await plain.locator(`#products-${product}`).getByRole('switch').isVisible())
})

browserTest('on a phone the first line and the menu of a row stand at one height', async (t, cabinet) => {
  plantRows(cabinet)
  const { order, denis, companies } = cabinet.cast
  const page = await cabinet.pageOf('root', phone)
  for (const [address, row, first, ending] of [
    ['/orders', `#orders-${order}`, ['[data-col=id]', '.order-status'], ['.order-status', '[data-col=cost]']],
    ['/companies', `#companies-${companies.alpha}`, [], ['[data-col=balance]']],
    ['/dealers', `#dealers-${denis}`, ['[data-col=lastname]', '[data-col=name]'], []],
    ['/payments', '#payments-1', ['[data-col=order]', '[data-col=state]'], ['.order-status', '[data-col=amount]']],
    ['/products', '#products-1', ['[data-col=article]', '[data-col=price]'], ['[data-col=unit]']],
    ['/statuses', '#statuses-table tbody tr:first-child', ['.order-status'], []],
  ] as const) {
    await page.goto(address)
    const boxOf = async (part: string) => {
      const { x, y, width, height } = (await page.locator(`${row} ${part}`.trim()).boundingBox()) as Record<
        'x' | 'y' | 'width' | 'height',
        number
      >
      return { middle: y + height / 2, right: x + width }
    }
    const { middle } = await boxOf('.row-select input')
    for (const part of [...first, '.row-menu']) t.ok(Math.abs((await boxOf(part)).middle - middle) < 1, `${address}: ${part}`)
    const { right } = await boxOf('')
    t.ok(Math.abs((await boxOf('.row-menu')).right - right) < 1, `${address}: the menu ends the row`)
    for (const part of ending)
      t.ok(Math.abs((await boxOf(part)).right + 44 - right) < 1.5, `${address}: ${part} ends where the menu begins`)
  }
})

browserTest('on a phone of 360 px a state and a name in a row are read in full', async (t, cabinet) => {
  plantRows(cabinet)
  const { db, cast } = cabinet
  db.update(users).set({ lastname: 'Королёв', name: 'Артём', middlename: 'Игоревич' }).where(eq(users.id, cast.denis)).run()
  const page = await cabinet.pageOf('root', { ...phone, viewport: { width: 360, height: 740 } })
  for (const [path, cell] of [
    ['/payments', '[data-col=state] .order-status'],
    ['/orders', '[data-col=dealer]'],
  ] as const) {
    await page.goto(path)
    const one = page.locator(`tbody tr:first-child ${cell}`)
    t.ok(await one.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth), `${path}: ${await one.innerText()}`)
    t.ok(await one.evaluate(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight + 1), `${path}: no line is left out`)
  }
  const wraps = `getComputedStyle(document.querySelector('#orders-table tbody [data-col=dealer]')).wordBreak`
  t.equal(await page.evaluate(wraps), 'normal', 'no word of a name is broken')
})

browserTest('on a phone why a message failed is read, and below that a button says in words that it is sent again', async (t, cabinet) => {
  plantRows(cabinet)
  cabinet.db.update(deliveries).set({ state: 'failed', last_error: '550 5.1.1 Mailbox unavailable' }).run()
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/outbox')
  const row = page.locator('#outbox-table tbody tr')
  const boxOf = async (part: string) => (await row.locator(part).boundingBox()) as Record<'x' | 'y' | 'width' | 'height', number>
  const [reason, button] = [await boxOf('[data-col=last_error]'), await boxOf('.row-actions .btn')]
  t.ok(button.y >= reason.y + reason.height, 'below the reason')
  t.ok(button.width > 120 && button.height >= 44, `${button.width} px wide`)
  t.equal(await page.evaluate(`getComputedStyle(document.querySelector('.row-actions .btn'), '::after').content`), '"Повторить сейчас"')
  t.ok(await row.locator('.row-actions .btn').evaluate((one) => one.scrollWidth <= one.clientWidth), 'its words are within it')
})

browserTest('on a phone the inbox says when beside what about, and only what is not read yet is bold', async (t, cabinet) => {
  const { db, cast } = cabinet
  notifyRecipients(cabinet, [cast.denis])
  const page = await cabinet.pageOf('denis', { ...phone, viewport: { width: 360, height: 740 } })
  await page.goto('/notifications')
  const row = page.locator('#notifications-table tbody tr').first()
  const weight = () => page.evaluate(`getComputedStyle(document.querySelector('#notifications-table .row-link')).fontWeight`)
  const yOf = async (column: string) => (await row.locator(`[data-col=${column}]`).boundingBox())?.y ?? 0
  t.ok(Math.abs((await yOf('created_at')) - (await yOf('order'))) < 8, 'one line')
  t.ok((await yOf('status')) > (await yOf('created_at')) + 12, 'what happened is below')
  t.equal(await weight(), '600')
  db.update(notifications).set({ read_at: 1 }).run()
  await page.reload()
  t.equal(await weight(), '400')
})
