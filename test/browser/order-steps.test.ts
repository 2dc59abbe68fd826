import { statusTransitions } from '../../src/database/schema/index.ts'
import { browserTest, type OpenCabinet, overflow, type Page, violations, waitUntil } from '../support/browser.ts'
import { orderOf, setOrder, statusId } from '../support/orders.ts'

/** An order that Maria can cancel, or ask the payment of once it has its documents, which no step issues. */
async function openOrder(cabinet: OpenCabinet, options = {}): Promise<{ page: Page; order: number }> {
  cabinet.db.update(statusTransitions).set({ issues: [] }).run()
  const order = setOrder(cabinet, 'apply', { receiver: 'Anna' })
  const page = await cabinet.pageOf('maria', options)
  await page.goto(`/orders/${order}`)
  // Before the page's scripts have come a step asks in the page.
  await page.locator('[data-htmx-powered]').first().waitFor({ state: 'attached' })
  return { page, order }
}

const focused = (page: Page, selector: string) =>
  waitUntil(() => page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`))

browserTest('a step that asks opens over the page, says there what is missing, and keeps what was typed', async (t, cabinet) => {
  cabinet.provoked.push(/^422 .*transition/)
  const { page, order } = await openOrder(cabinet)
  const open = page.getByRole('button', { name: 'Request payment' })
  await open.click()
  const dialog = page.getByRole('dialog', { name: 'Request payment' })
  await dialog.waitFor()
  t.ok(await focused(page, 'dialog #specification'), 'the keyboard is at the first field')
  t.ok(
    await page.getByRole('heading', { name: `Order #${order}`, includeHidden: true }).isVisible(),
    'the heading of the order is in sight',
  )

  await dialog.getByLabel('Comment').fill('As agreed')
  await dialog
    .locator('[name=invoice]')
    .setInputFiles({ name: 'bill.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 bill') })
  await dialog.getByRole('button', { name: 'Request payment' }).click()
  await dialog.locator('#specification-error').waitFor()
  t.ok(await focused(page, 'dialog #specification'), 'the keyboard is at what is missing')
  t.equal(await dialog.getByLabel('Comment').inputValue(), 'As agreed')
  await dialog.getByText('bill.pdf').waitFor()
  t.equal(orderOf(cabinet.db, order).status_id, statusId('apply'))
  t.same(await violations(page), [])

  await page.keyboard.press('Escape')
  await dialog.getByRole('alert').filter({ hasText: 'Press Esc again' }).waitFor()
  t.equal(await dialog.getByLabel('Comment').inputValue(), 'As agreed', 'one key throws nothing away')
  t.same(await violations(page), [])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  t.ok(await focused(page, '.order-steps .btn-primary'), 'the keyboard is back at the button')

  await open.click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await open.click()
  await dialog.getByLabel('Comment').fill('No longer')
  await dialog.getByRole('link', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  t.ok(await focused(page, '.order-steps .btn-primary'))
})

browserTest(
  'what a step cannot issue is answered at its fields; one that nothing in the dialog can help has no button',
  async (t, cabinet) => {
    cabinet.provoked.push(/^422 .*transition/)
    const order = setOrder(cabinet, 'apply', { receiver: 'Anna' })
    const page = await cabinet.pageOf('maria')
    await page.goto(`/orders/${order}`)
    await page.locator('[data-htmx-powered]').first().waitFor({ state: 'attached' })
    const open = page.getByRole('button', { name: 'Request payment' })
    await open.click()
    const dialog = page.getByRole('dialog', { name: 'Request payment' })
    await dialog.getByText('Fill in first:').waitFor()
    await dialog.getByRole('button', { name: 'Request payment' }).click()
    await dialog.locator('#specification-error').waitFor()
    t.ok(await focused(page, 'dialog #specification'), 'the keyboard is at what can be done')
    t.same(await violations(page), [])
    await page.keyboard.press('Escape')

    cabinet.db
      .update(statusTransitions)
      .set({ issues: ['offer'], required_fields: [] })
      .run()
    await page.reload()
    await open.click()
    await dialog.getByText('Order lines').waitFor()
    t.equal(await dialog.getByRole('button', { name: 'Request payment' }).count(), 0)
    t.ok(await focused(page, 'dialog [data-close]'))
    t.same(await violations(page), [])
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    t.ok(await focused(page, '.order-steps .btn'), 'the keyboard is back at the button')
  },
)

browserTest('after a step from the dialog the page says so and offers to undo it', async (t, cabinet) => {
  const { page, order } = await openOrder(cabinet, { viewport: { width: 390, height: 844 } })
  await page.getByRole('button', { name: 'Other steps' }).click()
  await page.getByRole('button', { name: 'Cancel order' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel order' })
  await dialog.waitFor()
  t.ok(await focused(page, 'dialog [data-close]'), 'what cannot be taken back is not one key away')
  t.equal(await overflow(page), 0, 'nothing sticks out on a phone')
  await dialog.getByLabel('Reason').fill('Too late')
  await dialog.getByRole('button', { name: 'Cancel order' }).click()
  await page.getByText(`Order #${order} moved to Canceled`).waitFor()
  await page.locator('blockquote').getByText('Too late').waitFor()
  t.equal(orderOf(cabinet.db, order).status_id, statusId('canceled'))
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Step undone: order').waitFor()
  t.equal(orderOf(cabinet.db, order).status_id, statusId('apply'))
})

browserTest('a step that somebody else has overtaken says so over the page, with what was typed', async (t, cabinet) => {
  cabinet.provoked.push(/^409 .*transition/)
  const { page, order } = await openOrder(cabinet)
  await page.locator('.order-others > summary').click()
  await page.getByRole('button', { name: 'Cancel order' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('Too late')
  setOrder(cabinet, 'payment')
  await dialog.getByRole('button', { name: 'Cancel order' }).click()
  await dialog.getByText('Your change was not applied.').waitFor()
  t.ok(await focused(page, 'dialog .alert-warning'), 'the keyboard is at what says so')
  await dialog.getByText('Too late').waitFor()
  t.equal(orderOf(cabinet.db, order).status_id, statusId('payment'))
  await dialog.getByRole('link', { name: 'Show order' }).click()
  await page.locator('.order-state', { hasText: 'Awaiting payment' }).waitFor()
})

browserTest('a step that asks is taken without JavaScript in the page itself', async (t, cabinet) => {
  const order = setOrder(cabinet, 'apply')
  const page = await cabinet.pageOf('maria', { javaScriptEnabled: false })
  await page.goto(`/orders/${order}`)
  await page.locator('.order-others > summary').click()
  await page.getByRole('button', { name: 'Cancel order' }).click()
  await page.getByLabel('Reason').fill('Too late')
  await page.getByRole('button', { name: 'Cancel order' }).click()
  await page.getByText(`Order #${order} moved to Canceled`).waitFor()
  t.equal(orderOf(cabinet.db, order).status_id, statusId('canceled'))
})
