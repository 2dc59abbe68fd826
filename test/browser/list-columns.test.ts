import { deliveries, notifications } from '../../src/database/schema/index.ts'
import { createNews } from '../../src/modules/news/news.ts'
import { browserTest, type Page } from '../support/browser.ts'
import { plantCrowd } from '../support/dealers-list.ts'
import { author } from '../support/news.ts'
import { notifyRecipients } from '../support/notify.ts'

// One line a row and nothing broken inside a word, whatever columns are switched on.

const hidden = {
  orders: 'date_make,date_delivery,date_payment,receiver,phone,since,vat,last_message',
  dealers: 'created_at,updated_at,invitation',
  companies: 'city,dealers,open_orders,discount,created_at,updated_at',
  managers: '',
  admins: '',
  productions: '',
  news: '',
  statuses: '',
  stocks: '',
  categories: '',
}

browserTest('rows of lists stand on one line with every column switched on, at every width, in both languages', async (t, cabinet) => {
  plantCrowd(cabinet)
  createNews(
    cabinet.db,
    { name: 'Gates', description: `<p>${'A gate is as wide as its opening. '.repeat(20)}</p>`, published: true },
    author,
  )
  for (const locale of ['en-US', 'ru-RU']) {
    const page = await cabinet.pageOf('root', { locale })
    for (const [list, cols] of Object.entries(hidden))
      for (const width of [1440, 1100, 1024, 768]) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(`/${list}?cols=${cols}&size=25`)
        t.same(await brokenCells(page), [], `/${list} at ${width} in ${locale}`)
        t.equal(await sticksOut(page), 0, `/${list} at ${width} in ${locale}: only the table scrolls sideways`)
      }
    await page.close()
  }
})

/** Texts of cells and heads on more than one line, and such as are cut off without dots. */
function brokenCells(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('.list-compact :is(th, td)')]
    .filter((cell) => cell.clientHeight > (cell.tagName === 'TH' ? 33 : 40)
      || (cell.scrollWidth > cell.clientWidth && getComputedStyle(cell).textOverflow !== 'ellipsis')
      || [...cell.querySelectorAll(':scope > :not(.visually-hidden)')].some((inner) => inner.scrollWidth > inner.clientWidth + 1 && getComputedStyle(inner).overflowX === 'hidden' && getComputedStyle(inner).textOverflow !== 'ellipsis'))
    .map((cell) => (cell.dataset.col ?? cell.className) + ': ' + cell.innerText)`)
}

function sticksOut(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
}

browserTest('the buttons of rows stand within their column', async (t, cabinet) => {
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
      const [own, cell] = [button, button.closest('td')].map((element) => element.getBoundingClientRect())
      return own.left < cell.left - 1 || own.right > cell.right + 1 || own.right > right
    })
    return [all.length, ...outside.map((button) => button.outerHTML)]
  })()`)
}

browserTest('a text that its column cuts off is read by pointing at it, or by the keyboard', async (t, cabinet) => {
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
  const height = (await row.boundingBox())?.height ?? 0
  await row.locator('.row-link').focus()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  t.ok(((await row.boundingBox())?.height ?? 0) > height, 'the whole is shown where the keyboard is')
})

browserTest('a list shows its first row early and some twenty rows at a time', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('root')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/dealers?size=25')
  const tops = (): Promise<[number, number][]> =>
    page.evaluate(
      `[...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])`,
    )
  const [first] = await tops()
  t.ok((first?.[0] ?? 900) < 260, 'the first row stands above 260 px')
  await page.evaluate('window.scrollTo(0, 300)')
  const seen = (await tops()).filter(([top, bottom]) => top >= 80 && bottom <= 900)
  t.ok(seen.length >= 20, `${seen.length} rows are in sight`)
})
