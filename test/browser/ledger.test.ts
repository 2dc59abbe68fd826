import { readFileSync } from 'node:fs'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, orders, statusTransitions } from '../../src/database/schema/index.ts'
import { type Language, translator } from '../../src/i18n/translate.ts'
import { settleOrder } from '../../src/modules/ledger/book.ts'
import { download, type OpenCabinet, openCabinet, type Page, type Test, violations, waitUntil } from '../support/browser.ts'
import { grant } from '../support/cast.ts'
import { balanceOf } from '../support/ledger.ts'
import { insertOrder, orderOf, statusId, transitionBetween } from '../support/orders.ts'
import { dayIn } from '../support/products.ts'

const system = { id: null, name: 'System' }

/** Alpha, whose terms Maria may edit, has an order of 1000 rubles that waits for a step within its limit; Beta owes 5 rubles. */
function prepare(cabinet: OpenCabinet) {
  const { db, cast } = cabinet
  const { alpha, beta } = cast.companies
  grant(db, cast.maria, 'company_can_edit_limit')
  const step = transitionBetween(cabinet, 'apply', 'payment').id
  db.update(statusTransitions).set({ required_fields: [], issues: [], within_limit: true }).where(eq(statusTransitions.id, step)).run()
  const order = insertOrder(cabinet, 'apply', { dealer_id: cast.denis, company_id: alpha, cost: 100_000 })
  const foreign = insertOrder(cabinet, 'payment', { dealer_id: cast.daria, company_id: beta, cost: 500, due_since: dayIn(0) })
  settleOrder(db, foreign, system)
  return { alpha, order, foreign, step }
}

type Prepared = ReturnType<typeof prepare>

const language = 'ru'
t.test(`a company gets terms, exceeds them for a reason, and its ledger is corrected and read, in ${language}`, async (test) => {
  // The thread of a spreadsheet reads only what is saved.
  const cabinet = await openCabinet(test)
  const prepared = prepare(cabinet)
  const options = language === 'ru' ? { locale: 'ru-RU' } : {}
  const maria = await cabinet.pageOf('maria', options)
  await setTerms(test as Test, cabinet, maria, prepared, language)
  await goOverLimit(test as Test, cabinet, [maria, await cabinet.pageOf('root', options)], prepared, language)
  await correctLedger(test as Test, cabinet, maria, prepared, language)
  await readLedger(test as Test, maria, prepared, language)
  await readAsDealer(test as Test, cabinet, await cabinet.pageOf('denis', options), prepared, language)
  test.same(cabinet.complaints, [], 'no console error, no policy violation, no failed request')
})

async function setTerms(t: Test, { db }: OpenCabinet, page: Page, { alpha }: Prepared, language: Language) {
  await page.goto(`/company/edit/${alpha}`)
  await page.locator('[name=credit_limit]').fill('500')
  await page.locator('[name=payment_days]').fill('7')
  await page.getByRole('button', { name: translator(language)('Save'), exact: true }).click()
  const stored = () => db.select().from(companies).where(eq(companies.id, alpha)).get()
  t.ok(await waitUntil(async () => stored()?.credit_limit === 50_000 && stored()?.payment_days === 7))
}

async function goOverLimit(t: Test, { db }: OpenCabinet, [maria, root]: [Page, Page], { order, step }: Prepared, language: Language) {
  const say = translator(language)
  const excess =
    language === 'ru' ? /Кредитный лимит компании будет превышен на\s500,00\s₽/ : /Exceeds the credit limit of the company by 500,00\s₽/
  await maria.goto(`/orders/${order}`)
  t.match(await maria.locator('.order-next').textContent(), excess, 'the step names the reason')
  t.equal(await maria.locator('[name=exceed_reason]').count(), 0)
  t.same(await violations(maria), [])

  await root.goto(`/orders/${order}`)
  await root.locator(`.order-steps button[name=transition_id][value="${step}"]`).click()
  const dialog = root.locator('#dialog')
  await dialog.locator('[name=exceed_reason]').fill('Paid tomorrow, as agreed')
  t.same(await violations(root), [])
  await dialog.locator('form button.btn-primary').click()
  await root.locator('.order-state', { hasText: language === 'ru' ? 'Ожидает оплаты' : 'Awaiting payment' }).waitFor()
  t.equal(orderOf(db, order).status_id, statusId('payment'))
  await maria.reload()
  const entry = maria.locator('.timeline-change', { hasText: 'Paid tomorrow' })
  t.match(await entry.textContent(), say('Reason for exceeding the credit limit'))
  t.match(await entry.textContent(), 'Paid tomorrow, as agreed', 'the history keeps it')
}

