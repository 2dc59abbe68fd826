import { eq } from 'drizzle-orm'
import { wrongBalances } from '../../src/database/ledger-balances.ts'
import { companies, payments } from '../../src/database/schema/index.ts'
import { translator } from '../../src/i18n/translate.ts'
import { lackOf } from '../../src/modules/ledger/balance.ts'
import { settleOrder } from '../../src/modules/ledger/book.ts'
import { browserTest, type Locator, type OpenCabinet, type Page, type PageOptions, type Test, violations } from '../support/browser.ts'
import { grant } from '../support/cast.ts'
import { balanceOf } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'
import { exchange } from '../support/statements.ts'

const inn = '7701234567'
const mostClicks = 25

/** Thirty rows: twenty-six orders paid one by one, three by one transfer, an advance, a refund, and one that belongs to nobody here. */
function prepare({ db, cast }: OpenCabinet) {
  const { alpha } = cast.companies
  grant(db, cast.clerk, 'company_can_view')
  db.update(companies).set({ inn }).where(eq(companies.id, alpha)).run()
  const place = () => {
    const id = insertOrder({ db } as never, 'payment', { dealer_id: cast.denis, company_id: alpha, cost: 100_00, due_since: '2026-01-10' })
    settleOrder(db, id, { id: null, name: 'The test' })
    return id
  }
  const single = Array.from({ length: 26 }, place)
  const together = [place(), place(), place()]
  const statement = exchange([
    ...single.map((order, at) => ({ number: String(at + 1), inn, amount: '100.00', purpose: `Оплата заказа № ${order}` })),
    { number: '27', inn, amount: '300.00', purpose: `Оплата заказов № ${together.join(', ')}` },
    { number: '28', inn, amount: '70.00', purpose: 'Аванс по договору' },
    { number: '29', inn, amount: '20.00', purpose: 'Возврат аванса', outgoing: true },
    { number: '30', amount: '5.00', purpose: 'Аренда', payer: 'ООО «Склад»', outgoing: true },
  ])
  return { alpha, single, together, statement }
}

/** From the list of payments to the act of a company, every click counted. */
async function keepBooks(t: Test, cabinet: OpenCabinet, page: Page, say: (text: string) => string): Promise<void> {
  const { db } = cabinet
  const { alpha, single, together, statement } = prepare(cabinet)
  let clicks = 0
  const click = async (what: Locator) => {
    clicks++
    await what.click()
  }
  await page.goto('/payments')
  await click(page.locator('a[href="/payments/import"]').first())
  await page.locator('#file').setInputFiles({ name: 'statement.txt', mimeType: 'text/plain', buffer: statement })
  await click(page.locator('main form button').last())
  await page.waitForURL(/\/payments\/import\/\d+$/)
  await click(page.locator('[data-row="29"] [name=book]'))
  await click(page.locator('.statement-summary button'))
  await page.locator('[data-row="29"][data-outcome=booked]').waitFor()
  t.equal(balanceOf(db, alpha), -29 * 100_00 + 26 * 100_00 + 300_00 + 70_00 - 20_00)
  t.same(
    [...single, ...together].filter((order) => lackOf(db, order) !== 0),
    [],
    'every order is paid',
  )

  const wrong = db.select().from(payments).where(eq(payments.amount, 300_00)).get()
  await click(page.locator('a[href="/payments"]').first())
  await page.waitForURL(/\/payments$/)
  await click(page.locator(`#payments-${wrong?.id} td[data-col=amount] a`))
  await click(page.locator('.page-actions summary'))
  await click(page.locator(`a[href^="/payments/${wrong?.id}/reverse"]`))
  await page.locator('#dialog [name=reason]').fill(say('Reason'))
  await click(page.locator('#dialog form button').last())
  await page.locator(`[data-payment="${wrong?.id}"][data-state=reversed]`).waitFor()
  t.same(await violations(page), [])
  t.same(
    together.map((order) => lackOf(db, order)),
    [100_00, 100_00, 100_00],
  )

  await click(page.locator('a[href="/ledger"]').first())
  await click(page.locator('a[href="/ledger/balances"]'))
  await page.locator(`#balances-${alpha}`).waitFor()
  await click(page.locator(`#balances-${alpha} a[href*="/reconciliation"]`).first())
  await page.locator('[data-closing]').waitFor()
  t.equal(await page.locator('[data-closing]').getAttribute('data-closing'), String(balanceOf(db, alpha)))
  t.match(await page.locator('main').innerText(), say('Act of reconciliation'))
  t.ok(clicks <= mostClicks, `${clicks} clicks`)
  t.comment(`${clicks} clicks`)
  t.equal(wrongBalances(db.$client), 0)
}

const languages: [string, PageOptions, (text: string) => string][] = [
  ['in English', {}, (text) => text],
  ['in Russian', { locale: 'ru-RU' }, translator('ru')],
]

for (const [name, options, say] of languages)
  browserTest(
    `a bookkeeper books a statement of 30 rows, puts a wrong payment right and opens the act of a company ${name}`,
    async (t, cabinet) => keepBooks(t, cabinet, await cabinet.pageOf('clerk', options), say),
  )
