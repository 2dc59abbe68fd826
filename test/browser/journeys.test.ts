import { setTimeout as pause } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import ExcelJS from 'exceljs'
import { group } from '../../src/core/access.ts'
import { searchText } from '../../src/core/text.ts'
import { write } from '../../src/database/open.ts'
import { categoryCompany, companies, users } from '../../src/database/schema/index.ts'
import { browserTest, type Locator, type OpenCabinet, overflow, type Page, signIn, type Test, waitUntil } from '../support/browser.ts'

// What people do, each journey with JavaScript and without it.

interface Journey {
  t: Test
  cabinet: OpenCabinet
  js: boolean
}

function journey(name: string, walk: (journey: Journey) => Promise<void>): void {
  browserTest(`${name}, with JavaScript`, (t, cabinet) => walk({ t, cabinet, js: true }))
  browserTest(`${name}, without JavaScript`, (t, cabinet) => walk({ t, cabinet, js: false }))
}

const browser = ({ js }: Journey) => ({ javaScriptEnabled: js })

function plantDealer({ db }: OpenCabinet, lastname: string, name: string, company_id: number, manager_id: number): number {
  const person = { lastname, name, email: `${crypto.randomUUID()}@example.com`, password: 'none' }
  const values = { ...person, company_id, manager_id, group_id: group.dealer, search: searchText(`${lastname} ${name}`) }
  return Number(db.insert(users).values(values).run().lastInsertRowid)
}

/** Enough dealers for three pages, on top of the five of the cast. */
function plantCrowd(cabinet: OpenCabinet): void {
  const { alpha } = cabinet.cast.companies
  write(cabinet.db, () => {
    for (let number = 1; number <= 55; number++)
      plantDealer(cabinet, `Crowd${String(number).padStart(2, '0')}`, 'Member', alpha, cabinet.cast.maria)
  })
}

const dealerOf = ({ db }: OpenCabinet, id: number) => db.select().from(users).where(eq(users.id, id)).get()

const region = (page: Page) => page.locator('#dealers-table')
const rows = (page: Page) => page.locator('tr[id^="dealers-"]')
const rowOf = (page: Page, id: number) => page.locator(`#dealers-${id}`)
const cell = (page: Page, id: number, column: string) => rowOf(page, id).locator(`td[data-col="${column}"]`)
const message = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text })
const query = (page: Page) => new URL(page.url()).searchParams

function hasTotal(page: Page, total: number): Promise<boolean> {
  return waitUntil(async () => (await region(page).getAttribute('data-total')) === String(total))
}

function hasQuery(page: Page, wanted: Record<string, string | null>): Promise<boolean> {
  return waitUntil(async () => Object.entries(wanted).every(([name, value]) => query(page).get(name) === value))
}

const isSwitched = (button: Locator, state: boolean) => waitUntil(async () => (await button.getAttribute('aria-checked')) === String(state))

const hasFocus = (place: Locator) => waitUntil(() => place.evaluate((element) => element.matches(':focus')))

/** Types a search as a person would: htmx answers by itself, otherwise Enter does. */
async function search(page: Page, text: string, js: boolean): Promise<void> {
  await page.getByRole('searchbox').fill(text)
  if (!js) await page.getByRole('searchbox').press('Enter')
}

