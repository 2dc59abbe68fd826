import { eq } from 'drizzle-orm'
import { addDays } from '../../src/core/days.ts'
import { companies, deliveries, notifications, orderItems, orders, users } from '../../src/database/schema/index.ts'
import { today } from '../../src/i18n/format.ts'
import { createNews } from '../../src/modules/news/news.ts'
import { browserTest, type Page, waitUntil } from '../support/browser.ts'
import { plantCrowd } from '../support/dealers-list.ts'
import { insertDocument } from '../support/documents.ts'
import { insertEntry, insertPayment } from '../support/ledger.ts'
import { author } from '../support/news.ts'
import { notifyRecipients } from '../support/notify.ts'
import { insertOrder } from '../support/orders.ts'
import { insertProduct } from '../support/products.ts'

// One line a row and nothing broken inside a word, whatever columns are switched on.

/** Columns that are not shown at first. */
const hidden = {
  orders: 'date_make,date_delivery,date_payment,receiver,products,lacks,phone,since,vat,last_message',
  dealers: 'created_at,updated_at,invitation',
  companies: 'city,dealers,open_orders,discount,created_at,updated_at',
  managers: '',
  admins: '',
  productions: '',
  news: '',
  statuses: '',
  stocks: '',
  categories: '',
  payments: '',
  products: '',
}

const wholeLists = Object.entries(hidden).map(([list, cols]) => `/${list}?cols=${cols}&size=25`)

/** Where Russian fits, as its words are longer, English does; it is looked at where there is least room, beside the menu and without it. */
const languages = {
  'ru-RU': [
    { addresses: Object.keys(hidden).map((list) => `/${list}?size=25`), widths: [1440, 1100, 992, 768] },
    { addresses: wholeLists.filter((address) => !address.includes('cols=&')), widths: [1440, 1100, 992, 768] },
  ],
  'en-US': [{ addresses: wholeLists, widths: [992, 768] }],
}

for (const [locale, parts] of Object.entries(languages))
  browserTest(
    `lists fit at every width: rows with every column, tools and the words in the search on one line (${locale})`,
    async (t, cabinet) => {
      plantCrowd(cabinet)
      const description = `<p>${'A gate is as wide as its opening. '.repeat(20)}</p>`
      createNews(cabinet.db, { name: 'Gates', description, published: true }, author)
      insertPayment(cabinet.db, insertOrder(cabinet, 'new', { dealer_id: cabinet.cast.denis }))
      insertProduct(cabinet.db, { article: 'A-1' })
      const page = await cabinet.pageOf('root', { locale })
      for (const { addresses, widths } of parts)
        for (const address of addresses) {
          await page.goto(address)
          for (const width of widths) {
            await page.setViewportSize({ width, height: 900 })
            let look = await lookOf(page)
            if (look.sticksOut > 0) await waitUntil(async () => (look = await lookOf(page)).sticksOut === 0)
            t.equal(look.sticksOut, 0, `${address} at ${width}: only the table scrolls sideways`)
            t.same(look.broken, [], `${address} at ${width}`)
            t.same(look.spare, [], `${address} at ${width}: what is cut could not have more`)
            // With every column there may be a button more.
            if (address.includes('cols=') || locale === 'en-US') continue
            t.ok(
              look.tools > 0 && look.tools < 48,
              `${address} at ${width}: tools share one line, below it where search and filters are long`,
            )
            t.ok(look.isHintWhole, `${address} at ${width}: the words in the search`)
          }
        }
    },
  )

interface Look {
  /** Texts of cells and heads on more than one line, and such as are cut off without dots. */
  broken: string[]
  /** Columns with room that they do not need, while another one is cut. */
  spare: string[]
  sticksOut: number
  /** How high the highest line of tools is. */
  tools: number
  /** Whether the words in the search have room, or are not shown. */
  isHintWhole: boolean
}

