import { readFileSync } from 'node:fs'
import { eq } from 'drizzle-orm'
import { categories, categoryCompany, companies, users } from '../../src/database/schema/index.ts'
import { browserTest, download, type Page, saveCard, signIn, violations, waitUntil } from '../support/browser.ts'
import {
  cell,
  dealerOf,
  hasFocus,
  hasQuery,
  hasTotal,
  isSwitched,
  journey,
  message,
  plantDealer,
  refusesToLeave,
  rowOf,
  search,
} from '../support/dealers-list.ts'
import { insertProduct } from '../support/products.ts'

// What people do on the cards of dealers and companies.

journey('a manager edits a dealer', async (t, cabinet, js) => {
  const anna = plantDealer(cabinet, 'Соловьёва', 'Анна', cabinet.cast.companies.alpha, cabinet.cast.maria)
  const page = await cabinet.newPage({ javaScriptEnabled: js })
  await page.goto('/dealers')
  await signIn(page, 'maria')
  t.equal(new URL(page.url()).pathname, '/dealers', 'the sign-in leads to the page that was wanted')

  await search(page, 'соловьев', js)
  t.ok(await hasTotal(page, 1), 'the search finds one')
  t.ok(await hasQuery(page, { q: 'соловьев' }), 'the address holds the search')
  await rowOf(page, anna).getByRole('link').first().click()
  await page.waitForURL(`**/dealers/edit/${anna}?tab=overview**`)
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.locator('input[name=name]').fill('Инна')
  await page.getByRole('button', { name: 'Save' }).click()
  await message(page, 'saved').waitFor()
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
    // The switch answers before the server.
    t.ok(await waitUntil(async () => dealerOf(cabinet, anna)?.active === state), 'it is saved')
    t.ok(await hasQuery(page, { q: 'соловьев' }), 'the list stays as it was')
  }
})

journey('a manager corrects a form that was refused', async (t, cabinet, js) => {
  cabinet.provoked.push(/^422 \/dealers\/edit/)
  const { denis } = cabinet.cast
  const page = await cabinet.pageOf('maria', { javaScriptEnabled: js })
  await page.goto('/dealers?q=denis')
  await rowOf(page, denis).getByRole('link', { name: 'Edit' }).click()
  const lastname = page.locator('input[name=lastname]')
  await lastname.fill('')
  await page.locator('input[name=middlename]').fill('Typed')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#lastname-error').waitFor()
  t.equal(await lastname.getAttribute('aria-invalid'), 'true')
  t.match(await lastname.getAttribute('aria-describedby'), /lastname-error/)
  t.equal(await page.locator('#lastname-error').innerText(), 'Enter the last name.')
  t.equal(await page.locator('input[name=middlename]').inputValue(), 'Typed', 'what was typed is kept')
  t.equal(dealerOf(cabinet, denis)?.lastname, 'Denisov', 'nothing was saved')
  if (js) t.ok(await hasFocus(lastname), 'the focus is where work continues')
  if (js) await refusesToLeave(t, page)
  await lastname.fill('Denisenko')
  await page.getByRole('button', { name: 'Save' }).click()
  await message(page, 'saved').waitFor()
  t.match(dealerOf(cabinet, denis), { lastname: 'Denisenko', middlename: 'Typed' })
  await page.getByRole('main').getByRole('link', { name: 'Dealers' }).click()
  t.ok(await hasQuery(page, { q: 'denis' }), 'the way back still leads to the list as it was')
})

browserTest('an administrator adds a company and its dealer', async (t, cabinet) => {
  cabinet.provoked.push(/^422 \/dealers\/add/)
  const page = await cabinet.pageOf('admin')
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
  await page.getByLabel('Invite by link').uncheck()
  await fill(page, { lastname: 'Новиков', name: 'Игорь', email: 'denis@example.com', password: 'a good password' })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  t.equal(await page.locator('#email-error').innerText(), 'This email is already in use. Denisov Denis')
  t.equal(await page.locator('select[name=company_id]').inputValue(), String(company?.id), 'what was chosen is kept')
  t.equal(await page.locator('input[name=password]').inputValue(), '', 'a password is never shown again')
  await fill(page, { email: 'igor@example.com', password: 'a good password' })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.waitForURL('**/dealers/edit/*')
  const igor = cabinet.db.select().from(users).where(eq(users.email, 'igor@example.com')).get()
  t.match(igor, { lastname: 'Новиков', company_id: company?.id, manager_id: cabinet.cast.admin, active: true })

  await page.getByRole('main').getByRole('link', { name: 'Dealers' }).click()
  await search(page, 'новая заря')
  t.ok(await hasTotal(page, 1), 'the list finds the dealer by the new company')
  t.equal(await cell(page, igor?.id ?? 0, 'company').innerText(), 'ООО «Новая заря»')
})

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.locator(`input[name=${name}]`).fill(value)
}