journey('a manager corrects a dealer', async (journey) => {
  const { t, cabinet, js } = journey
  const anna = plantDealer(cabinet, 'Соловьёва', 'Анна', cabinet.cast.companies.alpha, cabinet.cast.maria)
  const page = await cabinet.newPage(browser(journey))
  await page.goto('/dealers')
  await signIn(page, 'maria')
  t.equal(new URL(page.url()).pathname, '/dealers', 'the sign-in leads to the page that was wanted')

  await search(page, 'соловьев', js)
  t.ok(await hasTotal(page, 1), 'the search finds one')
  t.ok(await hasQuery(page, { q: 'соловьев' }), 'the address holds the search')
  await rowOf(page, anna).getByRole('link').first().click()
  await page.waitForURL(`**/dealers/edit/${anna}**`)
  await page.locator('input[name=name]').fill('Инна')
  await page.getByRole('button', { name: 'Save' }).click()
  await message(page, 'Saved').waitFor()
  t.equal(await page.locator('input[name=name]').inputValue(), 'Инна')
  t.equal(dealerOf(cabinet, anna)?.name, 'Инна')

  await page.getByRole('main').getByRole('link', { name: 'Dealers' }).click()
  t.ok(await hasQuery(page, { q: 'соловьев' }), 'the way back leads to the list as it was')
  t.equal(await page.getByRole('searchbox').inputValue(), 'соловьев')
  t.equal(await cell(page, anna, 'name').innerText(), 'Инна')

  const active = rowOf(page, anna).getByRole('switch')
  for (const state of [false, true]) {
    await active.click()
    t.ok(await isSwitched(active, state), `switched ${state ? 'on' : 'off'}`)
    t.equal(dealerOf(cabinet, anna)?.active, state)
    t.ok(await hasQuery(page, { q: 'соловьев' }), 'the list stays as it was')
  }
})

journey('a manager sends a form that cannot be saved', async (journey) => {
  const { t, cabinet, js } = journey
  cabinet.provoked.push(/^422 \/dealers\/edit/)
  const { denis } = cabinet.cast
  const page = await cabinet.pageOf('maria', browser(journey))
  await page.goto('/dealers?q=denis')
  await rowOf(page, denis).getByRole('link', { name: 'Edit' }).click()
  const lastname = page.locator('input[name=lastname]')
  await lastname.fill('')
  await page.locator('input[name=middlename]').fill('Typed')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  t.equal(await lastname.getAttribute('aria-invalid'), 'true')
  t.match(await lastname.getAttribute('aria-describedby'), /lastname-error/)
  t.equal(await page.locator('#lastname-error').innerText(), 'Required')
  t.equal(await page.locator('input[name=middlename]').inputValue(), 'Typed', 'what was typed is kept')
  t.equal(dealerOf(cabinet, denis)?.lastname, 'Denisov', 'nothing was saved')
  if (js) t.ok(await hasFocus(lastname), 'the focus is where work continues')
  if (js) await refusesToLeave(t, page)
  await lastname.fill('Denisenko')
  await page.getByRole('button', { name: 'Save' }).click()
  await message(page, 'Saved').waitFor()
  t.match(dealerOf(cabinet, denis), { lastname: 'Denisenko', middlename: 'Typed' })
  await page.getByRole('main').getByRole('link', { name: 'Dealers' }).click()
  t.ok(await hasQuery(page, { q: 'denis' }), 'the way back still leads to the list as it was')
})

/** What was typed is not lost by a slip: the browser asks first. */
async function refusesToLeave(t: Test, page: Page): Promise<void> {
  await page.waitForLoadState()
  const asked = page.waitForEvent('dialog')
  const left = page.getByRole('main').getByRole('link', { name: 'Dealers' }).click()
  const dialog = await asked
  t.equal(dialog.type(), 'beforeunload', 'asks before unsaved changes are lost')
  await dialog.dismiss()
  await left
}