function lookOf(page: Page): Promise<Look> {
  return page.evaluate(`(() => {
    const broken = [...document.querySelectorAll('.list-compact :is(th, td)')]
      .filter((cell) => cell.clientHeight > (cell.tagName === 'TH' ? 33 : 40)
        || (cell.scrollWidth > cell.clientWidth && getComputedStyle(cell).textOverflow !== 'ellipsis')
        || [...cell.querySelectorAll(':scope > :not(.visually-hidden)')].some((inner) => inner.scrollWidth > inner.clientWidth + 1 && getComputedStyle(inner).overflowX === 'hidden' && getComputedStyle(inner).textOverflow !== 'ellipsis'))
      .map((cell) => (cell.dataset.col ?? cell.className) + ': ' + cell.innerText)
    const isCut = (text) => text.scrollHeight > text.clientHeight + 1
    const widthOf = (cell) => {
      const range = document.createRange()
      range.selectNodeContents(cell.querySelector('.cut') ?? cell)
      return range.getBoundingClientRect().width
    }
    const least = 7 * 16 + 1
    const spareOf = (head) => {
      const cells = [...document.querySelectorAll('.list-compact tr > [data-col="' + head.dataset.col + '"]')]
      return head.clientWidth - 16 - Math.max(...cells.map((cell) => cell.matches('td') && [...cell.querySelectorAll('.cut')].some(isCut) ? Infinity : widthOf(cell)))
    }
    const spare = [...document.querySelectorAll('.list-compact .cut')].some(isCut)
      ? [...document.querySelectorAll('.list-compact th[data-col]')].filter((head) => head.clientWidth > least && spareOf(head) > 12).map((head) => head.dataset.col)
      : []
    const input = document.querySelector('.list-search input[type=search]')
    const style = getComputedStyle(input)
    const canvas = document.createElement('canvas').getContext('2d')
    canvas.font = style.fontWeight + ' ' + style.fontSize + ' ' + style.fontFamily
    const room = input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
    return {
      broken,
      spare,
      sticksOut: document.documentElement.scrollWidth - window.innerWidth,
      tools: Math.max(...[...document.querySelectorAll('.list-tools')].map((one) => one.getBoundingClientRect().height)),
      isHintWhole: getComputedStyle(input, '::placeholder').color === 'rgba(0, 0, 0, 0)' || canvas.measureText(input.placeholder).width <= room,
    }
  })()`)
}

browserTest('between a phone and a desk, what is least asked for gives way, so that no list scrolls sideways', async (t, cabinet) => {
  plantCrowd(cabinet)
  const { order, denis } = cabinet.cast
  const org = 'ООО «Производственная компания»'
  cabinet.db.update(companies).set({ org }).where(eq(companies.id, cabinet.cast.companies.alpha)).run()
  const values = { specification_number: 12_345, cost: 1_250_000_00, date_make: addDays(today(), 5) }
  cabinet.db.update(orders).set(values).where(eq(orders.id, order)).run()
  cabinet.db.update(users).set({ tg_id: '1234567890', phone: '+7(999) 999 99 99' }).where(eq(users.id, denis)).run()
  for (const [name, lists] of [
    ['root', ['orders', 'dealers', 'companies', 'managers', 'admins']],
    ['denis', ['orders']],
  ] as const) {
    const page = await cabinet.pageOf(name, { locale: 'ru-RU', viewport: { width: 768, height: 900 } })
    for (const list of lists) {
      await page.goto(`/${list}`)
      const over = await page.locator('.table-responsive').evaluate((place) => place.scrollWidth - place.clientWidth)
      t.equal(over, 0, `/${list} of ${name}`)
      const given = page.locator('[data-col=specification_number]:visible, [data-col=tg_id]:visible')
      t.equal(await given.count(), 0, `/${list} of ${name}`)
    }
  }
})

browserTest('the buttons of rows stand within their column, or over the end of their row where it is one line', async (t, cabinet) => {
  const other = await cabinet.as('root')
  notifyRecipients(cabinet, [cabinet.cast.root])
  const notification_id = cabinet.db.select({ id: notifications.id }).from(notifications).get()?.id as number
  cabinet.db.insert(deliveries).values({ notification_id, channel: 'email', next_at: 1, state: 'failed' }).run()
  await other.post('/companies/delete', { id: String(cabinet.cast.companies.nobodys) })
  const page = await cabinet.pageOf('root', { locale: 'ru-RU' })
  for (const list of ['notifications', 'outbox', 'bin', 'dealers']) {
    await page.goto(`/${list}`)
    const [count, ...wide] = await buttonsOutside(page)
    t.ok(Number(count) > 0, `/${list} has buttons`)
    t.same(wide, [], `/${list}`)
  }
})

