import { type OpenCabinet, overflow, type Page, type Test, violations, waitUntil } from './browser.ts'
import type { Name } from './cast.ts'

export const wide = { width: 1440, height: 900 }
export const narrow = { width: 375, height: 750 }

const widths = [wide.width, 1100, narrow.width]

/** All accessibility rules once; in a narrow window only its width. */
export async function checkLooks(t: Test, page: Page, name: string): Promise<void> {
  t.same(await violations(page), [], `${name} is accessible`)
  for (const width of widths) {
    await page.setViewportSize({ width, height: width === wide.width ? wide.height : narrow.height })
    // What floats beside a field is placed anew a moment later.
    t.ok(await waitUntil(async () => (await overflow(page)) === 0), `${name} does not scroll sideways at ${width} px`)
  }
  await page.setViewportSize(wide)
}

/** Pages as these people see them. */
export async function lookAsOthers(t: Test, cabinet: OpenCabinet, pages: Partial<Record<Name, string[]>>): Promise<void> {
  for (const [name, addresses] of Object.entries(pages)) {
    const page = await cabinet.pageOf(name as Name)
    for (const address of addresses) {
      t.equal((await page.goto(address))?.status(), 200)
      t.same(await violations(page), [], `${address} is accessible to ${name}`)
      await page.setViewportSize(narrow)
      t.equal(await overflow(page), 0, `${address} of ${name} does not scroll sideways at 375 px`)
      await page.setViewportSize(wide)
    }
  }
}

export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.evaluate(`document.documentElement.dataset.bsTheme = '${theme}'`)
}