journey('an administrator adds a company and its dealer', async (journey) => {
  const { t, cabinet, js } = journey
  cabinet.provoked.push(/^422 \/dealers\/add/)
  const page = await cabinet.pageOf('admin', browser(journey))
  await page.goto('/companies')
  await page.getByRole('link', { name: 'Add company' }).click()
  await page.locator('input[name=org]').fill('ООО «Новая заря»')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.waitForURL('**/company/edit/*')
  t.equal(await page.locator('input[name=org]').inputValue(), 'ООО «Новая заря»')
  const company = cabinet.db.select().from(companies).where(eq(companies.org, 'ООО «Новая заря»')).get()

  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Dealers' }).click()
  await page.getByRole('link', { name: 'Add dealer' }).click()
  await page.locator('select[name=company_id]').selectOption({ label: 'ООО «Новая заря»' })
  await fill(page, { lastname: 'Новиков', name: 'Игорь', email: 'denis@example.com', password: 'a good password' })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  t.equal(await page.locator('#email-error').innerText(), 'This email is already in use.')
  t.equal(await page.locator('select[name=company_id]').inputValue(), String(company?.id), 'what was chosen is kept')
  t.equal(await page.locator('input[name=password]').inputValue(), '', 'a password is never shown again')
  await fill(page, { email: 'igor@example.com', password: 'a good password' })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.waitForURL('**/dealers/edit/*')
  const igor = cabinet.db.select().from(users).where(eq(users.email, 'igor@example.com')).get()
  t.match(igor, { lastname: 'Новиков', company_id: company?.id, manager_id: cabinet.cast.admin, active: true })

  await page.getByRole('main').getByRole('link', { name: 'Dealers' }).click()
  await search(page, 'новая заря', js)
  t.ok(await hasTotal(page, 1), 'the list finds the dealer by the new company')
  t.equal(await cell(page, igor?.id ?? 0, 'company').innerText(), 'ООО «Новая заря»')
})

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.locator(`input[name=${name}]`).fill(value)
}

journey("an administrator keeps a company's discounts and files", async (journey) => {
  const { t, cabinet, js } = journey
  cabinet.provoked.push(/^422 \/company\/edit/)
  const { alpha } = cabinet.cast.companies
  const stored = () => cabinet.db.select().from(categoryCompany).where(eq(categoryCompany.company_id, alpha)).all()
  const page = await cabinet.pageOf('admin', browser(journey))
  await page.goto(`/company/edit/${alpha}`)
  await page.locator('input[name=address]').fill('Lenina 1')
  await page.getByRole('group', { name: 'Category discounts' }).getByRole('button', { name: 'Add discount' }).click()
  const category = page.locator('select[name="discounts[0][category_id]"]')
  await category.waitFor()
  if (js) t.ok(await hasFocus(category), 'the focus is in the new row')
  t.equal(await page.locator('input[name=address]').inputValue(), 'Lenina 1', 'a new row loses nothing')
  t.equal(cabinet.db.select().from(companies).where(eq(companies.id, alpha)).get()?.address, null, 'nor saves it')

  await category.selectOption({ label: 'Windows' })
  await page.locator('input[name="discounts[0][discount]"]').fill('150')
  await page.getByRole('button', { name: 'Save' }).click()
  t.match(await page.locator('[id="discounts.0.discount-error"]').innerText(), '0 to 100')
  await page.locator('input[name="discounts[0][discount]"]').fill('15')
  await page.locator('input[name="discounts[0][discount]"]').press('Enter')
  await message(page, 'Saved').waitFor()
  t.match(stored(), [{ category_id: cabinet.cast.category, discount: 15 }], 'Enter saves')

  await page.getByRole('group', { name: 'Files' }).getByRole('button', { name: 'Add file' }).click()
  await page.locator('input[name="files[0][name]"]').fill('Contract')
  const file = { name: 'contract.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF\n') }
  await page.locator('input[name="files[0][file]"]').setInputFiles(file)
  await page.getByRole('group', { name: 'Category discounts' }).getByRole('button', { name: 'Remove line' }).click()
  await waitUntil(async () => (await category.count()) === 0)
  t.equal(stored().length, 1, 'a removed row stays until the form is saved')
  if (!js) await page.locator('input[name="files[0][file]"]').setInputFiles(file)
  await page.getByRole('button', { name: 'Save' }).click()
  t.ok(await waitUntil(async () => stored().length === 0), 'removed')
  const download = page.waitForEvent('download')
  await page.getByRole('group', { name: 'Files' }).getByRole('link', { name: 'Download' }).click()
  t.ok(await (await download).path(), 'the file can be fetched')
})

