import type { Page, Test } from './browser.ts'
import { overflow, violations } from './browser.ts'

export const wide = { width: 1400, height: 900 }
export const narrow = { width: 375, height: 750 }

/** All accessibility rules once; in dark mode and a narrow window only those about color and width. */
export async function checkLooks(t: Test, page: Page, name: string): Promise<void> {
  t.same(await violations(page), [], `${name} is accessible`)
  t.equal(await overflow(page), 0, `${name} does not scroll sideways at 1400 px`)
  await page.setViewportSize(narrow)
  t.equal(await overflow(page), 0, `${name} does not scroll sideways at 375 px`)
  await setTheme(page, 'dark')
  t.same(await violations(page, 'colours'), [], `${name} has readable colors in the dark`)
  await setTheme(page, 'light')
  await page.setViewportSize(wide)
}

export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.evaluate(`document.documentElement.dataset.bsTheme = '${theme}'`)
}
