import { asc, eq } from 'drizzle-orm'
import { contractPrices, productPrices } from '../../src/database/schema/index.ts'
import { browserTest, type Page, violations } from '../support/browser.ts'
import { insertProduct, useCatalog } from '../support/products.ts'

/** As a spreadsheet copies cells. */
async function paste(page: Page, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  await page.keyboard.press('Control+V')
}

browserTest(
  'contract prices are pasted from a spreadsheet: products by article or name, days, prices',
  async (t, { db, cast, pageOf, provoked }) => {
    provoked.push(/^422 /)
    useCatalog(db)
    const window = insertProduct(db, { article: 'W-9', name: 'Window' })
    const handle = insertProduct(db, { article: 'H-7', name: 'Handle "Lux"' })
    for (let at = 100; at < 130; at++) insertProduct(db, { article: `A-${at}`, name: 'Anything' })
    const page = await pageOf('root')
    await page.goto(`/company/edit/${cast.companies.alpha}?tab=prices`)
    // With the keyboard alone: the button adds what is pasted on it.
    await page.locator('[name=_add][value=contract_prices]').focus()
    await paste(page, 'W-9\t01.03.2030\t31.03.2030\t110 700,50\r\n"Handle ""Lux"""\t2.3.2030\t\t900\r\nW-99\t03.03.2030\t\t1\r\n')
    await page.getByText('Rows filled: 3. Not found: W-99').waitFor()
    t.equal(await page.locator('.repeater-row').count(), 3)
    t.same(await violations(page), [])
    await page.locator('.save-bar .btn-primary').click()
    await page.locator('[id="contract_prices.2.product_id-error"]').waitFor()
    t.equal(await page.locator('.field-error').count(), 1, 'what was not found is to be chosen, and nothing else')
    t.equal(await page.locator('[name="contract_prices[0][price]"]').inputValue(), '110\u00a0700,50')
    await page.locator('[data-row-remove]').nth(2).click()
    // From a field in the middle of a row only what follows is filled.
    await page.locator('[name="contract_prices[1][from]"]').focus()
    await paste(page, '05.03.2030\t06.03.2030\t950')
    await page.getByText('Rows filled: 1').waitFor()
    await page.locator('[name="contract_prices[1][price]"]').focus()
    await page.keyboard.press('Control+A')
    await paste(page, '951')
    await page.locator('.save-bar .btn-primary').click()
    await page.getByRole('status').filter({ hasText: 'Alpha Windows saved' }).waitFor()
    const saved = db
      .select()
      .from(contractPrices)
      .where(eq(contractPrices.company_id, cast.companies.alpha))
      .orderBy(asc(contractPrices.id))
    t.match(saved.all(), [
      { product_id: window, from: '2030-03-01', until: '2030-03-31', price: 11_070_050 },
      { product_id: handle, from: '2030-03-05', until: '2030-03-06', price: 95_100 },
    ])
    t.equal(saved.all().length, 2)
  },
)

browserTest('versions of a price are pasted into the first field, and more than there may be are refused', async (t, { db, pageOf }) => {
  useCatalog(db)
  const product = insertProduct(db, { article: 'W-9', name: 'Window' }, [['2026-01-01', 100]])
  const page = await pageOf('root', { locale: 'ru-RU' })
  await page.goto(`/products/edit/${product}`)
  await page.locator('[name="prices[0][from]"]').focus()
  await paste(page, Array.from({ length: 201 }, (_, at) => `01.01.2030\t${at}`).join('\n'))
  await page.getByText('Не больше 200 строк.').waitFor()
  t.equal(await page.locator('[data-repeater=prices] .repeater-row').count(), 1)
  await paste(page, '01.01.2030\t5,50\n01.02.2030\t6')
  await page.getByText('Заполнено строк: 2').waitFor()
  await page.locator('.save-bar .btn-primary').click()
  await page
    .getByRole('status')
    .filter({ hasText: /Window/ })
    .first()
    .waitFor()
  const prices = db.select().from(productPrices).where(eq(productPrices.product_id, product)).orderBy(asc(productPrices.from)).all()
  t.match(prices, [
    { from: '2030-01-01', price: 550 },
    { from: '2030-02-01', price: 600 },
  ])
})