journey('two people correct the same company', async (journey) => {
  const { t, cabinet } = journey
  cabinet.provoked.push(/^409 \/company\/edit/)
  const { alpha } = cabinet.cast.companies
  const stored = () => cabinet.db.select().from(companies).where(eq(companies.id, alpha)).get()
  const page = await cabinet.pageOf('admin', browser(journey))
  await page.goto(`/company/edit/${alpha}`)
  const other = await cabinet.as('maria')
  await other.post(`/company/edit/${alpha}`, { bank: 'Their bank', inn: '7707083893' })
  await page.locator('input[name=address]').fill('My street')
  await page.getByRole('button', { name: 'Save' }).click()
  await message(page, 'Bank').waitFor()
  t.match(stored(), { address: 'My street', bank: 'Their bank' }, 'different fields are merged, and it is said')

  await other.post(`/company/edit/${alpha}`, { address: 'Their street' })
  await page.locator('input[name=address]').fill('My new street')
  await page.getByRole('button', { name: 'Save' }).click()
  const clash = page.getByRole('alert')
  await clash.waitFor()
  t.match(await clash.innerText(), /My new street[\s\S]*Their street/, 'both versions are shown')
  t.equal(await page.locator('input[name=address]').inputValue(), 'My new street')
  t.equal(stored()?.address, 'Their street', 'nothing was overwritten')
  await page.getByRole('button', { name: 'Save' }).click()
  t.ok(await waitUntil(async () => stored()?.address === 'My new street'), 'saving again decides')
})

journey('an administrator deletes dealers', async (journey) => {
  const { t, cabinet } = journey
  const { roman, ivan, denis } = cabinet.cast
  const page = await cabinet.pageOf('admin', browser(journey))
  await page.goto('/dealers?q=alpha&sort=company&dir=asc&cols=created_at')

  await askToDelete(page, [roman, ivan])
  const question = await confirmation(journey, page)
  t.match(await question.getByRole('heading').innerText(), 'Delete 2 dealers?')
  t.match(await question.innerText(), /Romanov Roman[\s\S]*Inactive Ivan|Inactive Ivan[\s\S]*Romanov Roman/, 'names who')
  await question.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('searchbox').waitFor()
  await rowOf(page, roman).waitFor()
  await sameList(t, page, 'after cancelling')
  t.ok(dealerOf(cabinet, roman), 'cancelling deletes nothing')

  await page.goto('/dealers?q=alpha&sort=company&dir=asc&cols=created_at')
  await askToDelete(page, [roman, ivan])
  await (await confirmation(journey, page)).getByRole('button', { name: 'Delete' }).click()
  await message(page, '2 dealers deleted').waitFor()
  t.notOk(dealerOf(cabinet, roman) || dealerOf(cabinet, ivan), 'both are gone')
  t.equal(await rowOf(page, roman).count(), 0)
  t.ok(await hasTotal(page, 1), 'the search still holds')
  await sameList(t, page, 'after deleting')

  await rowOf(page, denis).getByRole('link', { name: 'Delete' }).click()
  const one = await confirmation(journey, page)
  t.equal(await one.getByRole('heading').innerText(), 'Delete 1 dealer?')
  t.match(await one.innerText(), '1 order will have no dealer.')
  await one.getByRole('button', { name: 'Delete' }).click()
  await message(page, '1 dealer deleted').waitFor()
  t.notOk(dealerOf(cabinet, denis))
})

async function askToDelete(page: Page, ids: number[]): Promise<void> {
  for (const id of ids) await rowOf(page, id).getByRole('checkbox').check()
  await region(page).getByRole('button', { name: 'Delete' }).click()
}

/** The confirmation: a dialog with JavaScript, a page of its own without. */
async function confirmation({ t, js }: Journey, page: Page): Promise<Locator> {
  const place = page.getByRole(js ? 'dialog' : 'main')
  await place.getByRole('heading', { name: /^Delete/ }).waitFor()
  const cancel = place.getByRole('link', { name: 'Cancel' }).or(place.getByRole('button', { name: 'Cancel' }))
  if (js) t.ok(await hasFocus(cancel), 'the focus is on Cancel')
  return place
}

