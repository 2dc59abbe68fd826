import { eq } from 'drizzle-orm'
import { payments, statusTransitions } from '../../src/database/schema/index.ts'
import { type Language, translator } from '../../src/i18n/translate.ts'
import { browserTest, type Page, violations } from '../support/browser.ts'
import { balanceOf } from '../support/ledger.ts'
import { orderOf, setOrder, statusId, transitionBetween } from '../support/orders.ts'

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

for (const language of ['en', 'ru'] as const)
  browserTest(`an order is paid in two parts, two clicks to report one and one click to confirm it, in ${language}`, async (t, cabinet) => {
    const { db, cast } = cabinet
    const options = language === 'ru' ? { locale: 'ru-RU' } : {}
    const request = transitionBetween(cabinet, 'apply', 'payment').id
    db.update(statusTransitions).set({ required_fields: [], forced_fields: [] }).where(eq(statusTransitions.id, request)).run()
    const last = transitionBetween(cabinet, 'payment', 'paid').id
    db.update(statusTransitions)
      .set({ required_fields: ['payment_order'], forced_fields: [], dealer_can: true })
      .where(eq(statusTransitions.id, last))
      .run()
    const order = setOrder(cabinet, 'apply', { cost: 100_000 })
    const staff = await cabinet.pageOf('root', options)
    const dealer = await cabinet.pageOf('denis', options)
    const step = (page: Page, id: number) => page.locator(`.order-steps button[name=transition_id][value="${id}"]`)
    await staff.goto(`/orders/${order}`)
    await step(staff, request).click()
    await step(staff, last).waitFor()
    t.equal(balanceOf(db, cast.companies.alpha), -100_000, 'it is due')
    const [reporting, confirming] = [counting(dealer, language), counting(staff, language)]
    for (const [part, amount] of [
      ['reported', '400'],
      ['rest', null],
    ] as const) {
      reporting.count.clicks = confirming.count.clicks = 0
      await dealer.goto(`/orders/${order}`)
      await reporting.click('link', 'Add payment')
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
    await step(dealer, last).click()
    await dealer.getByRole('status').waitFor()
    t.equal(orderOf(db, order).status_id, statusId('paid'), 'what was paid is enough for the step')
  })
