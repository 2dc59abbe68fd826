import { eq } from 'drizzle-orm'
import { addDays } from '../../src/core/days.ts'
import { companies, orderItems, orders, statuses, users } from '../../src/database/schema/index.ts'
import { today } from '../../src/i18n/format.ts'
import { browserTest, type Page } from '../support/browser.ts'
import { insertEntry, insertPayment } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

const tablet = { locale: 'ru-RU', viewport: { width: 768, height: 900 } }

/** How much of a table is out of sight, and how wide its columns are, by their keys. */
async function widthsOf(page: Page, address: string) {
  await page.goto(address)
  const over = await page.locator('.table-responsive').evaluate((place) => place.scrollWidth - place.clientWidth)
  const heads = await page
    .locator('th[data-col]')
    .evaluateAll((all) => all.map((head) => [head.getAttribute('data-col') ?? '', head.getBoundingClientRect().width] as const))
  return { over, widths: Object.fromEntries(heads.filter(([, width]) => width > 0)) }
}

browserTest('on a tablet names have ten rem, as other columns give way, and all is in sight', async (t, cabinet) => {
  const { cast, db } = cabinet
  const org = 'ИП Константинопольский Алексей Петрович'
  db.update(companies).set({ org, manager_id: cast.maria }).where(eq(companies.id, cast.companies.alpha)).run()
  const name = { lastname: 'Константинопольский', name: 'Григорий', middlename: 'Константинович' }
  db.update(users).set(name).where(eq(users.id, cast.maria)).run()
  const late = { date_make: addDays(today(), -20), specification_number: 12_345, cost: 1_250_000_00, receiver: name.lastname }
  db.update(orders).set(late).where(eq(orders.id, cast.order)).run()
  insertPayment(db, insertOrder(cabinet, 'production', { dealer_id: cast.denis, company_id: cast.companies.alpha, ...late }))
  insertEntry(db, cast.companies.alpha, { amount: -1_023_917_20 })
  const page = await cabinet.pageOf('root', tablet)
  for (const [address, key, ...given] of [
    ['/orders', 'company', 'specification_number', 'dealer'],
    ['/payments', 'company', 'reporter', 'kind'],
    ['/companies', 'org', 'manager'],
    ['/dealers', 'company', 'phone', 'tg_id'],
    ['/productions', 'lastname', 'phone', 'email'],
  ] as const) {
    const { over, widths } = await widthsOf(page, address)
    t.equal(over, 0, `${address}: all in sight`)
    t.ok((widths[key] ?? 0) >= (key === 'lastname' ? 80 : 160), `${address}: ${key} has ${widths[key]} px`)
    for (const column of given) t.equal(widths[column], undefined, `${address}: ${column}`)
  }
  const chosen = await widthsOf(page, '/orders?cols=receiver&sort=specification_number&dir=asc')
  t.ok(chosen.widths.receiver && chosen.widths.specification_number, 'what somebody chose or sorts by stays')
  const ofOne = await widthsOf(page, `/ledger?company=${cast.companies.alpha}`)
  t.equal(ofOne.widths.company, undefined, 'what all rows have in common is said by the filter')
  const [sum, amount] = await Promise.all(
    ['.list-sums td.money', 'tbody td[data-col=amount]'].map((cell) =>
      page
        .locator(cell)
        .first()
        .evaluate((one) => Math.round(one.getBoundingClientRect().right)),
    ),
  )
  const balance = await page
    .locator('tbody td')
    .last()
    .evaluate((one) => Math.round(one.previousElementSibling?.getBoundingClientRect().right ?? 0))
  t.ok(sum === amount || sum === balance, `the sum ends where its column does: ${sum}, ${amount}, ${balance}`)
})

browserTest('on a tablet the button that confirms a payment stands in its row', async (t, cabinet) => {
  insertPayment(cabinet.db, cabinet.cast.order)
  const page = await cabinet.pageOf('root', tablet)
  await page.goto('/payments')
  const button = await page.locator('.row-actions .is-check').first().boundingBox()
  const table = await page.locator('.table-responsive').boundingBox()
  t.ok(button && table && button.x + button.width <= table.x + table.width, 'whole')
})

browserTest('how late an order is stays whole below its status, which is as high as any other, whoever reads it', async (t, cabinet) => {
  const { cast, db } = cabinet
  const alpha = { org: 'ИП Константинопольский Алексей Петрович', manufacture_id: cast.site }
  db.update(companies).set(alpha).where(eq(companies.id, cast.companies.alpha)).run()
  const late = { date_make: addDays(today(), -365), receiver: 'Преображенская Елизавета Константиновна', cost: 1_250_000_00 }
  const id = insertOrder(cabinet, 'production', { dealer_id: cast.denis, company_id: cast.companies.alpha, ...late })
  db.insert(orderItems).values({ order_id: id, name: 'Sectional gate with a wicket', quantity: 1, price: 100, discount: 0 }).run()
  for (const person of ['root', 'pavel', 'denis'] as const) {
    const page = await cabinet.pageOf(person, { locale: 'ru-RU' })
    for (const address of ['/orders', '/orders?q=Константин'])
      for (const width of [1440, 1280, 1100, 992, 768]) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(address)
        const isWhole = await page.locator(`#orders-${id} .overdue`).evaluate((late) => {
          const [status, text, cell] = [late.previousElementSibling, late, late.parentElement].map((one) => one?.getBoundingClientRect())
          if (!status || !text || !cell || late.scrollWidth > late.clientWidth) return false
          return status.height >= 24 && text.top >= status.bottom + 2 && text.bottom <= cell.bottom && text.right <= cell.right
        })
        t.ok(isWhole, `${person} ${address} ${width}: whole, below its status`)
        const over = await page.locator('.table-responsive').evaluate((place) => place.scrollWidth - place.clientWidth)
        t.equal(over, 0, `${person} ${address} ${width}: all in sight`)
      }
  }
})