/** How many buttons rows have, and those that reach out of their cell or of the table. */
function buttonsOutside(page: Page): Promise<(number | string)[]> {
  return page.evaluate(`(() => {
    const all = [...document.querySelectorAll('tbody tr > td:last-child :is(button, a):not(.row-menu)')]
    const right = document.querySelector('.list-table').getBoundingClientRect().right
    const outside = all.filter((button) => {
      const [own, cell] = [button, button.closest('.list-compact tr') ?? button.closest('td')].map((element) => element.getBoundingClientRect())
      return own.left < cell.left - 1 || own.right > cell.right + 1 || own.right > right
    })
    return [all.length, ...outside.map((button) => button.outerHTML)]
  })()`)
}

browserTest(
  'a text that its column cuts off is read by pointing at it; where the keyboard is, its row keeps its height',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('root')
    await page.setViewportSize({ width: 1024, height: 900 })
    const name = 'A company whose registered name is a good deal longer than any column of a list'
    const other = await cabinet.as('root')
    await other.post('/company/add', { org: name })
    await page.goto('/companies?cols=city,dealers,open_orders,discount,created_at,updated_at')
    const row = page.locator('tr', { hasText: name })
    const cell = row.locator('td[data-col="org"]')
    await cell.hover()
    t.equal(await cell.getAttribute('title'), name)
    const short = row.locator('td[data-col="dealers"]')
    await short.hover()
    t.equal(await short.getAttribute('title'), null, 'what is read anyway needs none')
    const height = (await row.boundingBox())?.height
    await row.locator('.row-link').focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    t.equal((await row.boundingBox())?.height, height)
  },
)

browserTest('a list shows its first row early and twenty rows at once', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('root')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/dealers?size=25')
  const rows: [number, number][] = await page.evaluate(
    `[...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])`,
  )
  t.ok((rows[0]?.[0] ?? 900) < 140, 'nothing but one line of tools stands above the table')
  t.ok(rows.filter(([, bottom]) => bottom <= 900).length >= 20, 'twenty rows are in sight')
})

browserTest('the whole moment is told to screen readers, and lies over no row while the keyboard goes through them', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/orders')
  const row = page.locator(`#orders-${cabinet.cast.order}`)
  const moment = row.locator('.moment')
  const whole = await moment.getAttribute('title')
  t.match(whole, /^\d\d\.\d\d\.\d{4} \d\d:\d\d$/)
  const after = `(cell) => { const { content, position, clipPath } = getComputedStyle(cell, '::after'); return [content, position, clipPath] }`
  const shown = (): Promise<string[]> => moment.evaluate((cell, source) => new Function('cell', `return (${source})(cell)`)(cell), after)
  t.same(await shown(), [`" · ${whole}"`, 'absolute', 'inset(50%)'], 'read out, and out of sight')
  const height = () => row.evaluate(({ clientHeight }) => clientHeight)
  const before = await height()
  await row.locator('.row-link').focus()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  t.same(await shown(), [`" · ${whole}"`, 'absolute', 'inset(50%)'], 'where the keyboard is, too')
  const bar = await page.evaluate<string>(`getComputedStyle(document.getElementById('orders-${cabinet.cast.order}')).boxShadow`)
  t.match(bar, /2px 0px 0px 0px inset/, 'the row is marked at its start')
  t.equal(await height(), before, 'and the row keeps its height')
})

