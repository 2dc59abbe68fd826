import { eq } from 'drizzle-orm'
import { companies, statusTransitions } from '../../src/database/schema/index.ts'
import { lackOf } from '../../src/modules/ledger/balance.ts'
import { browserTest, type OpenCabinet, type Page, waitUntil } from '../support/browser.ts'
import { insertPayment, payOrder } from '../support/ledger.ts'
import { checkLooks } from '../support/looks.ts'
import { insertOrder, transitionBetween } from '../support/orders.ts'

/** An order of 1000 rubles with a payment to decide about, and one that was confirmed and pays more than it costs. */
function prepare(cabinet: OpenCabinet) {
  const { db, cast } = cabinet
  const { alpha } = cast.companies
  const order = insertOrder(cabinet, 'payment', { dealer_id: cast.denis, company_id: alpha, cost: 100_000 })
  const paid = insertOrder(cabinet, 'completed', { dealer_id: cast.denis, company_id: alpha, cost: 5000 })
  return { alpha, order, reported: insertPayment(db, order), confirmed: payOrder(db, paid, 20_000) }
}

const wrong = (page: Page) => page.locator('#dialog form [aria-invalid=true]')

browserTest('what is wrong with a form in a dialog is said in that dialog, over the page that it was opened from', async (t, cabinet) => {
  cabinet.provoked.push(/^422 /)
  const { alpha, order, reported, confirmed } = prepare(cabinet)
  const page = await cabinet.pageOf('root')
  const dialogs: [from: string, opens: string, typed: Record<string, string>][] = [
    [`/orders/${order}`, `a[href$="/orders/${order}/payments"]`, { amount: '-5' }],
    [`/orders/${order}`, `a[href*="/payments/${reported}/reject"]`, { reason: '' }],
    [`/payments/${confirmed}`, 'a[href$="/reverse"]', { reason: '' }],
    [`/payments/${confirmed}`, 'a[href$="/correct"]', { amount: '-5' }],
    [`/payments/${confirmed}`, 'a[href$="/allocations"]', { 'allocations[0][amount]': '9999' }],
    [`/company/edit/${alpha}?tab=ledger`, 'a[href$="/refund"]', { amount: '-5' }],
  ]
  for (const [from, opens, typed] of dialogs) {
    await page.goto(from)
    const menu = page.locator(`main details:has(${opens}) > summary`)
    if ((await menu.count()) > 0) await menu.click()
    await page.locator(`main ${opens}`).click()
    for (const [name, text] of Object.entries(typed)) await page.locator(`#dialog [name="${name}"]`).fill(text)
    await page.locator('#dialog form .btn-list button:not([name]), #dialog form .save-bar button').last().click()
    await page.locator('#dialog .field-error').first().waitFor()
    t.ok(
      await page.evaluate<boolean>('document.activeElement.matches("#dialog form *, #dialog .error-summary")'),
      `${opens}: so is the keyboard`,
    )
    for (const [name, text] of Object.entries(typed))
      t.equal((await page.locator(`#dialog [name="${name}"]`).inputValue()).replace(/\s/g, ''), text, name)
    t.equal(page.url().replace(/^[^/]*\/\/[^/]*/, ''), from, `${opens}: the page is still there`)
  }
})

browserTest(
  'a payment that is entered in a dialog closes it, and the page shows it, whatever place of it the address names',
  async (t, cabinet) => {
    cabinet.provoked.push(/^422 /)
    const { order } = prepare(cabinet)
    const page = await cabinet.pageOf('root')
    await page.goto(`/orders/${order}#payments`)
    await page.locator('#payments').getByRole('link', { name: 'Enter payment' }).click()
    await page.locator('#dialog [name=amount]').fill('nothing')
    await page.locator('#dialog').getByRole('button', { name: 'Enter payment' }).click()
    await wrong(page).waitFor()
    await page.locator('#dialog [name=amount]').fill('321')
    await page.locator('#dialog').getByRole('button', { name: 'Enter payment' }).click()
    await page.getByRole('status').getByText('Payment entered').waitFor()
    t.notOk(await page.locator('#dialog').isVisible())
    await page.locator('#payments [data-kopecks="32100"]').waitFor()
  },
)

browserTest('an order that is edited over its list keeps the list behind what is wrong', async (t, cabinet) => {
  cabinet.provoked.push(/^422 /)
  const order = insertOrder(cabinet, 'production', { dealer_id: cabinet.cast.denis })
  const page = await cabinet.pageOf('root')
  await page.goto('/orders?cols=date_make')
  await page.locator(`#orders-${order} a[href*="/dates?return=list"]`).click()
  const day = page.locator('#dialog #date_make[type=text]')
  await day.fill('never')
  await page.locator('#dialog .save-bar .btn-primary').click()
  await wrong(page).waitFor()
  t.match(page.url(), /orders\?cols=date_make$/)
  await day.fill('16.12.2031')
  await page.locator('#dialog .save-bar .btn-primary').click()
  await page.getByRole('status').getByText(`order #${order} saved`).waitFor()
  t.match(page.url(), new RegExp(`/orders[^/]*#orders-${order}$`))
})

