import { eq } from 'drizzle-orm'
import { payments, statusTransitions } from '../../src/database/schema/index.ts'
import { type Language, translator } from '../../src/i18n/translate.ts'
import { browserTest, type OpenCabinet, type Page, violations } from '../support/browser.ts'
import { emailOf, grant, password } from '../support/cast.ts'
import { balanceOf } from '../support/ledger.ts'
import { allOrders, orderOf, statusId, transitionBetween } from '../support/orders.ts'

/** Counts clicks on one page; typing does not count. */
function counting(page: Page, language: Language) {
  const t = translator(language)
  const count = { clicks: 0 }
  const click = async (role: 'link' | 'button', name: string, within = 'main') => {
    await page
      .locator(within)
      .getByRole(role, { name: t(name), exact: false })
      .first()
      .click()
    count.clicks += 1
  }
  const isTold = (text: string) => page.getByRole('status').getByText(t(text)).waitFor()
  return { t, count, click, isTold }
}

/** Somebody who was never here signs in. */
async function enter({ newPage }: OpenCabinet, language: Language): Promise<Page> {
  const page = await newPage(language === 'ru' ? { locale: 'ru-RU' } : {})
  await page.goto('/login')
  await page.locator('[name=email]').fill(emailOf('denis'))
  await page.locator('[name=password]').fill(password)
  await page.getByRole('button', { name: translator(language)('Sign in'), exact: true }).click()
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))
  return page
}

async function placeWindow(page: Page, language: Language): Promise<void> {
  const { click } = counting(page, language)
  await click('link', 'New order')
  await page.locator('[name="items[0][category_id]"]').selectOption({ label: 'Windows' })
  for (const [name, text] of Object.entries({ name: 'Window', quantity: '1', price: '1000' }))
    await page.locator(`[name="items[0][${name}]"]`).fill(text)
  await click('button', 'Place order')
  await page.waitForURL(/\/orders\/\d+$/)
}

const pdf = (name: string) => ({ name, mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') })

const language = 'en' as Language
browserTest(
  `an order is placed and paid in two parts, two clicks to report one and one click to confirm it, in ${language}`,
  async (t, cabinet) => {
    const { db, cast } = cabinet
    const steps = {
      sign: transitionBetween(cabinet, 'new', 'apply').id,
      request: transitionBetween(cabinet, 'apply', 'payment').id,
      last: transitionBetween(cabinet, 'payment', 'paid').id,
    }
    grant(db, cast.maria, 'payment_can_confirm')
    db.update(statusTransitions)
      .set({ required_fields: ['payment_order'], min_paid: 100 })
      .where(eq(statusTransitions.id, steps.last))
      .run()
    const step = (page: Page, id: number) => page.locator(`.order-steps button[name=transition_id][value="${id}"]`)

    const dealer = await enter(cabinet, language)
    await placeWindow(dealer, language)
    const order = allOrders(db).at(-1)?.id as number
    t.match(orderOf(db, order), { cost: 100_000, dealer_id: cast.denis })
    await step(dealer, steps.sign).click()
    await dealer.locator('.order-state', { hasText: language === 'ru' ? 'Ожидает подписания' : 'Awaiting signing' }).waitFor()
    t.equal(balanceOf(db, cast.companies.alpha), 0, 'nothing is due')

    const staff = await cabinet.pageOf('maria', language === 'ru' ? { locale: 'ru-RU' } : {})
    await staff.goto(`/orders/${order}`)
    await step(staff, steps.request).click()
    const dialog = staff.locator('#dialog')
    for (const name of ['specification', 'invoice']) await dialog.locator(`[name=${name}]`).setInputFiles(pdf(`${name}.pdf`))
    await dialog.locator('form button.btn-primary').click()
    await step(staff, steps.last).waitFor({ state: 'attached' })
    t.equal(balanceOf(db, cast.companies.alpha), -100_000, 'it is due')

    const [reporting, confirming] = [counting(dealer, language), counting(staff, language)]
    for (const [part, amount] of [
      ['reported', '400'],
      ['rest', null],
    ] as const) {
      await dealer.goto(`/orders/${order}`)
      t.equal(await dealer.locator('#left').getAttribute('data-kopecks'), amount ? '100000' : '60000')
      reporting.count.clicks = confirming.count.clicks = 0
      await reporting.click('link', 'Report payment')
      const field = dealer.locator('#dialog [name=amount]')
      await field.waitFor()
      if (amount) await field.fill(amount)
      await reporting.click('button', 'Report payment', '#dialog')
      await reporting.isTold('Payment reported. It counts once it is confirmed.')
      await staff.goto(`/orders/${order}`)
      await confirming.click('button', 'Confirm', '#payments')
      await confirming.isTold('Payment confirmed')
      t.same([reporting.count.clicks, confirming.count.clicks], [2, 1], `${part}: report 2, confirm 1`)
    }
    t.match(db.select().from(payments).orderBy(payments.id).all(), [
      { amount: 40_000, state: 'confirmed' },
      { amount: 60_000, state: 'confirmed' },
    ])
    t.equal(balanceOf(db, cast.companies.alpha), 0)
    t.equal(await staff.locator('#left').getAttribute('data-kopecks'), '0')
    t.same(await violations(staff), [])
    await dealer.goto(`/orders/${order}`)
    await dealer.locator('.order-state', { hasText: language === 'ru' ? 'На проверке' : 'Under review' }).waitFor()
    t.equal(orderOf(db, order).status_id, statusId('paid'), 'what was paid is enough for the step, which nobody has to make')
  },
)