browserTest(
  'the icons of a row end it, or stand before its switch, seen while somebody is there: a text or a day that is only read gives way to them, and nothing that can be pressed, no amount',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('root', { locale: 'ru-RU' })
    const { order, denis, companies } = cabinet.cast
    const days = { date_delivery: '2026-12-01', date_payment: '2026-12-02' }
    cabinet.db.update(orders).set(days).where(eq(orders.id, order)).run()
    insertPayment(cabinet.db, order)
    const product = insertProduct(cabinet.db, { article: 'A-1' }, [['2020-01-01', 1_234_567_00]])
    const styleOf = (selector: string, name: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${name}`)
    const rows = [
      { address: '/orders', row: `#orders-${order}` },
      { address: '/orders?cols=date_delivery,date_payment', row: `#orders-${order}` },
      { address: '/dealers', row: `#dealers-${denis}` },
      { address: '/dealers?cols=created_at', row: `#dealers-${denis}` },
      { address: '/products', row: `#products-${product}` },
      { address: '/companies', row: `#companies-${companies.alpha}` },
      { address: '/payments', row: '#payments-1', waits: true },
    ]
    for (const { address, row, waits } of rows)
      for (const width of [1440, 1100, 1024]) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(address)
        const menu = `${row} .row-actions > [popover]`
        t.equal(await styleOf(menu, 'opacity'), waits ? '1' : '0', `${address} at ${width}: out of sight, unless something waits for them`)
        await page.locator(row).hover()
        t.equal(await styleOf(menu, 'opacity'), '1', 'under the pointer')
        const { over, end } = await lookOfIcons(page, row)
        const text = address === '/dealers' && width < 1200 ? 'manager' : undefined
        t.same(
          over.filter((key) => key !== text),
          [],
          `${address} at ${width}: what is below them`,
        )
        const before = width < 1200 && (text || address === '/products') ? 36 : 0
        t.ok(end >= before && end < before + 20, `${address} at ${width}: they stand ${end} before the end`)
        const gives = await page.evaluate<boolean>(
          `[...document.querySelectorAll('${row} > .moment')].some((cell) => getComputedStyle(cell).color === 'rgba(0, 0, 0, 0)')`,
        )
        t.notOk(gives, `${address} at ${width}: beside all that is read`)
      }
    await page.setViewportSize({ width: 900, height: 900 })
    await page.goto('/orders')
    await page.mouse.move(0, 0)
    const menu = `#orders-${order} .row-actions > [popover]`
    await page.locator(`#orders-${order} .row-select input`).click()
    await page.mouse.move(0, 0)
    t.equal(await styleOf(menu, 'opacity'), '0', 'a box that was clicked leaves its row as it is')
    await page.locator(`#orders-${order} .row-link`).focus()
    await page.keyboard.press('Tab')
    t.equal(await styleOf(menu, 'opacity'), '1', 'where the keyboard is')
    t.equal(await styleOf(`#orders-${order} [data-col=created_at]`, 'color'), 'rgba(0, 0, 0, 0)', 'on a tablet the day gives way')
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/dealers')
    const colorOf = () => styleOf(`#dealers-${denis}`, 'backgroundColor')
    await page.locator(`#dealers-${denis}`).hover()
    const hovered = await colorOf()
    await page.locator(`#dealers-${denis} .row-select input`).check()
    const ticked = await colorOf()
    t.not(ticked, hovered, 'a ticked row under the pointer')
    await page.mouse.move(0, 0)
    t.equal(await colorOf(), ticked, 'looks as it does without')
    await page.locator(`#dealers-${denis} .row-select input`).uncheck()
    await page.mouse.move(0, 0)
    for (const theme of ['light', 'dark']) {
      await page.evaluate(`document.documentElement.dataset.bsTheme = '${theme}'`)
      const ground = lightnessOf(await styleOf('.list-card', 'backgroundColor'))
      await page.locator(`#dealers-${denis}`).hover()
      const pointedAt = lightnessOf(await colorOf())
      t.ok(theme === 'dark' ? pointedAt > ground : pointedAt < ground, `${theme}: ${pointedAt} on ${ground}`)
      await page.mouse.move(0, 0)
    }
  },
)

/** Of a gray, from what a browser says of a color. */
const lightnessOf = (color: string) => Number(/[\d.]+/.exec(color.replace('srgb', ''))?.[0]) * (color.startsWith('color(') ? 255 : 1)

/** How far from the end of the row they are, and what is seen below them. */
function lookOfIcons(page: Page, row: string): Promise<{ over: string[]; end: number }> {
  return page.evaluate(`(() => {
    const row = document.querySelector('${row}')
    const icons = [...row.querySelectorAll('.row-actions > [popover] > *')].map((icon) => icon.getBoundingClientRect()).filter(({ width }) => width > 0)
    const textOf = (element) => {
      const button = element.querySelector('[role=switch]')
      if (button) return button.getBoundingClientRect()
      const range = document.createRange()
      range.selectNodeContents(element)
      return range.getBoundingClientRect()
    }
    const isOver = (box) => icons.some((icon) => icon.left < box.right && box.left < icon.right)
    const seen = [...row.querySelectorAll('td:not(.row-actions)')].filter((cell) => cell.offsetWidth > 0 && getComputedStyle(cell).color !== 'rgba(0, 0, 0, 0)')
    return {
      over: seen.filter((cell) => isOver(textOf(cell))).map((cell) => cell.dataset.col),
      end: Math.round(row.getBoundingClientRect().right - Math.max(...icons.map(({ right }) => right))),
    }
  })()`)
}

