import { eq } from 'drizzle-orm'
import ExcelJS from 'exceljs'
import { orders } from '../../src/database/schema/index.ts'
import { browserTest, download, overflow, waitUntil } from '../support/browser.ts'
import { cell, hasQuery, hasTotal, plantCrowd, plantDealer, region, rowOf, rows, search } from '../support/dealers-list.ts'
import { insertOrder } from '../support/orders.ts'

browserTest('an administrator sorts, pages and extends the dealer list, and its address keeps the state', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers')
  t.equal(await rows(page).count(), 25)
  await region(page).getByRole('link', { name: 'Company' }).first().click()
  t.ok(await hasQuery(page, { sort: 'company', dir: 'asc' }), 'sorted')
  t.ok(await waitUntil(async () => (await page.locator('th[data-col=company]').getAttribute('aria-sort')) === 'ascending'))
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: '2', exact: true }).click()
  t.ok(await hasQuery(page, { sort: 'company', page: '2' }), 'second page')
  await page.getByRole('navigation', { name: 'Rows per page' }).getByRole('link', { name: '50' }).click()
  t.ok(await hasQuery(page, { sort: 'company', size: '50', page: null }), 'a new size starts on the first page')
  t.ok(await waitUntil(async () => (await rows(page).count()) === 50))
  await page.locator('#dealers-columns > summary').click()
  await page.getByRole('link', { name: 'Created' }).click()
  t.ok(await hasQuery(page, { sort: 'company', size: '50', cols: 'created_at' }), 'a hidden column')
  await page.locator('th[data-col=created_at]').waitFor()
  await page.getByRole('navigation', { name: 'Rows per page' }).getByRole('link', { name: 'All' }).click()
  t.ok(await hasQuery(page, { size: 'all', cols: 'created_at' }))
  t.ok(await waitUntil(async () => (await rows(page).count()) === 60))

  await page.goBack()
  t.ok(await hasQuery(page, { size: '50' }), 'Back leads to the state before')
  t.ok(await waitUntil(async () => (await rows(page).count()) === 50), 'and shows it')
  await page.reload()
  t.equal(await rows(page).count(), 50, 'the address alone is the whole state')
  t.equal(await page.locator('th[data-col=created_at]').count(), 1)
})

browserTest('a search keeps sort order, page size and columns of the list', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers?sort=company&dir=asc&size=50&cols=created_at')
  await search(page, 'crowd')
  t.ok(await hasTotal(page, 55))
  t.ok(await hasQuery(page, { q: 'crowd', sort: 'company', dir: 'asc', size: '50', cols: 'created_at' }), 'the address holds all of it')
  t.equal(await page.locator('th[data-col=created_at]').count(), 1)
  await search(page, 'nothing has this')
  t.ok(await hasTotal(page, 0))
  await region(page).getByRole('link', { name: 'Clear search', exact: true }).click()
  t.ok(await hasTotal(page, 60), 'the search is cleared')
  t.ok(await hasQuery(page, { q: null, sort: 'company', size: '50', cols: 'created_at' }))
  t.equal(await page.getByRole('searchbox').inputValue(), '')
})

browserTest('an administrator exports exactly the dealers that a search found', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers')
  await search(page, 'елка')
  t.ok(await hasTotal(page, 2))
  await page.locator('#dealers-export summary').click()
  const file = await download(page, () => page.getByRole('link', { name: 'Spreadsheet (xlsx)' }).click())
  t.match(file.name, /^dealers_export_\d{8}_\d{6}\.xlsx$/)
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.readFile(file.path)
  const ids = workbook.worksheets[0]?.getColumn(1).values.filter(Number)
  t.same(ids?.sort(), [cabinet.cast.daria, cabinet.cast.vera].sort(), 'only the rows that the search found')
})

browserTest('a manager impersonates a dealer from the list and comes back', async (t, cabinet) => {
  const page = await cabinet.pageOf('maria')
  await page.goto('/dealers?q=denis')
  await rowOf(page, cabinet.cast.denis).getByRole('link', { name: 'Sign in as' }).click()
  const banner = page.locator('#impersonation')
  await banner.waitFor()
  t.match(await banner.innerText(), /Petrova Maria.*Denisov Denis/)
  await page.reload()
  await banner.waitFor()
  await banner.getByRole('button').click()
  t.ok(await hasQuery(page, { q: 'denis' }), 'back on the list where it began')
  t.equal(await banner.count(), 0, 'the banner is gone')
  await rowOf(page, cabinet.cast.denis).waitFor()
})

