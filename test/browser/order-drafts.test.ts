import { eq } from 'drizzle-orm'
import { orderDrafts, orders } from '../../src/database/schema/index.ts'
import { browserTest, violations, waitUntil } from '../support/browser.ts'

const plan = { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('a plan') }

browserTest('an order is kept while a dealer writes it, with its file, and ends as an order', async (t, { db, pageOf, provoked }) => {
  provoked.push(/ERR_INTERNET_DISCONNECTED/)
  const page = await pageOf('denis')
  const draft = () => db.select().from(orderDrafts).get()
  await page.goto('/orders/add')
  await page.locator('[name=receiver]').fill('Ivanova')
  await page.getByText(/Draft saved at \d/).waitFor()
  t.equal(await page.getByText('Unsaved changes').count(), 0, 'one word about the draft')
  await page.waitForURL(/\/orders\/add\?draft=\d+$/)
  await page.reload()
  t.equal(await page.locator('[name=receiver]').inputValue(), 'Ivanova', 'loaded again the form is as it was')
  await page.route('**/orders/drafts', (route) => route.abort('internetdisconnected'), { times: 1 })
  await page.locator('[name=payment_order]').setInputFiles(plan)
  await page.getByText('Draft not saved').waitFor()
  await page.evaluate("dispatchEvent(new Event('online'))")
  await page.getByText(/Draft saved at \d/).waitFor()
  t.ok(draft()?.files, 'what was not sent is, once there is a connection again')
  await page.locator('[name=receiver]').press('End')
  await page.locator('[name=receiver]').pressSequentially(' Anna')
  t.ok(await waitUntil(async () => draft()?.files !== null), 'a file is kept as soon as it can be')
  await page.locator('[name=comment]').fill('Call first')
  t.ok(await waitUntil(async () => Boolean(draft()?.fields.some(([, value]) => value === 'Call first'))))
  t.ok(draft()?.files, 'and stays')
  t.same(await violations(page), [])
  page.on('dialog', (dialog) => {
    t.fail(`leaving a draft that is saved asks nothing: ${dialog.type()}`)
    return dialog.accept()
  })
  await page.goto('/orders')
  await page.getByRole('link', { name: 'Drafts: 1' }).click()
  await page.getByRole('heading', { name: 'Drafts' }).waitFor()
  t.same(await violations(page), [])
  await page.getByRole('link', { name: 'Ivanova Anna' }).click()
  await page.getByRole('link', { name: 'plan.txt' }).waitFor()
  await page.locator('[name="items[0][name]"]').fill('Window')
  await page.locator('[name="items[0][category_id]"]').selectOption({ label: 'Windows' })
  await page.locator('[name="items[0][quantity]"]').fill('1')
  await page.locator('[name="items[0][price]"]').fill('100')
  const placed = new Promise<void>((done) => {
    page.route('**/orders/drafts', async (route) => {
      await page.getByRole('button', { name: 'Place order', exact: true }).click()
      await page.waitForTimeout(1000)
      const placedEarly = db.select().from(orders).where(eq(orders.receiver, 'Ivanova Anna')).all()
      t.same(placedEarly, [], 'the order waits until the draft is kept')
      await route.continue()
      done()
    })
  })
  await page.locator('[name=comment]').press('End')
  await page.locator('[name=comment]').pressSequentially('.')
  await placed
  await page.getByRole('status').filter({ hasText: ' placed' }).waitFor()
  t.match(db.select().from(orders).all().at(-1), { receiver: 'Ivanova Anna', comment: 'Call first.', cost: 10_000 })
  t.ok(db.select().from(orders).all().at(-1)?.payment_order)
  t.match(draft(), { order_id: Number, deleted_at: Number }, 'what is just being kept comes back as no draft')
})

browserTest('a draft is saved, deleted and brought back without JavaScript', async (t, { db, pageOf }) => {
  const page = await pageOf('denis', { javaScriptEnabled: false })
  await page.goto('/orders/add')
  await page.locator('[name=receiver]').fill('Ivanova')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByRole('status').filter({ hasText: 'Draft saved' }).waitFor()
  t.equal(await page.locator('[name=receiver]').inputValue(), 'Ivanova')
  await page.goto('/orders/drafts')
  await page.getByRole('button', { name: 'Delete draft' }).click()
  await page.getByText('No drafts').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'Ivanova' }).waitFor()
  t.equal(db.select().from(orderDrafts).all().length, 1)
})

browserTest(
  'files of a line are kept with the draft, and go when they are unticked or their line is removed',
  async (t, { db, pageOf }) => {
    const page = await pageOf('denis')
    const files = () => db.select().from(orderDrafts).get()?.files ?? []
    await page.goto('/orders/add')
    await page.locator('[name="items[0][name]"]').fill('Window')
    await page.locator('[name="items[0][files]"]').setInputFiles([plan, { ...plan, name: 'photo.txt', buffer: Buffer.from('a photo') }])
    t.ok(await waitUntil(async () => files().length === 2))
    // From then on the address names the draft.
    await page.getByText(/Draft saved at \d/).waitFor()
    await page.reload()
    await page.getByRole('checkbox', { name: 'Keep: plan.txt' }).uncheck()
    t.ok(await waitUntil(async () => files().length === 1), 'one is no longer wanted')
    await page.locator('[name="items[0][files]"]').setInputFiles(plan)
    t.ok(await waitUntil(async () => files().length === 2))
    await page.locator('[data-row-remove]').click()
    t.ok(await waitUntil(async () => files().length === 0), 'nor those of a line that is gone')
  },
)