browserTest('production reads the names of companies in full, and where there is more room than that names take it', async (t, cabinet) => {
  const org = 'ООО «Производственная компания»'
  cabinet.db.update(companies).set({ org }).where(eq(companies.id, cabinet.cast.companies.alpha)).run()
  const name = 'Дверь стальная одностворчатая с терморазрывом, с замком и доводчиком, белая'
  const id = insertOrder(cabinet, 'production', { dealer_id: cabinet.cast.denis, company_id: cabinet.cast.companies.alpha })
  cabinet.db.insert(orderItems).values({ order_id: id, name, quantity: 1, price: 100, discount: 0 }).run()
  insertPayment(cabinet.db, cabinet.cast.order)
  insertEntry(cabinet.db, cabinet.cast.companies.alpha)
  insertDocument(cabinet, { amount: 12_400_00 })
  const page = await cabinet.pageOf('root')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/orders?cols=products')
  const isCut = (key: string) =>
    page
      .locator(`#orders-${id} [data-col="${key}"] > .cut`)
      .evaluate((cut) => cut.scrollWidth > cut.clientWidth || cut.scrollHeight > cut.clientHeight + 1)
  t.same([await isCut('company'), await isCut('products')], [false, true])
  for (const address of ['/payments', '/ledger', '/documents']) {
    await page.goto(address)
    const widths = await page
      .locator('th[data-col]')
      .evaluateAll((heads) => heads.map((head) => [head.getAttribute('data-col'), head.clientWidth] as const))
    const widest = widths.reduce((most, one) => (one[1] > most[1] ? one : most))
    t.equal(widest[0], 'company', `${address}: the name takes what is left`)
  }
  const dealers = await cabinet.pageOf('denis', { viewport: { width: 1440, height: 900 } })
  for (const [address, last] of [
    ['/payments', 'amount'],
    ['/ledger', 'balance'],
    ['/documents', 'state'],
  ] as const) {
    await dealers.goto(address)
    const end = await dealers
      .locator(`tbody td[data-col=${last}]`)
      .first()
      .evaluate((cell) => {
        const range = cell.ownerDocument.createRange()
        range.selectNodeContents(cell)
        return (cell.closest('table')?.getBoundingClientRect().right ?? 0) - range.getBoundingClientRect().right
      })
    t.ok(end < 40, `${address}: nothing is left empty at the end of a row, ${end} px`)
  }
})

browserTest('a number or a period that filters is never cut, and what else can be done stays in the first line', async (t, cabinet) => {
  insertOrder(cabinet, 'new', { dealer_id: cabinet.cast.denis, created_at: Date.now() - 20 * 86_400_000 })
  const page = await cabinet.pageOf('root', { locale: 'ru-RU' })
  for (const width of [1440, 1100, 768]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/orders?stuck=14&open=1&created_from=2020-01-01&created_until=2099-12-31')
    const cut = await page
      .locator('.list-tools .tag > span:not(.visually-hidden)')
      .evaluateAll((texts) =>
        texts.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
      )
    t.same(cut, [], `whole at ${width}`)
    const [actions, filters] = await Promise.all(['.list-actions', '.list-filters'].map((part) => page.locator(part).first().boundingBox()))
    t.equal(actions?.y, filters?.y, `beside the first filters at ${width}`)
  }
})

browserTest(
  'a long name that filters gives way, so that all tools stay in one line; the whole is read by pointing at it',
  async (t, cabinet) => {
    const { alpha } = cabinet.cast.companies
    const org = 'ООО «Производственно-строительная компания «Северный оконный завод»'
    cabinet.db.update(companies).set({ org }).where(eq(companies.id, alpha)).run()
    const page = await cabinet.pageOf('root', { locale: 'ru-RU' })
    for (const width of [1440, 1280, 1100]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`/orders?company=${alpha}&open=1`)
      const { tools, sticksOut } = await lookOf(page)
      t.ok(tools < 48, `one line at ${width}: ${tools}`)
      t.equal(sticksOut, 0, `within ${width}`)
      const [flag, chip] = [page.locator('.tag', { hasText: 'В работе' }), page.locator('.tag', { hasText: 'Компания' })]
      const isCut = (tag: typeof flag) =>
        tag
          .locator('> span')
          .first()
          .evaluate((name) => name.scrollWidth > name.clientWidth)
      t.same([await isCut(flag), await isCut(chip)], [false, true], `the short one is whole at ${width}`)
      const [property, value] = await chip.locator('> span').evaluateAll((texts) => texts.map(({ clientWidth }) => clientWidth))
      t.ok((property ?? 0) < 20 && (value ?? 0) > 50, `of what is cut the value has the room at ${width}: ${property}, ${value} px`)
      t.ok((await lookOf(page)).isHintWhole, `the words in the search at ${width}`)
      t.equal(await chip.getAttribute('title'), `Компания: ${org}`)
      const last = (await page.locator('.list-actions > :last-child').boundingBox()) as { x: number; width: number }
      t.ok(last.x + last.width <= width - 20, `the last tool is in sight at ${width}`)
    }
  },
)

