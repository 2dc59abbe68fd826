import { browserTest, waitUntil } from '../support/browser.ts'
import { insertEntry } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

const maskOfTabs = `getComputedStyle(document.querySelector('.list-tabs .nav')).maskImage`

const phone = { viewport: { width: 390, height: 844 } }

browserTest(
  'on a phone search, and filters with tools, are icons beside the title of every list; the button says how many filters are set',
  async (t, cabinet) => {
    insertEntry(cabinet.db, cabinet.cast.companies.alpha)
    const page = await cabinet.pageOf('root', phone)
    const placeOf = async (selector: string) =>
      (await page.locator(selector).first().boundingBox()) as { x: number; y: number; width: number }
    for (const [path, rows] of [
      ['/orders', 2],
      ['/dealers', 1],
      ['/ledger', 1],
      ['/activity', 1],
    ] as const) {
      await page.goto(path)
      t.ok((await placeOf('tbody tr')).y - (await placeOf('.list-card')).y < rows * 60, path)
      const [title, search, tools] = [await placeOf('h1'), await placeOf('.list-search'), await placeOf('.list-tools-button')]
      t.ok(search.width < 50 && Math.abs(search.y - title.y) < 4 && Math.abs(tools.y - title.y) < 4, `${path}: icons beside the title`)
      for (const action of await page.locator('.page-actions > *:visible').all()) {
        const { x, y, width } = (await action.boundingBox()) as { x: number; y: number; width: number }
        t.ok(x + width <= search.x || y > search.y + 40, `${path}: they cover nothing`)
      }
      await page.locator('.list-search').click()
      t.ok((await placeOf('.list-search')).width > 300, `${path}: the search has the width once it is used`)
      await page.keyboard.press('Tab')
      t.notOk(await page.locator('.list-tools').isVisible(), `${path}: filters and tools wait`)
      const isEmptyStrip = `(footer => footer.offsetHeight > 0 && footer.innerText.trim() === '')(document.querySelector('.list-footer'))`
      t.notOk(await page.evaluate(isEmptyStrip), `${path}: no empty strip below the rows`)
    }
    await page.goto('/orders')
    t.equal(await page.evaluate(maskOfTabs), 'none', 'tabs that have room are whole')
    for (const status of ['apply', 'payment', 'production', 'delivery', 'install']) insertOrder(cabinet, status)
    await page.reload()
    const fade = await page.evaluate<string>(maskOfTabs)
    t.match(fade, /100% - 56px/, 'tabs that go on fade out')
    await page.locator('.list-tabs .nav').evaluate((tabs) => tabs.scrollTo(tabs.scrollWidth, 0))
    t.ok(await waitUntil(async () => (await page.evaluate(maskOfTabs)) === 'none'), 'as long as they do')
    const button = page.getByRole('button', { name: 'Filters' })
    const sheet = page.locator('.list-tools')
    await button.click()
    t.ok(((await sheet.getByText('Export', { exact: true }).boundingBox())?.width ?? 0) > 20, 'tools have names')
    await sheet.getByRole('link', { name: 'In progress' }).click()
    await page.locator('.list-tools-button', { hasText: '1' }).waitFor()
    t.ok(await sheet.isVisible(), 'one may go on choosing')
    const found = await page.locator('.list-region').getAttribute('data-total')
    await sheet.getByRole('button', { name: `Show ${found}`, exact: true }).click()
    t.notOk(await sheet.isVisible(), 'what was found is looked at')
    await button.click()
    await sheet.getByRole('link', { name: 'In progress' }).click()
    await page.locator('.list-tools-button:not(:has(.badge))').waitFor()
    await sheet.getByRole('link', { name: 'More filters' }).click()
    await sheet.getByRole('button', { name: 'Show' }).waitFor()
    t.ok(await sheet.isVisible(), 'what opens more choices leaves it open')
  },
)

browserTest('without scripts, choices that load when they are opened are seen on a phone', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { ...phone, javaScriptEnabled: false })
  await page.goto('/orders')
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByRole('link', { name: 'More filters' }).click()
  await page.locator('.further-filters').getByRole('button', { name: 'Show' }).waitFor()
  t.match(page.url(), /choose=filters/)
})

