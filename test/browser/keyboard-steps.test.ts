import { eq } from 'drizzle-orm'
import { payments, statusTransitions } from '../../src/database/schema/index.ts'
import { browserTest, type Page, violations, waitUntil } from '../support/browser.ts'
import { hasFocus } from '../support/dealers-list.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder, orderOf, setOrder, statusId } from '../support/orders.ts'

browserTest('a full stop shows the steps of a row, Enter takes one, and Ctrl with Z takes it back, all in the list', async (t, cabinet) => {
  const { db } = cabinet
  db.update(statusTransitions).set({ required_fields: [], issues: [] }).run()
  const order = setOrder(cabinet, 'new')
  insertOrder(cabinet, 'apply', { dealer_id: cabinet.cast.denis })
  const page = await cabinet.pageOf('root')
  await page.goto('/orders?sort=id&dir=asc')
  const row = page.locator(`#orders-${order} .row-link`)
  await row.focus()
  await page.keyboard.press('.')
  const choices = page.locator('dialog .bulk-choices :is(button, a)')
  await choices.first().waitFor()
  t.match(await page.locator('#dialog-title').innerText(), `#${order}`, 'it says of which order')
  t.equal(await page.locator('.row-select input:checked').count(), 0, 'nothing is ticked for it')
  t.ok(await hasFocus(choices.first()))
  await page.keyboard.press('ArrowDown')
  t.ok(await hasFocus(choices.nth(1)))
  await page.keyboard.press('ArrowUp')
  t.same(await violations(page), [])
  await page.keyboard.press('Enter')
  await page.getByText(`Order #${order} moved to`).waitFor()
  t.equal(orderOf(db, order).status_id, statusId('apply'))
  t.equal(new URL(page.url()).pathname + new URL(page.url()).search, '/orders?sort=id&dir=asc')
  t.ok(await waitUntil(() => hasFocus(row)), 'the keyboard is back in the row')
  await page.locator('[data-hotkey="/"]').focus()
  await page.keyboard.press('Control+z')
  await page.waitForTimeout(200)
  t.equal(orderOf(db, order).status_id, statusId('apply'), 'where somebody types it is for what was typed')
  await row.focus()
  await page.keyboard.press('Control+z')
  await page.getByText('Step undone: order').waitFor()
  t.equal(orderOf(db, order).status_id, statusId('new'))
  t.equal(new URL(page.url()).search, '?sort=id&dir=asc')
  t.ok(await waitUntil(() => hasFocus(row)))
})

browserTest('where the row has left its list, the keyboard goes on with the one in its place', async (t, cabinet) => {
  cabinet.db.update(statusTransitions).set({ required_fields: [], issues: [] }).run()
  const of = { dealer_id: cabinet.cast.denis, company_id: cabinet.cast.companies.alpha }
  setOrder(cabinet, 'new')
  const [second, third] = [insertOrder(cabinet, 'new', of), insertOrder(cabinet, 'new', of)]
  const page = await cabinet.pageOf('root')
  await page.goto(`/orders?sort=id&dir=asc&status=${statusId('new')}`)
  await page.locator(`#orders-${second} .row-link`).focus()
  for (const key of ['.', 'Enter']) await page.keyboard.press(key)
  await page.getByText(`Order #${second} moved to`).waitFor()
  t.ok(await waitUntil(() => hasFocus(page.locator(`#orders-${third} .row-link`))))
})

browserTest('a full stop confirms the payment of a row or rejects it', async (t, cabinet) => {
  const { db, cast } = cabinet
  const order = setOrder(cabinet, 'payment', { dealer_id: cast.denis, company_id: cast.companies.alpha, cost: 10_000 })
  const [one, two] = [insertPayment(db, order, { amount: 4000 }), insertPayment(db, order, { amount: 6000 })]
  const stateOf = (id: number) => db.select().from(payments).where(eq(payments.id, id)).get()?.state
  const page = await cabinet.pageOf('root')
  await page.goto('/payments?state=reported')
  await page.locator(`#payments-${one} .row-link`).focus()
  await page.keyboard.press('.')
  const dialog = page.locator('dialog[open]')
  t.ok(await waitUntil(() => hasFocus(dialog.getByRole('button', { name: 'Confirm' }))))
  t.same(await violations(page), [])
  await page.keyboard.press('Enter')
  await page.getByText('Payment confirmed').waitFor()
  t.equal(stateOf(one), 'confirmed')
  t.equal(new URL(page.url()).search, '?state=reported')
  t.ok(await waitUntil(() => hasFocus(page.locator(`#payments-${two} .row-link`))), 'on to the next')
  await page.keyboard.press('.')
  t.ok(await waitUntil(() => hasFocus(dialog.getByRole('button', { name: 'Confirm' }))))
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  t.ok(await waitUntil(() => hasFocus(dialog.getByLabel('Reason'))))
  await page.keyboard.type('No such transfer')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Payment rejected').first().waitFor()
  t.equal(stateOf(two), 'rejected')
  t.equal(new URL(page.url()).search, '?state=reported')
})

