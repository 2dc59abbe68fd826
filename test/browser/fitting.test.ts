import { eq } from 'drizzle-orm'
import { news, settings, users } from '../../src/database/schema/index.ts'
import { browserTest, type Page } from '../support/browser.ts'
import { insertEntry } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

const russian = { locale: 'ru-RU', viewport: { width: 1440, height: 900 } }

/** By how many pixels what is in this element is wider than it is. */
const excess = (page: Page, selector: string) => page.locator(selector).evaluate((one) => one.scrollWidth - one.clientWidth)

browserTest('Russian texts fit: heads of lists, the table of transitions, the access of a person', async (t, cabinet) => {
  const { db, cast } = cabinet
  db.insert(news)
    .values({ name: 'Planned', publishedon: Date.now() + 3 * 86_400_000 })
    .run()
  const page = await cabinet.pageOf('root', russian)
  await page.goto('/news')
  for (const width of [1440, 1100, 768]) {
    await page.setViewportSize({ width, height: 900 })
    t.equal(await excess(page, '#news-table th[data-col=published]'), 0, `Опубликована at ${width}`)
    t.equal(await excess(page, '#news-table td[data-col=publishedon]'), 0, `a planned day at ${width}`)
  }
  await page.setViewportSize(russian.viewport)
  await page.goto('/statuses')
  t.equal(await excess(page, '#workflow .table-responsive'), 0, 'no column of the transitions is cut')
  await page.goto(`/dealers/edit/${cast.denis}?tab=access`)
  t.equal(await excess(page, '#abilities > .table-responsive'), 0, 'nor of the access')
  const top = (selector: string) =>
    page.evaluate<number>(`{
      const range = document.createRange()
      range.selectNodeContents(document.querySelector('#abilities tbody tr ${selector}'))
      range.getBoundingClientRect().top
    }`)
  t.ok(Math.abs((await top('th')) - (await top('summary > span:last-child'))) <= 1, 'names stand at the height of their row')
  insertEntry(db, cast.companies.alpha, { amount: -1_023_917_20 })
  await page.setViewportSize({ width: 360, height: 900 })
  await page.goto(`/managers/edit/${cast.maria}?tab=overview`)
  t.equal(await excess(page, 'section[aria-labelledby=companies-title]'), 0, 'nor of the companies of a manager on a phone')
  await page.setViewportSize({ width: 390, height: 900 })
  await page.goto('/statuses')
  const roles = page.locator('.workflow-roles a')
  t.ok(
    await roles.evaluateAll((all) => all.every((one) => one.clientHeight < 30 && one.scrollWidth <= one.clientWidth)),
    'roles in one line',
  )
})

browserTest('in lines of an order without a catalog "Количество" is one word, and the remark has the whole width', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', russian)
  await page.goto('/orders/add')
  const box = (selector: string) => page.locator(selector).evaluate((one) => one.getBoundingClientRect())
  for (const width of [1000, 1200, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    t.ok((await box('label[for="items.0.quantity"]')).height < 30, `one line at ${width}`)
    t.ok((await box('[name="items[0][remark]"]')).width > width / 2, `the remark at ${width}`)
  }
})

browserTest('every entry of the menu is in sight on a small desk, or the menu fades out where it goes on', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', russian)
  await page.goto('/')
  t.equal(await page.locator('.sidebar-menu').evaluate((menu) => menu.scrollHeight - menu.clientHeight), 0)
  await page.setViewportSize({ width: 1440, height: 500 })
  const fade = `getComputedStyle(document.querySelector('.sidebar-menu'), '::after')`
  t.match(await page.evaluate(`${fade}.position + ${fade}.backgroundImage`), /^stickylinear-gradient/)
})

browserTest('a long name of the organization is one line beside its mark', async (t, cabinet) => {
  const name = 'Производственно-строительная компания «Северный оконный завод»'
  cabinet.db.update(settings).set({ name }).run()
  const page = await cabinet.pageOf('root', russian)
  await page.goto('/')
  const [height, isCut] = await page
    .locator('.topbar .brand-name')
    .evaluate((text) => [text.getBoundingClientRect().height, text.scrollWidth > text.clientWidth] as const)
  t.ok(height < 30, `${height} px`)
  t.ok(isCut)
})