browserTest('paying from the balance asks first, and naming the sum and the order pays that sum', async (t, cabinet) => {
  cabinet.provoked.push(/^422 /)
  const { order } = prepare(cabinet)
  const page = await cabinet.pageOf('denis')
  await page.goto(`/orders/${order}`)
  await page.getByRole('link', { name: 'Pay 150,00 ₽ from balance' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pay from balance' })
  await dialog.getByText(`Pay 150,00 ₽ for order #${order} from the balance?`).waitFor()
  t.equal(await page.evaluate<string>('document.activeElement.textContent'), 'Cancel')
  t.equal(lackOf(cabinet.db, order), 100_000, 'nothing is paid yet')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  t.equal(lackOf(cabinet.db, order), 100_000)

  await page.getByRole('link', { name: 'Pay 150,00 ₽ from balance' }).click()
  await checkLooks(t, page, 'the question before a payment from the balance')
  const other = insertOrder(cabinet, 'payment', { dealer_id: cabinet.cast.denis, company_id: cabinet.cast.companies.alpha, cost: 10_000 })
  await (await cabinet.as('denis')).post(`/orders/${other}/pay-from-balance`, {})
  await dialog.getByRole('button', { name: 'Pay 150,00 ₽' }).click()
  await dialog.getByRole('alert').getByText('The credit of the company is 50,00 ₽.').waitFor()
  t.equal(lackOf(cabinet.db, order), 100_000, 'no other sum than was asked is paid')
  await dialog.getByRole('button', { name: 'Pay 50,00 ₽' }).click()
  await page.getByRole('status').getByText('50,00 ₽ paid from the balance').waitFor()
  t.equal(lackOf(cabinet.db, order), 95_000)
})

browserTest('a dealer is reminded from the home of the manager, who is asked over it', async (t, cabinet) => {
  const { cast } = cabinet
  const slow = insertOrder(cabinet, 'payment', {
    dealer_id: cast.denis,
    company_id: cast.companies.alpha,
    created_at: Date.now() - 5 * 86_400_000,
  })
  const page = await cabinet.pageOf('maria')
  await page.goto('/')
  await page.getByRole('link', { name: 'Remind' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Remind the dealer of 1 order' })
  await dialog.getByText(`#${slow}`).waitFor()
  t.equal(new URL(page.url()).pathname, '/', 'the home stays behind it')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
})

browserTest('what is typed into a field that an address names replaces what it held', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/profile#lastname')
  const field = page.locator('input[name=lastname]')
  t.not(await field.inputValue(), '')
  await page.keyboard.type('Rootova')
  t.equal(await field.inputValue(), 'Rootova')
})

browserTest('a dialog for many records begins at its first field, and closes at one Esc where nothing was typed', async (t, cabinet) => {
  cabinet.provoked.push(/^422 /)
  const page = await cabinet.pageOf('root')
  await page.goto('/dealers')
  await page.keyboard.press('j')
  await page.keyboard.press('.')
  const dialog = page.locator('#dialog')
  await dialog.getByRole('button', { name: 'Apply' }).waitFor()
  t.ok(await page.evaluate<boolean>('document.activeElement.matches("#dialog .field:first-child *")'), 'the keyboard is at the first field')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await dialog.getByRole('alert').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })

  const { order, reported } = prepare(cabinet)
  await page.goto(`/orders/${order}`)
  await page.locator(`#payments a[href*="/payments/${reported}/reject"]`).click()
  await dialog.getByRole('button', { name: 'Reject payment' }).click()
  await wrong(page).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await page.locator('#payments').getByRole('link', { name: 'Enter payment' }).click()
  await dialog.locator('[name=amount]').fill('nothing')
  await dialog.getByRole('button', { name: 'Enter payment' }).click()
  await wrong(page).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Not saved. Press Esc again to discard.').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
})

browserTest('a full stop in the list of orders shows the only step, too, and Enter asks what it needs', async (t, cabinet) => {
  const order = insertOrder(cabinet, 'install', { dealer_id: cabinet.cast.denis })
  cabinet.db
    .delete(statusTransitions)
    .where(eq(statusTransitions.id, transitionBetween(cabinet, 'install', 'canceled').id))
    .run()
  const page = await cabinet.pageOf('root')
  await page.goto('/orders')
  await page.locator(`#orders-${order} .row-link`).focus()
  await page.keyboard.press('.')
  await page.locator('#dialog .bulk-choices button:focus').waitFor()
  t.equal(await page.locator('#dialog .order-step').count(), 0)
  await page.keyboard.press('Enter')
  await page.locator('#dialog .order-step .save-bar [name=transition_id]').waitFor()
})

browserTest('a new row begins at its first field that is empty', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/products/add')
  await page.getByRole('button', { name: 'Add price' }).click()
  const begins = 'document.activeElement.closest(".repeater-row") && !document.activeElement.value'
  t.ok(await waitUntil(() => page.evaluate<boolean>(begins)))
})

for (const place of ['the dialog', 'the page'])
  browserTest(
    `a company is chosen for several dealers in ${place} of their change: one field, with an opaque list when it is opened`,
    async (t, cabinet) => {
      cabinet.db
        .insert(companies)
        .values(Array.from({ length: 10 }, (_, index) => ({ org: `Company ${index}` })))
        .run()
      const page = await cabinet.pageOf('root')
      if (place === 'the page') await page.goto(`/dealers/change?id=${cabinet.cast.denis}`)
      else {
        await page.goto('/dealers')
        await page.locator(`#dealers-${cabinet.cast.denis}`).getByRole('checkbox').check()
        await page.getByRole('button', { name: 'Change…' }).click()
      }
      const field = page.locator('.field:has([name=company_id])')
      await field.locator('.ts-control').waitFor()
      t.ok(await waitUntil(async () => !(await field.locator('.dropdown-input').isVisible())), 'closed')
      const { height = 0 } = (await field.boundingBox()) ?? {}
      t.ok(height < 80, `its label and one box: ${height} px`)
      await field.locator('.ts-control').click()
      await field.locator('.ts-dropdown').waitFor()
      const color = await field.locator('.ts-dropdown').evaluate((list) => list.computedStyleMap().get('background-color')?.toString())
      t.match(color, /^rgb\(/)
    },
  )
