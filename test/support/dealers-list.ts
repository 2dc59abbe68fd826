import { eq } from 'drizzle-orm'
import { group } from '../../src/core/access.ts'
import { write } from '../../src/database/open.ts'
import { users } from '../../src/database/schema/index.ts'
import { browserTest, type Locator, type OpenCabinet, type Page, type Test, waitUntil } from './browser.ts'

/** What people do, with JavaScript and, because it differs, without it. */
export function journey(name: string, walk: (t: Test, cabinet: OpenCabinet, js: boolean) => Promise<void>): void {
  browserTest(`${name}, with JavaScript`, (t, cabinet) => walk(t, cabinet, true))
  browserTest(`${name}, without JavaScript`, (t, cabinet) => walk(t, cabinet, false))
}

export function plantDealer({ db }: OpenCabinet, lastname: string, name: string, company_id: number, manager_id: number): number {
  const person = { lastname, name, email: `${crypto.randomUUID()}@example.com`, password: 'none' }
  const values = { ...person, company_id, manager_id, group_id: group.dealer }
  return Number(db.insert(users).values(values).run().lastInsertRowid)
}

/** Enough dealers for three pages, on top of the five of the cast. */
export function plantCrowd(cabinet: OpenCabinet): void {
  const { alpha } = cabinet.cast.companies
  write(cabinet.db, () => {
    for (let number = 1; number <= 55; number++)
      plantDealer(cabinet, `Crowd${String(number).padStart(2, '0')}`, 'Member', alpha, cabinet.cast.maria)
  })
}

export const dealerOf = ({ db }: OpenCabinet, id: number) => db.select().from(users).where(eq(users.id, id)).get()

export const region = (page: Page) => page.locator('#dealers-table')
export const rows = (page: Page) => page.locator('tr[id^="dealers-"]')
export const rowOf = (page: Page, id: number) => page.locator(`#dealers-${id}`)
export const cell = (page: Page, id: number, column: string) => rowOf(page, id).locator(`td[data-col="${column}"]`)

/** The message that has these words (letters, digits and spaces): "saved" is not found in "Unsaved changes". */
export function message(page: Page, text: string) {
  return page.getByRole('status').filter({ hasText: new RegExp(`(?<![\\p{L}\\d])${text}`, 'u') })
}

const query = (page: Page) => new URL(page.url()).searchParams

export function hasTotal(page: Page, total: number): Promise<boolean> {
  return waitUntil(async () => (await region(page).getAttribute('data-total')) === String(total))
}

export function hasQuery(page: Page, wanted: Record<string, string | null>): Promise<boolean> {
  return waitUntil(async () => Object.entries(wanted).every(([name, value]) => query(page).get(name) === value))
}

/** A switch shows its new state at once: this waits until the server has answered, too. */
export const isSwitched = (button: Locator, state: boolean) =>
  waitUntil(
    async () => (await button.and(button.page().locator(`[aria-checked=${state}]`)).count()) === 1 && (await underWay(button)) === 0,
  )

const underWay = (button: Locator) => button.locator('xpath=ancestor::form[contains(@class, "htmx-request")]').count()

export const hasFocus = (place: Locator) => waitUntil(() => place.evaluate((element) => element.matches(':focus')))

/** Types a search as a person would: htmx answers by itself, otherwise Enter does. */
export async function search(page: Page, text: string, js = true): Promise<void> {
  // What is typed before the scripts have begun searches only with Enter.
  if (js) await waitUntil(() => page.evaluate<boolean>(`!!document.querySelector('[data-htmx-powered]')`))
  await page.getByRole('searchbox').fill(text)
  if (!js) await page.getByRole('searchbox').press('Enter')
}

export async function askToDelete(page: Page, ids: number[]): Promise<void> {
  for (const id of ids) await rowOf(page, id).getByRole('checkbox').check()
  await pressDelete(page)
}

/** Of the ticked rows. */
export async function pressDelete(page: Page): Promise<void> {
  await page.locator('.bulk-more > summary').click()
  await page.locator('.bulk-more').getByRole('button', { name: 'Delete' }).click()
}

/** The confirmation: a dialog with JavaScript, a page of its own without. */
export async function confirmation(t: Test, page: Page, js = true): Promise<Locator> {
  const place = page.getByRole(js ? 'dialog' : 'main')
  await place.getByRole('heading', { name: /^Delete/ }).waitFor()
  const cancel = place.getByRole('link', { name: 'Cancel' }).or(place.getByRole('button', { name: 'Cancel' }))
  if (js) t.ok(await hasFocus(cancel), 'the focus is on Cancel')
  return place
}

/** What was typed is not lost by a slip: the browser asks first. */
export async function refusesToLeave(t: Test, page: Page): Promise<void> {
  await page.waitForLoadState()
  const asked = page.waitForEvent('dialog')
  const left = page.getByRole('main').getByRole('link', { name: 'Dealers' }).click()
  const dialog = await asked
  t.equal(dialog.type(), 'beforeunload', 'asks before unsaved changes are lost')
  await dialog.dismiss()
  await left
}
