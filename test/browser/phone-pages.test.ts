import { browserTest } from '../support/browser.ts'

const phone = { viewport: { width: 390, height: 844 } }

for (const javaScriptEnabled of [true, false])
  browserTest(
    `on a phone the menu has a button that closes it${javaScriptEnabled ? '' : ', without JavaScript, too'}`,
    async (t, cabinet) => {
      const page = await cabinet.pageOf('root', { ...phone, javaScriptEnabled })
      await page.goto('/')
      const menu = page.locator('#menu')
      t.notOk(await menu.isVisible())
      await page.getByRole('button', { name: 'Menu' }).click()
      await menu.waitFor()
      await menu.getByRole('button', { name: 'Close' }).click()
      await menu.waitFor({ state: 'hidden' })
    },
  )

browserTest('on a phone the tabs of a card are one line with the open one in sight, and bars fill a line', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto(`/company/edit/${cabinet.cast.companies.alpha}?tab=history`)
  const tabs = page.locator('.card-header-tabs')
  const tops = await tabs.getByRole('link').evaluateAll((links) => [...new Set(links.map((link) => link.getBoundingClientRect().top))])
  t.equal(tops.length, 1)
  const open = tabs.locator('[aria-current]')
  const { left, right } = await open.evaluate((link) => link.getBoundingClientRect())
  t.ok(left >= 0 && right <= phone.viewport.width, 'the last tab has been scrolled to')

  await page.goto('/')
  const widths = await page.locator('.stage-bar').evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width))
  t.ok(widths.length > 0)
  for (const width of widths) t.ok(width > 250, `a bar of ${width} px has room for its share`)
})