browserTest('statuses are all in sight on a desk; where they have no room, one line goes on, the open one in sight', async (t, cabinet) => {
  cabinet.db.update(companies).set({ manufacture_id: cabinet.cast.site }).run()
  const workflow = cabinet.db.select({ key: statuses.status_key }).from(statuses).all()
  for (const { key } of workflow) insertOrder(cabinet, key, { dealer_id: cabinet.cast.denis })
  for (const person of ['root', 'pavel'] as const) {
    const page = await cabinet.pageOf(person, { locale: 'ru-RU' })
    for (const width of [1440, 1100, 768]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto('/orders')
      const last = page.locator('.list-tabs .nav-link').last()
      await last.click()
      await page.locator('.list-tabs li:last-child [aria-current]').waitFor()
      await page.reload()
      const { lines, outside } = await page.locator('.list-tabs .nav').evaluate((tabs) => {
        const [place, all] = [tabs.getBoundingClientRect(), [...tabs.querySelectorAll('.nav-link')]]
        const isOutside = (tab: (typeof all)[number]) => {
          const { left, right } = tab.getBoundingClientRect()
          return left < place.left - 1 || right > place.right + 1 || tab.scrollWidth > tab.clientWidth
        }
        return {
          lines: new Set(all.map((tab) => tab.getBoundingClientRect().top)).size,
          outside: all.filter(isOutside).map((tab) => tab.getAttribute('aria-current')),
        }
      })
      t.equal(lines, 1, `${person} at ${width}: one line`)
      t.notOk(outside.includes('true'), `${person} at ${width}: the open one is in sight`)
      if (width === 1440) t.same(outside, [], `${person}: all of them on a desk`)
    }
  }
})

browserTest('what filters besides opens within the window, with what shows the result in sight', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { locale: 'ru-RU' })
  for (const width of [1440, 1100, 768]) {
    await page.setViewportSize({ width, height: 900 })
    for (const address of ['/orders?choose=filters', '/orders?mine=1&choose=filters']) {
      await page.goto(address)
      const panel = await page.locator('.further-filters').boundingBox()
      if (!panel) throw new Error(`no panel at ${address}`)
      t.ok(
        panel.x >= 0 && panel.x + panel.width <= width && panel.y + panel.height <= 900,
        `${address} at ${width}: ${JSON.stringify(panel)}`,
      )
      const button = await page.locator('.further-filters-actions .btn').boundingBox()
      t.ok(button && button.y + button.height <= panel.y + panel.height, `${address} at ${width}: its button`)
      const tools = (await page.locator('.list-card > .list-region > .list-tools').boundingBox())?.height ?? 0
      t.ok(tools <= (width === 1440 ? 48 : 88), `${address} at ${width}: tools are ${tools} high`)
    }
  }
})

browserTest('a balance beyond the limit is explained in words at every width, and says on a phone what it is', async (t, cabinet) => {
  const { cast, db } = cabinet
  const { alpha, beta } = cast.companies
  db.update(companies).set({ credit_limit: 100_00 }).where(eq(companies.id, alpha)).run()
  insertEntry(db, alpha, { amount: -1_023_917_20 })
  const due = insertOrder(cabinet, 'payment', { company_id: beta, cost: 500_00, due_since: '2020-01-01' })
  db.update(companies).set({ payment_days: 1 }).where(eq(companies.id, beta)).run()
  insertEntry(db, beta, { order_id: due, date: '2020-01-01', amount: -500_00 })
  const page = await cabinet.pageOf('root', { locale: 'ru-RU' })
  for (const width of [1440, 1100, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/companies')
    const look = await page.locator(`#companies-${alpha} .over-limit`).evaluate((words) => {
      const [own, cell] = [words, words.parentElement].map((one) => one?.getBoundingClientRect())
      const range = words.ownerDocument.createRange()
      if (words.parentElement) range.selectNodeContents(words.parentElement)
      const all = range.getBoundingClientRect()
      return {
        own: own?.width,
        isWithin: Boolean(cell && all.left >= cell.left - 1 && all.right <= cell.right + 1),
        text: words.textContent,
      }
    })
    t.match(look, { text: 'Сверх лимита', isWithin: true }, `in words at ${width}`)
    t.ok((look.own ?? 0) > 40, `in sight at ${width}`)
    const rowHeight = await page.locator(`#companies-${alpha}`).evaluate((row) => row.clientHeight)
    if (width > 767) t.ok(rowHeight <= 41, `in a row like others at ${width}: ${rowHeight}`)
  }
  const balance = page.locator(`#companies-${beta} td[data-col=balance]`)
  t.ok(await balance.isVisible(), 'what it stands at is told, even where all of it is overdue')
  t.match(await balance.textContent(), /^−500/)
  const before = (place: string) => page.evaluate<string>(`getComputedStyle(document.querySelector('${place}'), '::before').content`)
  t.equal(await before(`#companies-${beta} td[data-col=balance]`), '"Сальдо"')
})

browserTest('beside switches nothing is cut on a tablet while the buttons of rows wait', async (t, cabinet) => {
  cabinet.db.update(users).set({ email: 'anastasia.nechaeva@example.com' }).where(eq(users.id, cabinet.cast.maria)).run()
  const page = await cabinet.pageOf('root', tablet)
  await page.goto('/managers')
  const isCut = await page
    .locator('#managers-table td[data-col=email] > .cut')
    .evaluateAll((all) => all.some((cut) => cut.scrollHeight > cut.clientHeight + 1))
  t.notOk(isCut)
})