async function sameList(t: Test, page: Page, when: string): Promise<void> {
  t.ok(await hasQuery(page, { q: 'alpha', sort: 'company', cols: 'created_at' }), `the address is as it was ${when}`)
  t.equal(await page.getByRole('searchbox').inputValue(), 'alpha', `the search field is as it was ${when}`)
  t.equal(await page.locator('th[data-col=created_at]').count(), 1, `the columns are as they were ${when}`)
  t.equal(await page.locator('th[data-col=company]').getAttribute('aria-sort'), 'ascending', `the order is as it was ${when}`)
}

journey('a manager acts as a dealer', async (journey) => {
  const { t, cabinet } = journey
  const page = await cabinet.pageOf('maria', browser(journey))
  await page.goto('/dealers?q=denis')
  await rowOf(page, cabinet.cast.denis).getByRole('link', { name: 'Sign in as' }).click()
  const banner = page.locator('#impersonation')
  await banner.waitFor()
  t.match(await banner.innerText(), /Petrova Maria.*Denisov Denis/)
  await page.reload()
  await banner.waitFor()
  await banner.getByRole('button').click()
  t.ok(await hasQuery(page, { q: 'denis' }), 'back on the list where it began')
  t.equal(await banner.count(), 0, 'the banner is gone')
  await rowOf(page, cabinet.cast.denis).waitFor()
})

journey('an administrator exports what was searched', async (journey) => {
  const { t, cabinet, js } = journey
  const page = await cabinet.pageOf('admin', browser(journey))
  await page.goto('/dealers')
  await search(page, 'елка', js)
  t.ok(await hasTotal(page, 2))
  const download = page.waitForEvent('download')
  await page.getByText('Export', { exact: true }).click()
  await page.getByRole('link', { name: 'Spreadsheet (xlsx)' }).click()
  const file = await download
  t.match(file.suggestedFilename(), /^dealers_export_\d{8}_\d{6}\.xlsx$/)
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.readFile(await file.path())
  const ids = workbook.worksheets[0]?.getColumn(1).values.filter(Number)
  t.same(ids?.sort(), [cabinet.cast.daria, cabinet.cast.vera].sort(), 'only the rows that the search found')
})

journey('an administrator arranges the list', async (journey) => {
  const { t, cabinet } = journey
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('admin', browser(journey))
  await page.goto('/dealers')
  t.equal(await rows(page).count(), 25)
  await region(page).getByRole('link', { name: 'Company' }).first().click()
  t.ok(await hasQuery(page, { sort: 'company', dir: 'asc' }), 'sorted')
  t.ok(await waitUntil(async () => (await page.locator('th[data-col=company]').getAttribute('aria-sort')) === 'ascending'))
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: '2', exact: true }).click()
  t.ok(await hasQuery(page, { sort: 'company', page: '2' }), 'second page')
  await page.getByRole('navigation', { name: 'Rows per page' }).getByRole('link', { name: '50' }).click()
  t.ok(await hasQuery(page, { sort: 'company', size: '50', page: null }), 'a new size starts on the first page')
  t.ok(await waitUntil(async () => (await rows(page).count()) === 50))
  await page.getByText('Columns', { exact: true }).click()
  await page.getByRole('link', { name: 'Created' }).click()
  t.ok(await hasQuery(page, { sort: 'company', size: '50', cols: 'created_at' }), 'a hidden column')
  await page.locator('th[data-col=created_at]').waitFor()
  await page.getByRole('navigation', { name: 'Rows per page' }).getByRole('link', { name: 'All' }).click()
  t.ok(await hasQuery(page, { size: 'all', cols: 'created_at' }))
  t.ok(await waitUntil(async () => (await rows(page).count()) === 60))

  await page.goBack()
  t.ok(await hasQuery(page, { size: '50' }), 'Back leads to the state before')
  t.ok(await waitUntil(async () => (await rows(page).count()) === 50), 'and shows it')
  await page.reload()
  t.equal(await rows(page).count(), 50, 'the address alone is the whole state')
  t.equal(await page.locator('th[data-col=created_at]').count(), 1)
})