journey('an administrator edits the discounts and files of a company', async (t, cabinet, js) => {
  cabinet.provoked.push(/^422 \/company\/edit/)
  const { alpha } = cabinet.cast.companies
  const stored = () => cabinet.db.select().from(categoryCompany).where(eq(categoryCompany.company_id, alpha)).all()
  const page = await cabinet.pageOf('admin', { javaScriptEnabled: js })
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
  await message(page, 'saved').waitFor()
  t.match(stored(), [{ category_id: cabinet.cast.category, discount: 15 }], 'Enter saves')

  await page.getByRole('group', { name: 'Category discounts' }).getByRole('button', { name: 'Remove line' }).click()
  await waitUntil(async () => (await category.count()) === 0)
  t.equal(stored().length, 1, 'a removed row stays until the form is saved')
  if (js) {
    t.ok(await page.getByText('Unsaved changes').isVisible(), 'which it says')
    t.ok(await hasFocus(page.getByRole('button', { name: 'Add discount' })), 'and the keyboard goes on there')
  }
  await saveCard(page)
  t.equal(stored().length, 0, 'removed')

  await page.getByRole('link', { name: 'Files', exact: true }).click()
  t.match(await page.locator('main .empty').innerText(), 'No files yet')
  await page.getByRole('link', { name: 'Add file' }).click()
  await page.getByRole('group', { name: 'Files' }).getByRole('button', { name: 'Add file' }).click()
  await page.locator('input[name="files[0][name]"]').fill('Contract')
  const file = { name: 'contract.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF\n') }
  await page.locator('input[name="files[0][file]"]').setInputFiles(file)
  await page.getByRole('button', { name: 'Save' }).click()
  await message(page, 'saved').waitFor()
  const link = page.getByRole('group', { name: 'Files' }).getByRole('link', { name: 'Download' })
  const fetched = await download(page, () => link.click())
  t.equal(readFileSync(fetched.path, 'utf8'), file.buffer.toString(), 'the file can be fetched')
})

browserTest('however many there are, all can be chosen from a list', async (t, cabinet) => {
  const names = Array.from({ length: 70 }, (_, at) => `Category ${at + 1}`)
  cabinet.db
    .insert(categories)
    .values(names.map((name) => ({ name, search: name.toLowerCase() })))
    .run()
  const page = await cabinet.pageOf('root')
  await page.goto(`/company/edit/${cabinet.cast.companies.alpha}`)
  await page.getByRole('group', { name: 'Category discounts' }).getByRole('button', { name: 'Add discount' }).click()
  const offered = page.locator('.ts-dropdown').getByRole('option')
  await offered.first().waitFor()
  const shown = await offered.allInnerTexts()
  const missing = names.filter((name) => !shown.includes(name))
  t.same(missing, [], 'none is missing')
})

browserTest('two administrators edit the same company and resolve a conflict', async (t, cabinet) => {
  cabinet.provoked.push(/^409 \/company\/edit/)
  const { alpha } = cabinet.cast.companies
  const stored = () => cabinet.db.select().from(companies).where(eq(companies.id, alpha)).get()
  const page = await cabinet.pageOf('admin')
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
  t.equal(await page.evaluate('document.activeElement.className'), 'conflicts', 'the keyboard is there')
  t.equal(await page.locator('form.is-unsaved .save-bar .btn-primary').count(), 1, 'there is something to save')
  t.same(await violations(page), [])
  t.equal(await page.locator('input[name=address]').inputValue(), 'My new street')
  t.equal(stored()?.address, 'Their street', 'nothing was overwritten')
  await saveCard(page)
  t.equal(stored()?.address, 'My new street', 'saving again decides')
})

browserTest('the least that is charged is asked only where a price is by size, and stays where it is filled in', async (t, cabinet) => {
  const sized = insertProduct(cabinet.db, { article: 'W-1', basis: 'area', minimum: 50 })
  const page = await cabinet.pageOf('root')
  const minimum = page.locator('[name=minimum]')
  await page.goto('/products/add')
  t.notOk(await minimum.isVisible(), 'a piece is a piece')
  await page.selectOption('[name=basis]', 'length')
  t.ok(await minimum.isVisible())
  await page.selectOption('[name=basis]', 'each')
  t.notOk(await minimum.isVisible())
  await page.goto(`/products/edit/${sized}`)
  await page.selectOption('[name=basis]', 'each')
  t.ok(await minimum.isVisible(), 'what is filled in is seen')
})

