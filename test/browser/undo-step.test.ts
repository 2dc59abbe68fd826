import { orderHistory, statusTransitions } from '../../src/database/schema/index.ts'
import { browserTest, violations } from '../support/browser.ts'
import { orderOf, setOrder, statusId, transitionBetween } from '../support/orders.ts'

browserTest('a step is undone by one click in the message after it, and a second click on it is no second step', async (t, cabinet) => {
  const { db } = cabinet
  db.update(statusTransitions).set({ required_fields: [], issues: [] }).run()
  const order = setOrder(cabinet, 'apply')
  const statusNow = () => orderOf(db, order).status_id
  const page = await cabinet.pageOf('root')
  await page.clock.install()
  await page.goto(`/orders/${order}`)
  const step = (from: string, to: string) => page.locator(`button[name=transition_id][value="${transitionBetween(cabinet, from, to).id}"]`)
  await page.clock.pauseAt(Date.now() + 5_000)
  await step('apply', 'payment').click()
  await page.getByRole('status').getByText('moved to').waitFor()
  t.equal(statusNow(), statusId('payment'))
  await step('payment', 'paid').click()
  await page.clock.runFor(700)
  await step('payment', 'paid').click()
  t.equal(statusNow(), statusId('payment'), 'the button of the next step does not react at once')
  await page.clock.runFor(200)
  await step('payment', 'paid').click()
  await step('paid', 'production').waitFor()
  t.equal(statusNow(), statusId('paid'), 'and then it does')
  await page.clock.resume()
  // However slow this machine is.
  db.update(orderHistory)
    .set({ undo_until: Date.now() + 600_000 })
    .run()

  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Step undone: order').waitFor()
  t.equal(statusNow(), statusId('payment'))
  t.same(await violations(page), [])
})

browserTest('the offer to undo a step goes when the step can no longer be undone', async (t, cabinet) => {
  cabinet.db.update(statusTransitions).set({ required_fields: [], issues: [] }).run()
  const order = setOrder(cabinet, 'apply')
  const page = await cabinet.pageOf('root')
  await page.clock.install()
  await page.goto(`/orders/${order}`)
  await page.clock.pauseAt(Date.now() + 5_000)
  await page.locator(`button[name=transition_id][value="${transitionBetween(cabinet, 'apply', 'payment').id}"]`).click()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  await page.clock.runFor(9_000)
  t.ok(await undo.isVisible())
  await page.clock.runFor(2_000)
  t.equal(await undo.count(), 0)
})