browserTest(
  'names are whole while others of a row can still be cut, and a heading takes no more room than its values need',
  async (t, cabinet) => {
    const org = 'ИП Гордеев Алексей Петрович'
    const { alpha } = cabinet.cast.companies
    cabinet.db.update(companies).set({ org }).where(eq(companies.id, alpha)).run()
    const names = { lastname: 'Константинопольский', name: 'Александр', middlename: 'Константинович' }
    cabinet.db.update(users).set(names).where(eq(users.id, cabinet.cast.denis)).run()
    const id = insertOrder(cabinet, 'apply', {
      dealer_id: cabinet.cast.denis,
      company_id: alpha,
      cost: 1_234_567_89,
      date_make: '2026-01-01',
    })
    const page = await cabinet.pageOf('root', { locale: 'ru-RU', viewport: { width: 1100, height: 900 } })
    await page.goto('/orders')
    const isCut = (key: string) =>
      page.locator(`#orders-${id} [data-col=${key}] > .cut`).evaluate((cut) => cut.scrollHeight > cut.clientHeight + 1)
    t.same([await isCut('company'), await isCut('dealer')], [false, true])
    const room = await page.locator('th[data-col=id]').evaluate((head) => head.clientWidth)
    t.ok(room < 70, `the number has ${room} px`)
  },
)

browserTest('a column more of orders leaves all of them in sight, with a late one among them', async (t, cabinet) => {
  const { cast, db } = cabinet
  db.update(companies).set({ org: 'ИП Константинопольский Алексей Петрович' }).where(eq(companies.id, cast.companies.alpha)).run()
  db.update(users).set({ lastname: 'Константинопольский', name: 'Григорий Константинович' }).where(eq(users.id, cast.denis)).run()
  const late = { date_make: '2020-01-01', specification_number: 12_345, cost: 1_250_000_00 }
  const id = insertOrder(cabinet, 'production', { dealer_id: cast.denis, company_id: cast.companies.alpha, ...late })
  const names = Array.from({ length: 4 }, (_, number) => ({
    order_id: id,
    name: `Sectional gate ${number}`,
    quantity: 1,
    price: 100,
    discount: 0,
  }))
  db.insert(orderItems).values(names).run()
  const page = await cabinet.pageOf('root', { locale: 'ru-RU', viewport: { width: 1440, height: 900 } })
  await page.goto('/orders?cols=products')
  const over = await page.locator('.table-responsive').evaluate((place) => place.scrollWidth - place.clientWidth)
  t.equal(over, 0)
  const pill = page.locator(`#orders-${id} .order-status`)
  t.equal(await pill.evaluate((one) => one.scrollWidth - one.clientWidth), 0, 'its status is whole')
})

browserTest('a row of a desk is 38 pixels high, whatever it holds and whoever points at it', async (t, cabinet) => {
  const { denis, companies, order } = cabinet.cast
  insertPayment(cabinet.db, order)
  const page = await cabinet.pageOf('root')
  for (const [address, row] of [
    ['/orders', `#orders-${order}`],
    ['/companies', `#companies-${companies.alpha}`],
    ['/dealers', `#dealers-${denis}`],
    ['/payments', '#payments-1'],
    ['/statuses', '#statuses-table tbody tr:first-child'],
  ] as const) {
    await page.goto(address)
    const height = async () => Math.round((await page.locator(row).boundingBox())?.height ?? 0)
    const atRest = await height()
    t.ok(atRest >= 38 && atRest <= 39, `${address}: ${atRest}`)
    await page.locator(row).hover()
    t.equal(await height(), atRest, `${address}: under the pointer`)
    await page.locator(`${row} .row-link`).first().focus()
    t.equal(await height(), atRest, `${address}: where the keyboard is`)
  }
})