journey('a search keeps how the list is arranged', async (journey) => {
  const { t, cabinet, js } = journey
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('admin', browser(journey))
  await page.goto('/dealers?sort=company&dir=asc&size=50&cols=created_at')
  await search(page, 'crowd', js)
  t.ok(await hasTotal(page, 55))
  t.ok(await hasQuery(page, { q: 'crowd', sort: 'company', dir: 'asc', size: '50', cols: 'created_at' }), 'the address holds all of it')
  t.equal(await page.locator('th[data-col=created_at]').count(), 1)
  await search(page, 'nothing has this', js)
  t.ok(await hasTotal(page, 0))
  await region(page).getByRole('link', { name: 'Clear filters' }).last().click()
  t.ok(await hasTotal(page, 60), 'the search is cleared')
  t.ok(await hasQuery(page, { q: null, sort: 'company', size: '50', cols: 'created_at' }))
  t.equal(await page.getByRole('searchbox').inputValue(), '')
})

journey('an administrator deletes all that a search found', async (journey) => {
  const { t, cabinet, js } = journey
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('admin', browser(journey))
  await page.goto('/dealers?q=crowd')
  if (js) {
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    t.equal(await page.locator('tr[id^="dealers-"] input:checked').count(), 25, 'the whole page is selected')
    t.match(await region(page).getByRole('form', { name: 'Selected rows' }).innerText(), '25', 'and counted')
  } else await rows(page).first().getByRole('checkbox').check()
  await page.getByRole('checkbox', { name: 'All 55 results' }).check()
  await region(page).getByRole('button', { name: 'Delete' }).click()
  const question = await confirmation(journey, page)
  t.match(await question.getByRole('heading').innerText(), 'Delete 55 dealers?')
  t.match(await question.innerText(), 'and 45 more')
  await question.getByRole('button', { name: 'Delete' }).click()
  await message(page, '55 dealers deleted').waitFor()
  t.ok(await hasTotal(page, 0), 'none is left')
  await page.goto('/dealers')
  t.ok(await hasTotal(page, 5), 'and nobody else was touched')
})

journey('the set to delete changes while somebody is asked', async (journey) => {
  const { t, cabinet } = journey
  cabinet.provoked.push(/^409 \/dealers\/delete/)
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('admin', browser(journey))
  await page.goto('/dealers?q=crowd')
  await rows(page).first().getByRole('checkbox').check()
  await page.getByRole('checkbox', { name: 'All 55 results' }).check()
  await region(page).getByRole('button', { name: 'Delete' }).click()
  const question = await confirmation(journey, page)
  plantDealer(cabinet, 'Crowd56', 'Member', cabinet.cast.companies.alpha, cabinet.cast.maria)
  await question.getByRole('button', { name: 'Delete' }).click()
  await question.getByRole('alert').waitFor()
  t.match(await question.getByRole('heading').innerText(), 'Delete 56 dealers?', 'asks again')
  await question.getByRole('button', { name: 'Delete' }).click()
  await message(page, '56 dealers deleted').waitFor()
})

