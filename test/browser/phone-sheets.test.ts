import type { Page } from 'playwright-core'
import { browserTest } from '../support/browser.ts'
import { plantCrowd } from '../support/dealers-list.ts'
import { setOrder } from '../support/orders.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }

/** How far its words and its cross stand from the edges of a sheet, and the cross below its upper one. */
const headOf = (page: Page, sheet: string) =>
  page.evaluate<number[]>(`(() => {
    const whole = document.querySelector('${sheet}').getBoundingClientRect()
    const head = document.querySelector('${sheet} :is(.sheet-head, .menu-head)')
    const words = document.createRange()
    words.selectNodeContents(head.firstElementChild)
    const cross = head.querySelector('.icon').getBoundingClientRect()
    return [words.getBoundingClientRect().left - whole.left, whole.right - cross.right, cross.top - whole.top].map(Math.round)
  })()`)

browserTest('on a phone every sheet has its name and its cross at the same place', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/orders')
  await page.locator('.row-menu').first().tap()
  const ofRow = await headOf(page, '.row-actions > :popover-open')
  t.equal(ofRow.slice(0, 2).join(), '16,16')
  t.notOk(
    await page.evaluate(
      `document.elementFromPoint(1, document.querySelector(':popover-open').getBoundingClientRect().top + 1).closest('.sheet-head')`,
    ),
    'its head is within the round corners',
  )
  await page.keyboard.press('Escape')
  await page.locator('.list-tools-button').tap()
  t.equal((await headOf(page, '.list-tools')).join(), ofRow.join(), 'filters')
  await page.keyboard.press('Escape')
  await page.locator('td.row-select').first().tap()
  await page.locator('.bulk-more > summary').tap()
  t.equal((await headOf(page, '.bulk-more > .dropdown-menu')).join(), ofRow.join(), 'ticked rows')
  setOrder(cabinet, 'new', {})
  for (const [path, menu] of [
    [`/orders/${cabinet.cast.order}`, '.order-tools'],
    ['/orders/board', '.board-card'],
  ] as const) {
    await page.goto(path)
    await page.locator(`${menu} .sheet-menu > summary`).first().tap()
    t.equal((await headOf(page, `${menu} .sheet-menu[open] > .dropdown-menu`)).join(), ofRow.join(), path)
    await page.locator(`${menu} .sheet-menu[open]`).getByRole('button', { name: 'Close' }).tap()
    t.equal(await page.locator('.sheet-menu[open]').count(), 0)
  }
  await page.goto('/orders')
  for (const [opener, sheet] of [
    ['#bell', '#bell-panel'],
    ['summary.person', '.account-menu'],
  ] as const) {
    await page.locator(opener).tap()
    await page.locator(`${sheet} .sheet-head`).waitFor()
    t.equal((await headOf(page, sheet)).join(), ofRow.join(), sheet)
    const { x, y, width, height } = (await page.locator(sheet).boundingBox()) as { x: number; y: number; width: number; height: number }
    t.equal([x, width, y + height].join(), '0,390,844', 'at the lower edge')
    await page.locator(sheet).getByRole('button', { name: 'Close' }).tap()
    await page.locator(sheet).waitFor({ state: 'hidden' })
  }
  await page.locator('.topbar-menu').tap()
  const [start, end] = await headOf(page, '.sidebar')
  t.equal(start, 16)
  t.ok(Math.abs((end as number) - 16) <= 1, 'the menu, but for its border')
})

browserTest('on a phone a dialog is a sheet at the bottom, its buttons one row where they fit', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/orders')
  await page.locator('.row-menu').first().tap()
  await page.locator('.row-actions > :popover-open').locator('.is-trash').tap()
  const dialog = page.getByRole('dialog')
  const { x, y, width, height } = (await dialog.boundingBox()) as { x: number; y: number; width: number; height: number }
  t.equal([x, width, y + height].join(), '0,390,844')
  const rows = await dialog.locator('form .btn').evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top))
  t.equal(new Set(rows).size, 1)
  const cross = dialog.getByRole('button', { name: 'Close' })
  const icon = (await cross.locator('.icon').boundingBox()) as { x: number; width: number }
  t.ok(Math.abs(icon.x + icon.width + 16 - 390) <= 2, 'its cross stands where those of other sheets do')
  await cross.tap()
  await dialog.waitFor({ state: 'hidden' })
  await page.setViewportSize({ width: 1200, height: 800 })
  await page.goto(`/orders/delete?id=${cabinet.cast.order}`)
  t.notOk(await page.locator('.dialog-close').isVisible())
})

browserTest('on a phone the search takes the screen, and a cross closes it', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/orders')
  await page.locator('#find').tap()
  const dialog = page.getByRole('dialog')
  t.equal((await dialog.boundingBox())?.height, 844)
  await dialog.getByRole('button', { name: 'Close' }).tap()
  await dialog.waitFor({ state: 'hidden' })
  await page.setViewportSize({ width: 1200, height: 800 })
  await page.locator('#find').click()
  t.notOk(await dialog.getByRole('button', { name: 'Close' }).isVisible(), 'a desk has Escape')
})

browserTest('on a phone the list of a choice says what is chosen, and each of them on two lines', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('maria', phone)
  await page.goto('/orders/add')
  await page.locator('.ts-control').first().click()
  const list = page.locator('.ts-dropdown:visible')
  t.equal(await list.locator('.sheet-head > strong').innerText(), 'Dealer')
  const dealer = list.getByRole('option', { name: 'Denisov Denis' })
  t.notMatch(await dealer.innerText(), ' · ')
  t.match(await dealer.locator('.option-about').innerText(), 'Alpha')
})

browserTest('on a phone the board leads to each of its columns, and says which is in sight', async (t, cabinet) => {
  setOrder(cabinet, 'production', {})
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/orders/board')
  const jump = page.locator('.board-jumps').getByRole('link', { name: 'In production' })
  await jump.tap()
  const column = page.getByRole('region', { name: 'In production' })
  await page.locator('.board-jumps [aria-current]', { hasText: 'In production' }).waitFor()
  const { x, width } = (await column.boundingBox()) as { x: number; width: number }
  t.ok(x >= 0 && x + width <= 390, 'its column is in sight as a whole')
  await page.setViewportSize({ width: 1200, height: 800 })
  t.notOk(await jump.isVisible(), 'elsewhere all are')
})
