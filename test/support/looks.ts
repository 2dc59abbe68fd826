import { type OpenCabinet, overflow, type Page, type Test, violations } from './browser.ts'
import { visitEveryPage } from './every-page.ts'
import { isFull } from './scale.ts'

export const wide = { width: 1440, height: 900 }
export const narrow = { width: 375, height: 750 }

const widths = [wide.width, 1100, 390, narrow.width]

/** All accessibility rules once; in a narrow window only its width, and in the long runs colors in dark mode too. */
export async function checkLooks(t: Test, page: Page, name: string): Promise<void> {
  t.same(await violations(page), [], `${name} is accessible`)
  for (const width of widths) {
    await page.setViewportSize({ width, height: width === wide.width ? wide.height : narrow.height })
    t.equal(await overflow(page), 0, `${name} does not scroll sideways at ${width} px`)
  }
  if (isFull) {
    await setTheme(page, 'dark')
    t.same(await violations(page, 'colours'), [], `${name} has readable colors in the dark`)
    await setTheme(page, 'light')
  }
  await page.setViewportSize(wide)
}

export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.evaluate(`document.documentElement.dataset.bsTheme = '${theme}'`)
}

/** Looks at every page wide and narrow: with all rules once, then at the colors of both themes. */
export async function checkEveryPage(t: Test, cabinet: OpenCabinet): Promise<void> {
  await visitEveryPage(t, cabinet, {}, async (page, address) => {
    for (const theme of ['light', 'dark'] as const) {
      await setTheme(page, theme)
      for (const viewport of [wide, narrow]) {
        await page.setViewportSize(viewport)
        const rules = theme === 'light' && viewport === wide ? 'all' : 'colours'
        t.same(await violations(page, rules), [], `${address}, ${theme}, ${viewport.width} px, is accessible`)
        if (theme === 'light') t.equal(await overflow(page), 0, `${address} does not scroll sideways at ${viewport.width} px`)
      }
    }
    await setTheme(page, 'light')
  })
}