browserTest('a wide table scrolls inside its frame, a narrow one keeps its header visible', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('admin', { viewport: { width: 768, height: 700 } })
  const place = page.locator('.table-responsive')
  const fits = (answer: 'yes' | 'no') => waitUntil(async () => (await place.getAttribute('data-fits')) === answer)
  await page.goto('/orders?cols=receiver,date_make,date_delivery,date_payment,phone,since,vat,last_message')
  t.ok(await fits('no'))
  t.equal(await overflow(page), 0, 'the page itself does not scroll sideways')
  t.ok(await place.evaluate((element) => element.scrollWidth > element.clientWidth), 'the table does')
  const overflowY = await page.evaluate("getComputedStyle(document.querySelector('.table-responsive')).overflowY")
  t.equal(overflowY, 'hidden', 'and takes no turn of the wheel for itself')

  await page.goto('/dealers')
  t.ok(await fits('yes'))
  await page.mouse.wheel(0, 500)
  const head = region(page).locator('th').nth(2)
  t.ok(await waitUntil(async () => (await page.evaluate<number>('scrollY')) > 300))
  t.match(await head.boundingBox(), { y: 48 }, 'right below the bar at the top')
})

browserTest('a click on a row opens its card', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers?q=denis')
  await cell(page, cabinet.cast.denis, 'lastname').click()
  await page.waitForURL(`**/dealers/edit/${cabinet.cast.denis}**`)
  await page.goBack()
  await rowOf(page, cabinet.cast.denis).getByRole('checkbox').click()
  t.equal(new URL(page.url()).pathname, '/dealers', 'a click on its checkbox does not')
  await cell(page, cabinet.cast.denis, 'lastname').click()
  await page.waitForURL(`**/dealers/edit/${cabinet.cast.denis}**`)
  await page.goBack()
  await page.getByText('1 selected').waitFor()
})

browserTest('what is late and what is not sent stand below a status, and the row grows by it', async (t, cabinet) => {
  const { cast, db } = cabinet
  const id = insertOrder(cabinet, 'production', { dealer_id: cast.denis, company_id: cast.companies.alpha })
  const unsent = insertOrder(cabinet, 'new', { dealer_id: cast.denis, company_id: cast.companies.alpha })
  const page = await cabinet.pageOf('denis', { viewport: { width: 1440, height: 700 } })
  const height = async (order: number) => (await page.locator(`#orders-${order}`).boundingBox())?.height
  await page.goto('/orders')
  const before = await height(id)
  await page.locator(`#orders-${unsent} .order-to-send`).waitFor()
  t.ok(Number(await height(unsent)) <= Number(before) + 12)
  db.update(orders).set({ date_make: '2020-01-01' }).where(eq(orders.id, id)).run()
  await page.goto('/orders')
  await page.locator(`#orders-${id} [data-col=status] .overdue`).waitFor()
  t.ok(Number(await height(id)) <= Number(before) + 12)
  const staff = await cabinet.pageOf('admin', { viewport: { width: 1440, height: 700 } })
  await staff.goto('/orders')
  await staff.locator(`#orders-${id} [data-col=status] .overdue`).waitFor()
  t.ok(Number((await staff.locator(`#orders-${id}`).boundingBox())?.height) <= Number(before) + 12)
})

browserTest('a long name gets the room that the others do not need, and no title is cut in Russian', async (t, cabinet) => {
  const name = ['Константинопольская-Преображенская', 'Елизавета'] as const
  const id = plantDealer(cabinet, ...name, cabinet.cast.companies.alpha, cabinet.cast.maria)
  const page = await cabinet.pageOf('admin', { locale: 'ru-RU', viewport: { width: 1900, height: 700 } })
  const heads = page.locator('.list-table th[data-col]')
  const cut = () => heads.evaluateAll((all) => all.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent))
  const isWhole = () =>
    cell(page, id, 'lastname').evaluate((one) => one.querySelector('.cut')?.clientHeight === one.querySelector('.cut')?.scrollHeight)
  await page.goto('/dealers')
  t.same(await cut(), [])
  t.ok(await isWhole())
  await page.setViewportSize({ width: 800, height: 700 })
  t.notOk(await isWhole(), 'it is cut where there is not enough for all')
  for (const list of ['dealers?cols=created_at,updated_at,invitation', 'companies?cols=city,dealers,open_orders,discount']) {
    await page.goto(`/${list}`)
    t.ok((await heads.count()) > 4, list)
    t.same(await cut(), [], `${list}: all titles are whole`)
  }
})
