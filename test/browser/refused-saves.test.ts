import { browserTest } from '../support/browser.ts'
import { hasFocus } from '../support/dealers-list.ts'

browserTest(
  'a refused save begins at what is wrong, in sight below the bar: at the names of several, or at the only one',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('admin')
    cabinet.provoked.push(/^422 /)
    const edges = async (place: string) => {
      const box = await page.locator(place).boundingBox()
      const bar = await page.locator('.topbar').boundingBox()
      if (!box || !bar) throw new Error(`no ${place}`)
      return { top: box.y, bottom: box.y + box.height, bar: bar.y + bar.height }
    }
    for (const height of [500, 620, 900]) {
      await page.setViewportSize({ width: 1280, height })
      for (const [width, focused, shown] of [
        ['', '.error-summary', '.error-summary'],
        ['wide', '#width_max', '.field:has(#width_max)'],
      ] as const) {
        await page.goto('/products/add')
        if (width) {
          await page.locator('#article').fill('A-1')
          await page.locator('#name').fill('Window')
          await page.locator('#category_id').selectOption({ index: 1 })
          await page.locator('[id="prices.0.price"]').fill('100')
          await page.locator('details:has(#width_max) > summary').click()
          await page.locator('#width_max').fill(width)
        }
        await page.locator('.save-bar .btn-primary').click()
        await page.locator('.has-error').first().waitFor()
        await page.waitForLoadState('load')
        await page.waitForTimeout(100)
        t.ok(await hasFocus(page.locator(focused)), `${focused} at ${height}`)
        const { top, bottom, bar } = await edges(shown)
        t.ok(top >= bar && bottom <= height, `${shown} at ${height}: ${top} to ${bottom} below ${bar}`)
      }
    }
  },
)