browserTest('every place of the menu has an icon of its own', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', russian)
  await page.goto('/')
  const drawn = await page.evaluate<
    string[][]
  >(`[...document.querySelectorAll('.sidebar-menu ul:not(.menu-views) > li > a')].map((place) => {
    const { content, width, maskImage, maskPosition } = getComputedStyle(place, '::before')
    return [content, width, maskImage.slice(0, 18), maskPosition]
  })`)
  t.ok(drawn.length > 20)
  for (const [content, width, image] of drawn) t.same([content, width, image], ['""', '20px', 'url("data:image/sv'])
  const [icons, positions] = [new Set(cabinet.app.registry.menu.map(({ icon }) => icon)), new Set(drawn.map((one) => one.at(-1)))]
  t.equal(positions.size, icons.size)
})

browserTest('what was deleted fits a tablet, and its button keeps its name without its words', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { ...russian, viewport: { width: 768, height: 900 } })
  await page.goto(`/stocks/delete?id=${cabinet.cast.stock}`)
  await page.locator('main form .btn-danger').click()
  await page.waitForURL('**/stocks')
  await page.goto('/bin')
  t.equal(await excess(page, '#bin-table .table-responsive'), 0)
  const width = async (selector: string) => (await page.locator(selector).boundingBox())?.width ?? 0
  t.ok((await width('th[data-col=what]')) > 110, 'the first column has room for words')
  const button = page.getByRole('button', { name: /^Восстановить: / })
  t.ok(((await button.boundingBox())?.width ?? 99) < 60)
  await page.setViewportSize(russian.viewport)
  t.ok(((await button.boundingBox())?.width ?? 0) > 100, 'there is room on a desk')
})

browserTest('a wide logo leaves the parties of a printed order the width of the sheet', async (t, cabinet) => {
  const id = insertOrder(cabinet, 'new', { dealer_id: cabinet.cast.denis })
  cabinet.db.update(settings).set({ logo: 'aa' }).run()
  const page = await cabinet.pageOf('root', russian)
  const body = '<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="600"><rect width="2000" height="600"/></svg>'
  await page.route('**/logo/*', (route) => route.fulfill({ contentType: 'image/svg+xml', body }))
  await page.goto(`/orders/${id}/sheet`)
  const width = (selector: string) => page.locator(selector).evaluate((one) => one.clientWidth)
  t.ok((await width('.sheet-logo')) > 150)
  t.equal(await width('.sheet-parties'), await width('.sheet table'))
})

browserTest('the columns of an import have room for their fields on a phone, and its save stays in sight', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { ...russian, viewport: { width: 390, height: 844 } })
  await page.goto('/companies/import')
  const buffer = Buffer.from('Организация;Странное\nООО Вега;1')
  await page.locator('[name=file]').setInputFiles({ name: 'sheet.csv', mimeType: 'text/csv', buffer })
  await page.locator('form[enctype] .btn-primary').click()
  await page.waitForURL(/\/imports\/\d+$/)
  await page.getByText('Распознан 1 столбец').click()
  const cells = page.locator('.import-columns td')
  t.same(new Set(await cells.evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth))), new Set([0]))
  const widths = await page.locator('.import-columns select').evaluateAll((all) => all.map((one) => one.clientWidth))
  t.ok(Math.min(...widths) > 160, `fields are ${widths} wide`)
  const save = (await page.locator('#save-import .btn-primary').boundingBox()) as { y: number; height: number }
  t.ok(save.y + save.height <= 844, `its button ends at ${save.y + save.height}`)
})

browserTest('what a page offers in its heading ends before the search', async (t, cabinet) => {
  const long = { lastname: 'Константинопольская', name: 'Елизавета' }
  cabinet.db.update(users).set(long).where(eq(users.id, cabinet.cast.root)).run()
  const page = await cabinet.pageOf('root', russian)
  await page.goto('/orders')
  for (const width of [1280, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    const add = (await page.locator('.page-actions > :last-child').boundingBox()) as { x: number; width: number }
    const search = (await page.locator('#find').boundingBox()) as { x: number }
    t.ok(search.x - add.x - add.width >= 8, `${width}: from ${add.x + add.width} to ${search.x}`)
  }
})

browserTest('tools of a list take a second line where what filters leaves them no room', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', russian)
  for (const filters of ['delayed=1', 'open=1&delayed=1', `delayed=1&company=${cabinet.cast.companies.alpha}`]) {
    await page.goto(`/orders?${filters}&sort=since&dir=asc&cols=since`)
    for (const width of [1000, 1100, 1200]) {
      await page.setViewportSize({ width, height: 900 })
      t.equal(await excess(page, 'html'), 0, `${filters} at ${width}`)
    }
  }
})