browserTest('on a phone the sheet of filters keeps its head and its foot in sight', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/orders')
  const sheet = page.locator('.list-tools')
  await page.getByRole('button', { name: 'Filters' }).click()
  await sheet.getByRole('link', { name: 'More filters' }).click()
  const show = sheet.getByRole('button', { name: 'Show' })
  const close = sheet.getByRole('button', { name: 'Close' })
  for (const top of [0, 10_000]) {
    await sheet.evaluate((element, to) => element.scrollTo(0, to), top)
    for (const button of [show, close]) {
      const { y, height } = (await button.boundingBox()) as { y: number; height: number }
      t.ok(y >= 0 && y + height <= 844, `in sight, scrolled to ${top}: ${y}`)
    }
  }
  t.ok(((await show.boundingBox())?.width ?? 0) > 340, 'as wide as the sheet')
  await close.click()
  await sheet.waitFor({ state: 'hidden' })
})

browserTest(
  'on a phone what filters is named beside the search, and is taken off there; tools stand under a name of their own',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('root', phone)
    await page.goto(`/orders?company=${cabinet.cast.companies.alpha}&open=1`)
    const chosen = page.locator('.list-chosen')
    t.match(await chosen.innerText(), /In progress\s+Alpha Windows/)
    const [tabs, chip] = [page.locator('.list-tabs'), chosen.locator('.btn').first()]
    const [above, below] = [await tabs.boundingBox(), await chip.boundingBox()]
    t.ok(above && below && below.y - above.y - above.height >= 8, 'apart from the tabs')
    const groundOf = (one: string) => page.evaluate<string>(`getComputedStyle(document.querySelector('${one}')).backgroundColor`)
    const ground = await groundOf('.list-chosen .btn')
    await page.locator('.list-tools-button').click()
    const heading = `getComputedStyle(document.querySelector('.list-actions'), '::before').content`
    t.match(await page.evaluate(heading), /^"Actions"/)
    await page.keyboard.press('Escape')
    await chosen.getByRole('link', { name: 'Remove filter: Company' }).click()
    await page.waitForURL('**/orders?open=1')
    await page.setViewportSize({ width: 1100, height: 800 })
    t.notOk(await chosen.isVisible(), 'a desk has chips')
    t.equal(await groundOf('.list-tools .tag'), ground, 'that look the same')
    t.notOk(await page.locator('.list-tools-show').isVisible(), 'and shows at once what was found')
  },
)

browserTest('on a phone the sheet of a list sorts it, and its rows keep their menus; columns are for wide screens', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/dealers')
  await page.locator('.list-tools-button').click()
  t.notOk(await page.locator('#dealers-columns').isVisible())
  const sorts = page.locator('#dealers-sorts')
  t.match(await sorts.innerText(), /^Sorting\s+Last name$/)
  await sorts.locator('summary').click()
  t.equal(await sorts.locator('[aria-current]').innerText(), 'Last name')
  await sorts.getByRole('link', { name: 'Company' }).click()
  await page.waitForURL('**/dealers?sort=company&dir=asc')
  await page.locator('.list-tools').waitFor({ state: 'hidden' })
  t.ok(await page.locator('.row-menu').first().isVisible())
  await page.setViewportSize({ width: 1100, height: 800 })
  t.notOk(await sorts.isVisible(), 'headings sort on a wide screen')
  t.ok(await page.locator('#dealers-columns').isVisible())
})

browserTest(
  'on a phone one button ends the sheet of filters and says how much is found; days have room to be typed',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('denis', { ...phone, locale: 'ru-RU' })
    insertEntry(cabinet.db, cabinet.cast.companies.alpha, { date: '2026-01-15' })
    await page.goto('/ledger')
    await page.locator('.list-tools-button').click()
    await page.locator('[id$=-range] > summary').click()
    t.same(await page.locator('.list-tools .btn-primary:visible').allInnerTexts(), ['Показать 1'])
    const cutDays = `[...document.querySelectorAll('.date-field input')].filter((input) => input.checkVisibility()).map((input) => {
      input.value = input.placeholder
      const isCut = input.scrollWidth > input.clientWidth
      input.value = ''
      return isCut
    })`
    t.same(await page.evaluate(cutDays), [false, false])
    await page.locator('#ledger-more-filters').click()
    await page.locator('.further-filters').waitFor()
    t.same(await page.locator('.list-tools .btn-primary:visible').allInnerTexts(), ['Показать 1'])
  },
)