browserTest('on the page of an order a full stop confirms its payment, and of one on the home page, too', async (t, cabinet) => {
  const { db, cast } = cabinet
  const order = setOrder(cabinet, 'payment', { dealer_id: cast.denis, company_id: cast.companies.alpha, cost: 10_000 })
  const [one, two] = [insertPayment(db, order, { amount: 4000 }), insertPayment(db, order, { amount: 6000 })]
  const isConfirmed = (id: number) => db.select().from(payments).where(eq(payments.id, id)).get()?.state === 'confirmed'
  const page = await cabinet.pageOf('root')
  await page.goto(`/orders/${order}?back=%3Fsort%3Did`)
  const first = page.locator('dialog .bulk-choices button:focus', { hasText: 'Confirm payment' })
  await page.keyboard.press('.')
  await first.waitFor()
  t.same(await violations(page), [])
  await page.keyboard.press('Enter')
  await page.getByText('Payment confirmed').waitFor()
  t.match(page.url(), `/orders/${order}?back=%3Fsort%3Did`, 'on the page of the order, which knows its list')
  await page.goto('/')
  await page.locator('.reported-lines .order-line').first().focus()
  await page.keyboard.press('.')
  await first.waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Payment confirmed').waitFor()
  t.equal(new URL(page.url()).pathname, '/')
  t.ok(isConfirmed(one) && isConfirmed(two))
})

browserTest('a full stop on a payment says to its manager who confirms it', async (t, cabinet) => {
  const { db, cast } = cabinet
  const order = setOrder(cabinet, 'payment', { dealer_id: cast.denis, company_id: cast.companies.alpha, cost: 10_000 })
  insertPayment(db, order, { amount: 4000 })
  const page = await cabinet.pageOf('maria')
  await page.goto('/payments')
  for (const key of ['j', '.']) await page.keyboard.press(key)
  await page.getByRole('dialog').getByText('Payment can be confirmed by').waitFor()
  t.same(await violations(page), [])
})

browserTest('who hesitates after G is shown in the menu which letters lead where', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/profile')
  await page.locator('[data-htmx-powered]').first().waitFor({ state: 'attached' })
  await page.keyboard.press('g')
  t.equal(await page.locator('.go-key').count(), 0, 'not at once')
  const letter = page.locator('#menu [data-letter=o] .go-key')
  await letter.waitFor()
  t.equal(await letter.innerText(), 'O')
  t.same(await violations(page), [])
  await page.waitForTimeout(1500)
  await page.keyboard.press('o')
  await page.waitForURL('**/orders')
  await page.keyboard.press('g')
  await letter.waitFor()
  await page.keyboard.press('Escape')
  t.equal(await page.locator('.go-key').count(), 0)
})

browserTest(
  'neither Esc nor another Enter loses what was sent: it is sent once, what was done is said, and can be undone',
  async (t, cabinet) => {
    cabinet.db.update(statusTransitions).set({ required_fields: [], issues: [] }).run()
    const order = setOrder(cabinet, 'new')
    const page = await cabinet.pageOf('root')
    await page.goto('/orders')
    await page.locator(`#orders-${order} .row-link`).focus()
    await page.keyboard.press('.')
    await page.locator('dialog .bulk-choices button:focus').waitFor()
    const step = await holdPosts(page)
    await page.keyboard.press('Enter')
    t.ok(await waitUntil(async () => step.count() === 1))
    await page.keyboard.press('Escape')
    t.equal(await page.locator('dialog[open]').count(), 1)
    await page.keyboard.press('Enter')
    await page.waitForTimeout(300)
    step.letGo()
    await page.getByText(`Order #${order} moved to`).waitFor()
    await page.locator('.flash').getByRole('button', { name: 'Undo' }).waitFor()
    t.equal(step.count(), 1)
    await page.keyboard.press('Escape')
    t.equal(await page.locator('dialog[open]').count(), 0)
  },
)

browserTest('a form that a page answers is sent once, too', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto(`/dealers/edit/${cabinet.cast.denis}`)
  const name = page.locator('input[name=middlename]')
  const save = await holdPosts(page)
  await name.fill('Once')
  await page.keyboard.press('Enter')
  t.ok(await waitUntil(async () => save.count() === 1))
  await page.keyboard.press('Enter')
  await page.waitForTimeout(300)
  t.equal(save.count(), 1)
  save.letGo()
  await page
    .getByRole('status')
    .filter({ hasText: / saved/ })
    .waitFor()
  t.equal(save.count(), 1)
})

/** Counts what is sent, which waits until it is let go. */
async function holdPosts(page: Page) {
  const waiting: (() => void)[] = []
  let open = false
  let count = 0
  await page.route('**/*', async (route) => {
    if (route.request().method() === 'POST') {
      count += 1
      if (!open) await new Promise<void>((resolve) => waiting.push(resolve))
    }
    await route.continue().catch(() => {})
  })
  return {
    count: () => count,
    letGo: () => {
      open = true
      for (const go of waiting) go()
    },
  }
}

browserTest('G and W lead to what waits; E opens a form in its first field', async (t, cabinet) => {
  setOrder(cabinet, 'apply')
  const page = await cabinet.pageOf('maria')
  await page.goto('/profile')
  await page.locator('[data-htmx-powered]').first().waitFor({ state: 'attached' })
  for (const key of ['g', 'w']) await page.keyboard.press(key)
  await page.waitForURL('**/orders?*waiting=1*')
  const root = await cabinet.pageOf('root')
  await root.goto(`/companies/${cabinet.cast.companies.alpha}`)
  await root.locator('[data-htmx-powered]').first().waitFor({ state: 'attached' })
  await root.keyboard.press('e')
  await root.waitForURL('**/company/edit/**')
  t.ok(await waitUntil(() => hasFocus(root.locator('#org'))))
})