browserTest('what becomes of the orders of a dealer is asked only once the company is another one', async (t, { pageOf, cast }) => {
  const page = await pageOf('root')
  await page.goto(`/dealers/edit/${cast.denis}`)
  const orders = page.locator('select[name=orders]')
  const choose = (company: number) =>
    page.locator('select[name=company_id]').evaluate((select, id) => {
      Object.assign(select, { value: String(id) })
      select.dispatchEvent(new Event('change', { bubbles: true }))
    }, company)
  t.equal(await orders.isVisible(), false)
  await choose(cast.companies.beta)
  t.equal(await orders.isVisible(), true)
  await choose(cast.companies.alpha)
  t.equal(await orders.isVisible(), false)
  const plain = await pageOf('root', { javaScriptEnabled: false })
  await plain.goto(`/dealers/edit/${cast.denis}`)
  t.equal(await plain.locator('select[name=orders]').isVisible(), true, 'without scripts it is there')
})

browserTest(
  'at a desk names stand in one row, an address takes two columns, and no heading says what the page or a label says',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('root')
    const box = async (name: string) => {
      const { y = 0, width = 0 } = (await page.locator(`[name=${name}]:not([type=hidden])`).boundingBox()) ?? {}
      return { y, width }
    }
    for (const width of [1440, 1000]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto('/dealers/add')
      const rows = [await box('lastname'), await box('name'), await box('middlename')].map(({ y }) => y)
      t.equal(new Set(rows).size, 1, `at ${width} px: ${rows}`)
      const headings = page.locator('.record-form legend:not(.visually-hidden)')
      t.notOk((await headings.allInnerTexts()).includes('Company'), 'which is the label below it')
      t.ok((await headings.allInnerTexts()).includes('Personal details'))

      await page.goto('/company/add')
      const [address, email] = [await box('address'), await box('email')]
      t.ok(address.width > 1.9 * email.width, `at ${width} px: ${address.width} beside ${email.width}`)
    }
    await page.goto(`/categories/edit/${cabinet.cast.category}`)
    t.equal(await page.locator('.record-form legend:not(.visually-hidden)').count(), 0)
    t.equal(await page.locator('.record-form legend').count(), 1, 'those who do not see the page are told')
  },
)

browserTest(
  'whoever leaves an email, a phone number, a date or an amount that cannot be is told there, until it is changed',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('root')
    await page.goto('/orders/add')
    await page.locator('details:has([name=date_make]) > summary').click()
    const type = async (name: string, text: string) => {
      await page.locator(`[name=${name}]`).fill(text)
      await page.keyboard.press('Tab')
    }
    const said = (name: string) => page.locator(`.field:has([name=${name}]) .field-error`)
    const wrong = { email: ['anna@', 'email'], phone: ['+7(905) 12', 'whole phone number'], date_make: ['35.13.2026', 'valid date'] }
    for (const [name, [text = '', words]] of Object.entries(wrong)) {
      await type(name, text)
      await said(name).filter({ hasText: words }).waitFor()
      t.equal(await page.locator(`[name=${name}]`).getAttribute('aria-invalid'), 'true')
    }
    t.same(await violations(page), [])
    const right = { email: 'anna@example.com', phone: '+7(905) 123 45 67', date_make: '30.11.2026' }
    for (const [name, text] of Object.entries(right)) {
      await type(name, text)
      await page.waitForTimeout(300)
      t.equal(await said(name).count(), 0, name)
    }
    await page.goto('/payments/add')
    await type('amount', 'abc')
    await said('amount').filter({ hasText: 'Enter an amount' }).waitFor()
    await type('amount', '12 500,50 ₽')
    await page.waitForTimeout(300)
    t.equal(await said('amount').count(), 0)

    await page.goto('/company/add')
    await type('email', 'one@example.com; two@example')
    await said('email').waitFor()
    await type('email', 'one@example.com; two@example.com')
    await page.waitForTimeout(300)
    t.equal(await said('email').count(), 0, 'a company has several')
    await page.locator('[name=phone]').fill('12')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.waitForURL(/companies/)
  },
)
