import { eq } from 'drizzle-orm'
import { companies, payments } from '../../src/database/schema/index.ts'
import { translator } from '../../src/i18n/translate.ts'
import { allocationsOf } from '../../src/modules/ledger/allocations.ts'
import { browserTest, type OpenCabinet, type Page, type PageOptions, type Test, violations } from '../support/browser.ts'
import { balanceOf, payOrder } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'
import { exchange } from '../support/statements.ts'

const phone = { width: 390, height: 844 }

const inn = '7701234567'

/** Alpha has three orders of 100 rubles; 60 rubles were paid for the last. */
function prepare({ db, cast }: OpenCabinet) {
  db.update(companies).set({ inn }).where(eq(companies.id, cast.companies.alpha)).run()
  const own = [1, 2, 3].map(() =>
    insertOrder({ db } as never, 'payment', { dealer_id: cast.denis, company_id: cast.companies.alpha, cost: 100_00 }),
  )
  payOrder(db, own[2] as number, 60_00)
  const statement = exchange([
    { number: '1', inn, amount: '250.00', purpose: `Оплата заказов № ${own.join(', ')}, в т. ч. НДС` },
    { number: '2', inn, amount: '70.00', purpose: 'Аванс по договору Д-138/26' },
    { number: '3', inn, amount: '55.00', purpose: 'За окна и двери' },
    {
      number: '4',
      payer: 'Иванов Иван Иванович',
      amount: '30.00',
      purpose: 'За стеклопакеты по накладной, доставка и монтаж на объекте заказчика',
    },
    { number: '5', inn, amount: '20.00', purpose: 'Возврат аванса', outgoing: true },
    { number: '6', amount: '5.00', purpose: 'Аренда', payer: 'ООО «Склад»', outgoing: true },
  ])
  return { own, statement }
}

async function upload(page: Page, statement: Buffer): Promise<void> {
  await page.goto('/payments/import')
  await page.locator('#file').setInputFiles({ name: 'statement.txt', mimeType: 'text/plain', buffer: statement })
  await page.locator('main form button').last().click()
  await page.waitForURL(/\/payments\/import\/\d+$/)
}

async function fits(t: Test, page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/statement-${name}.png`, fullPage: true })
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name}: no wider than the window`)
  t.same(await violations(page), [], name)
}

/** Books a split, an advance, a refund and a row for which two orders are typed. */
async function book(t: Test, cabinet: OpenCabinet, page: Page, name: string): Promise<void> {
  const { db, cast, provoked } = cabinet
  const { own, statement } = prepare(cabinet)
  await upload(page, statement)
  await fits(t, page, name)
  const tick = (row: number) => page.locator(`[data-row="${row}"] [name=book]`)
  t.same(
    await Promise.all([1, 2, 3, 5].map((row) => tick(row).isChecked())),
    [true, true, false, false],
    'neither what was not found nor a refund is ticked',
  )
  await tick(5).check()
  await page.locator('[name="order[4]"]').fill(`${own[2]}, ${own[1]}`)
  provoked.push(/^422 /)
  await page.locator('.statement-summary button').click()
  await page.locator('#order-4-error').waitFor()
  await fits(t, page, `${name}-refused`)
  t.equal(await tick(5).isChecked(), true)
  t.equal(await tick(4).isChecked(), true, 'what was typed is ticked once it is shown')
  await page.locator('.statement-summary button').click()
  await page.locator('[data-row="4"][data-outcome=booked]').waitFor()
  t.equal(balanceOf(db, cast.companies.alpha), 60_00 + 250_00 + 70_00 + 30_00 - 20_00)
  const booked = db.select().from(payments).where(eq(payments.amount, 250_00)).get()
  const paid = allocationsOf(db, booked?.id as number).map(({ amount }) => amount)
  t.same(paid, [100_00, 100_00, 40_00])
}

const looks: [string, PageOptions][] = [
  ['wide', {}],
  ['phone', { viewport: phone, colorScheme: 'dark', locale: 'ru-RU' }],
]

for (const [name, options] of looks)
  browserTest(`a bookkeeper books a statement with a split, an advance and a refund: ${name}`, async (t, cabinet) => {
    const page = await cabinet.pageOf('clerk', options)
    await book(t, cabinet, page, name)
    const russian = translator('ru')
    if (name === 'phone') t.match(await page.locator('main').innerText(), russian('Booked already'))
  })