async function correctLedger(t: Test, { db, provoked }: OpenCabinet, page: Page, { alpha, order, foreign }: Prepared, language: Language) {
  const say = translator(language)
  provoked.push(new RegExp(`^422 /company/${alpha}/ledger`))
  const field = (name: string) => page.locator(`.record-form [name=${name}]`)
  const open = async () => {
    await page.goto(`/company/edit/${alpha}?tab=ledger`)
    await page.getByRole('link', { name: say('Add ledger entry') }).click()
    await field('amount').waitFor()
  }
  const send = () => page.getByRole('button', { name: say('Add ledger entry') }).click()
  await open()
  await field('amount').fill('-250')
  await field('order_id').fill(String(foreign))
  await field('note').fill('Opening balance')
  await send()
  await page.locator('#order_id-error').waitFor()
  t.equal((await page.locator('#order_id-error').textContent())?.trim(), say('This company has no such order.'))
  t.equal(await field('order_id').getAttribute('aria-invalid'), 'true')
  t.same(
    await Promise.all(['amount', 'order_id', 'note'].map((name) => field(name).inputValue())),
    ['-250', String(foreign), 'Opening balance'],
    'nothing typed is lost',
  )
  t.equal(balanceOf(db, alpha), -100_000, 'nothing is booked')
  t.same(await violations(page), [])
  await field('order_id').fill(String(order))
  await send()
  await page.getByRole('status').getByText(say('Ledger entry added')).waitFor()
  t.same(await account(page), { balance: -125_000, left: -75_000 })

  await open()
  await field('kind').selectOption('refund')
  await field('amount').fill('100')
  await send()
  await page.getByRole('status').getByText(say('Ledger entry added')).waitFor()
  t.same(await account(page), { balance: -135_000, left: -85_000 }, 'what was paid back is owed again')
}

async function readLedger(t: Test, page: Page, { alpha, order }: Prepared, language: Language) {
  await page.goto(`/company/edit/${alpha}?tab=ledger`)
  t.same(await amounts(page), [-10_000, -25_000, -100_000])
  await page.locator('#ledger-kind summary').click()
  await page.locator('#ledger-kind button[value=correction]').click()
  await page.locator('a.tag').waitFor()
  t.ok(await waitUntil(async () => (await amounts(page)).join() === '-25000'), 'one kind of entries')
  await page.locator('#ledger-export summary').click()
  const sheet = page.getByRole('link', { name: translator(language)('Text (csv)'), exact: true })
  const { path } = await download(page, () => sheet.click())
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  t.equal(lines.length, 2, 'a line of headers and the entry that is shown')
  t.match(lines.join('\n'), new RegExp(`${order}.*Opening balance`))
}

async function readAsDealer(t: Test, { db, cast }: OpenCabinet, page: Page, { order, foreign }: Prepared, language: Language) {
  db.update(orders)
    .set({ due_since: dayIn(-8) })
    .where(eq(orders.id, order))
    .run()
  await page.goto('/')
  t.same(await account(page), { balance: -135_000, overdue: 125_000, left: -85_000 })
  t.same(await violations(page), [])
  await page
    .getByRole('navigation')
    .getByRole('link', { name: translator(language)('Ledger'), exact: true })
    .first()
    .click()
  await page.locator('tr[data-entry]').first().waitFor()
  t.same(await amounts(page), [-10_000, -25_000, -100_000], 'their own')
  const named = await page.locator('tr[data-entry] td[data-col=order]').allTextContents()
  t.notOk(named.some((text) => text.includes(String(foreign))))
  t.same(await violations(page), [])
  await page.goto(`/ledger?company=${cast.companies.beta}`)
  t.same(await amounts(page), [], 'nothing of another company')
}

const kopecksOf = (page: Page, selector: string) =>
  page.evaluate<number[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => Number(element.dataset.kopecks))`)

const amounts = (page: Page) => kopecksOf(page, 'tr[data-entry] td[data-col=amount]')

/** What the page says that the company owes. */
async function account(page: Page): Promise<Record<string, number>> {
  const shown: Record<string, number> = {}
  for (const name of ['balance', 'owed', 'overdue', 'left']) {
    const [kopecks] = await kopecksOf(page, `[data-${name}]`)
    if (kopecks !== undefined) shown[name] = kopecks
  }
  return shown
}