browserTest('a list by keyboard alone', async (t, cabinet) => {
  const { denis } = cabinet.cast
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers')
  await page.keyboard.press('/')
  t.ok(await hasFocus(page.getByRole('searchbox')), "'/' leads to the search")
  await page.keyboard.type('denis')
  t.ok(await hasTotal(page, 1))
  t.ok(await hasFocus(page.getByRole('searchbox')), 'the search keeps the focus')
  const active = rowOf(page, denis).getByRole('switch')
  await tabTo(t, page, active)
  for (const state of [false, true]) {
    await page.keyboard.press('Space')
    t.ok(await isSwitched(active, state), `Space switches ${state ? 'on' : 'off'}`)
    t.ok(await hasFocus(active), 'the focus stays on the switch')
  }
  const remove = rowOf(page, denis).getByRole('link', { name: 'Delete' })
  await tabTo(t, page, remove)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  t.ok(await waitUntil(async () => !(await page.getByRole('dialog').isVisible())), 'Escape closes the dialog')
  t.ok(await hasFocus(remove), 'the focus is back where the dialog was asked for')
  await page.keyboard.press('/')
  await tabTo(t, page, rowOf(page, denis).getByRole('link').first())
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/dealers/edit/${denis}**`)
  await page.goBack()
  t.ok(await hasQuery(page, { q: 'denis' }), 'Back leads to the search')
  t.equal(await page.getByRole('searchbox').inputValue(), 'denis')
  t.ok(await hasTotal(page, 1))
})

async function tabTo(t: Test, page: Page, place: Locator): Promise<void> {
  for (let step = 0; step < 40; step++) {
    if (await place.evaluate((element) => element.matches(':focus'))) return
    await page.keyboard.press('Tab')
  }
  t.fail('Tab does not reach it')
}

browserTest('an answer leaves the keyboard where it worked', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('root', { viewport: { width: 1400, height: 600 } })
  const press = async (place: Locator) => {
    await place.focus()
    await page.keyboard.press('Enter')
  }
  const heading = region(page).locator('th[data-col=company] a')
  await page.goto('/dealers')
  await press(heading)
  t.ok(await hasQuery(page, { sort: 'company' }))
  t.ok(await hasFocus(heading), 'on the heading that sorts')
  const size = page.getByRole('navigation', { name: 'Rows per page' }).getByRole('link', { name: '25' })
  await press(size)
  t.ok(await hasFocus(size), 'on the size')

  const pages = page.getByRole('navigation', { name: 'Pages' })
  await press(pages.getByRole('link', { name: 'Next page' }))
  t.ok(await hasQuery(page, { page: '2' }))
  t.ok(await hasFocus(pages.getByRole('link', { name: 'Next page' })), 'on the way to the next page')
  t.ok(await waitUntil(async () => (await page.locator('.list-card').boundingBox())?.y === 72), 'the page begins in sight')
  await press(pages.getByRole('link', { name: 'Next page' }))
  t.ok(await hasQuery(page, { page: '3' }))
  t.ok(await hasFocus(region(page).getByRole('table')), 'where there is no next page, on the table')

  const menu = page.locator('#dealers-columns')
  await press(menu.locator('summary'))
  const created = menu.getByRole('link', { name: 'Created' })
  await press(created)
  await page.locator('th[data-col=created_at]').waitFor()
  t.ok(await hasFocus(created), 'the choice of columns stays open')
  await page.keyboard.press('Escape')
  t.ok(await hasFocus(menu.locator('summary')), 'Escape leads back to what opened it')

  await page.goto(`/dealers/edit/${cabinet.cast.denis}`)
  const tab = page.getByRole('navigation', { name: 'Tabs' }).getByRole('link', { name: 'History' })
  await press(tab)
  await page.locator('.card-header-tabs [aria-current]', { hasText: 'History' }).waitFor()
  t.ok(await hasFocus(tab), 'on the tab')
})

browserTest('after a deletion the keyboard goes on in the list', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers')
  await askToDelete(page, [cabinet.cast.roman])
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await message(page, 'deleted').waitFor()
  t.equal(await page.getByRole('dialog').count(), 0, 'the dialog is closed')
  t.ok(await hasFocusInside(page), 'the focus is not lost to the top of the page')
})

const hasFocusInside = (page: Page) => waitUntil(() => page.evaluate<boolean>("document.activeElement?.closest('main') !== null"))

browserTest('a table that does not fit scrolls in its place, one that fits keeps its head in sight', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('admin', { viewport: { width: 800, height: 700 } })
  const place = region(page).locator('.table-responsive')
  const fits = (answer: 'yes' | 'no') => waitUntil(async () => (await place.getAttribute('data-fits')) === answer)
  await page.goto('/dealers?cols=created_at,updated_at')
  t.ok(await fits('no'))
  t.equal(await overflow(page), 0, 'the page itself does not scroll sideways')
  t.ok(await place.evaluate((element) => element.scrollWidth > element.clientWidth), 'the table does')

  await page.setViewportSize({ width: 1900, height: 700 })
  t.ok(await fits('yes'))
  await page.mouse.wheel(0, 500)
  const head = region(page).locator('th').nth(2)
  t.ok(await waitUntil(async () => (await page.evaluate<number>('scrollY')) > 300))
  t.match(await head.boundingBox(), { y: 56 }, 'right below the bar at the top')
})

browserTest('a click on a row opens its card', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers?q=denis')
  await cell(page, cabinet.cast.denis, 'lastname').click()
  await page.waitForURL(`**/dealers/edit/${cabinet.cast.denis}**`)
  await page.goBack()
  await rowOf(page, cabinet.cast.denis).getByRole('checkbox').click()
  t.equal(new URL(page.url()).pathname, '/dealers', 'a click on its checkbox does not')
})

browserTest('whoever types fast sees the answer to what was typed last', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers')
  await page.route(/[?&]q=rom(&|$)/, async (route) => {
    await pause(700)
    await route.continue().catch(() => {})
  })
  const early = page.waitForRequest(/[?&]q=rom(&|$)/)
  await page.getByRole('searchbox').fill('rom')
  await early
  await page.getByRole('searchbox').fill('denis')
  t.ok(await hasTotal(page, 1))
  await pause(900)
  t.same(await rows(page).evaluateAll((shown) => shown.map((row) => row.id)), [`dealers-${cabinet.cast.denis}`])
  t.equal(await page.getByRole('searchbox').inputValue(), 'denis', 'what is typed stays')
  t.ok(await hasQuery(page, { q: 'denis' }))
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

browserTest('whoever clicks again before the answer gets what was clicked last', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('root')
  await page.goto('/dealers')
  let release = await holdBack(page, /dealers\?/)
  await region(page).locator('th[data-col=company] a').click()
  await region(page).getByRole('link', { name: 'Next page' }).click()
  release()
  t.ok(await hasQuery(page, { sort: null, page: '2' }), 'the next page')

  release = await holdBack(page, /dealers\?/)
  await region(page).getByRole('link', { name: 'Next page' }).click()
  const searched = page.waitForRequest(/q=crowd5/)
  await page.getByRole('searchbox').fill('crowd5')
  await searched
  release()
  t.ok(await hasQuery(page, { page: null, q: 'crowd5' }), 'a search')
  t.ok(await hasTotal(page, 6))

  await page.goto(`/managers/edit/${cabinet.cast.maria}`)
  const tab = (name: string) => page.getByRole('navigation', { name: 'Tabs' }).getByRole('link', { name })
  release = await holdBack(page, /managers\/edit/)
  await tab('Rights').click()
  await tab('History').click()
  release()
  await page.locator('.card-header-tabs [aria-current]', { hasText: 'History' }).waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

/** Keeps requests waiting until they are let go, in their order. */
async function holdBack(page: Page, pattern: RegExp): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.route(pattern, async (route) => {
    await released
    await route.continue().catch(() => {})
  })
  return release
}

browserTest('a session that ends leads to the sign-in page', async (t, cabinet) => {
  cabinet.provoked.push(/^401 \//)
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers')
  await page.context().clearCookies()
  await page.getByRole('searchbox').fill('denis')
  await page.waitForURL('**/login**')
  t.ok(await page.getByRole('button', { name: 'Sign in' }).isVisible())
})
