import { browserTest } from '../support/browser.ts'
import { plantCrowd } from '../support/dealers-list.ts'
import { setOrder } from '../support/orders.ts'

const phone = { viewport: { width: 390, height: 844 } }

browserTest('on a phone the bar of ticked rows is one line above the rows', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/orders')
  await page.locator('.row-select input').nth(1).check()
  const bar = (await page.locator('.bulk-bar').boundingBox()) as { y: number; height: number }
  t.ok(bar.height < 80, `one line: ${bar.height}`)
  const above = `document.elementFromPoint(30, ${bar.y + bar.height / 2}).closest('.bulk-bar') !== null`
  t.ok(await page.evaluate<boolean>(above), 'nothing of a row lies over it')

  await page.getByRole('button', { name: 'Move to' }).click()
  const dialog = page.getByRole('dialog')
  const last = (await dialog.locator('.bulk-choices li').last().boundingBox()) as { y: number; height: number }
  const foot = (await dialog.locator('.btn-list').boundingBox()) as { y: number; height: number }
  t.ok(last.y + last.height <= foot.y, 'what can be chosen ends above what stays in sight')
  const { y, height } = (await dialog.boundingBox()) as { y: number; height: number }
  t.ok(Math.abs(y + height - foot.y - foot.height) < 3, 'which lies at the edge')
  await page.keyboard.press('Escape')

  await page.locator('.bulk-more summary').click()
  const menu = (await page.locator('.bulk-more .dropdown-menu').boundingBox()) as { x: number; y: number; width: number; height: number }
  t.ok(menu.x >= 0 && menu.x + menu.width <= 390 && menu.y + menu.height <= 844, 'what else can be done is a sheet at the bottom')
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, 'and nothing leads beyond the screen')

  t.ok(await page.locator('.bulk-more').getByRole('button', { name: 'Delete' }).isVisible())
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear' }).click()
  t.notOk(await page.locator('.bulk-bar').isVisible(), 'nothing is ticked any more')
  for (const path of ['/companies', '/stocks']) {
    await page.goto(path)
    await page.locator('.row-select input').nth(1).check()
    const { height } = (await page.locator('.bulk-bar').boundingBox()) as { height: number }
    t.ok(height < 80, `${path}: ${height}`)
  }
})

browserTest('on a phone the bar of ticked rows is one line, what ticks all that was found among it', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('root', { ...phone, locale: 'ru-RU' })
  await page.goto('/dealers?size=25')
  await page.locator('.row-select input').nth(1).check()
  const bar = page.locator('.bulk-bar')
  const { height } = (await bar.boundingBox()) as { height: number }
  t.ok(height < 64, `one line: ${height}`)
  const all = (await bar.locator('[name=all]').boundingBox()) as { x: number; width: number }
  const more = (await bar.locator('> :last-child').boundingBox()) as { x: number; width: number }
  t.ok(all.x > 0 && all.x + all.width < more.x && more.x + more.width <= 390, 'in sight')
  const said = (selector: string) => page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}'), '::before').content`)
  t.equal(await bar.locator('.bulk-count').innerText(), 'Выбрано: 1')
  t.equal(await said('.bulk-bar [data-short]'), '"Все 60" / ""', 'and all there are')
  t.same(await bar.getByRole('button').allInnerTexts(), ['', 'Изменить…'], 'what is done most')
  const change = await bar
    .getByRole('button', { name: 'Изменить…' })
    .evaluate((one) => one.scrollWidth <= one.clientWidth && one.clientHeight < 48)
  t.ok(change, 'in one line and whole')
  await bar.locator('.bulk-more summary').click()
  t.ok(await bar.getByRole('button', { name: 'Пригласить' }).isVisible(), 'the rest is folded')
  t.ok(await bar.evaluate((element) => element.scrollWidth <= element.clientWidth), 'nothing sticks out')
})

browserTest('on a phone the sheet of an order offers its steps, and the one of ticked rows covers the header', async (t, cabinet) => {
  const order = setOrder(cabinet, 'new')
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/orders?open=1')
  const row = page.locator(`#orders-${order}`)
  await row.locator('.row-menu').click()
  const sheet = row.locator(':popover-open')
  t.equal((await sheet.innerText()).split('\n')[0], `#${order}`, 'it is named after its record')
  t.equal(await sheet.getByRole('link', { name: 'Edit', exact: true }).count(), 1, 'which its lines do not repeat')
  await sheet.getByRole('button', { name: 'Close' }).click()
  t.notOk(await sheet.isVisible())
  await row.locator('.row-menu').click()
  await row.getByRole('link', { name: 'Move to…' }).click()
  await page.locator('.dialog .bulk-choices').waitFor()
  t.match(page.url(), /\/orders\?open=1$/)
  await page.keyboard.press('Escape')
  await row.locator('.row-select input').check()
  t.match(await page.locator('.bulk-count').innerText(), '1 selected')
  await page.locator('.bulk-more > summary').click()
  const atTop = `document.elementFromPoint(150, 20).closest('.topbar, .bulk-bar').className`
  t.equal(await page.evaluate(atTop), 'bulk-bar')
  const menu = page.locator('.bulk-more .dropdown-menu')
  t.match(await menu.innerText(), /^Selected rows/, 'it says what it is about')
  await menu.getByRole('button', { name: 'Close' }).click()
  t.notOk(await menu.isVisible())
})
