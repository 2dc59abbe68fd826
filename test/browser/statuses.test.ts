import { eq } from 'drizzle-orm'
import { statuses, statusTransitions } from '../../src/database/schema/index.ts'
import { browserTest, type OpenCabinet, type Page, violations, waitUntil } from '../support/browser.ts'
import { isSwitched } from '../support/dealers-list.ts'

const keysInOrder = ({ db }: OpenCabinet) =>
  db
    .select()
    .from(statuses)
    .orderBy(statuses.index, statuses.id)
    .all()
    .map(({ status_key }) => status_key)
const waysFrom = ({ db }: OpenCabinet, id: number) =>
  db.select().from(statusTransitions).where(eq(statusTransitions.parent_status_id, id)).all()
const shownKeys = (page: Page) => page.locator('#statuses-table tbody td[data-col=status_key]').allInnerTexts()

browserTest('a superadministrator edits statuses with the mouse', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/statuses')
  await page.getByRole('link', { name: 'Add status' }).click()
  await page.waitForURL('**/status/add')
  await page.getByLabel('Key').fill('hold')
  await page.getByLabel('Status name').fill('On hold')
  await page.getByLabel('Pick a color').fill('#112233')
  t.equal(await page.getByLabel('Color', { exact: true }).inputValue(), '#112233', 'what is picked is typed')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.waitForURL('**/status/edit/hold')
  const [color, picker] = [page.getByLabel('Color', { exact: true }), page.getByLabel('Pick a color')]
  for (const [typed, picked] of [
    [undefined, '#112233'],
    ['#fa0', '#ffaa00'],
    ['#fa', '#ffaa00'],
    ['#112233', '#112233'],
  ] as const) {
    if (typed) await color.fill(typed)
    t.equal(await picker.inputValue(), picked, `${typed ?? 'the stored color'} is picked`)
  }
  await page.reload()

  await page.getByRole('link', { name: 'Transitions' }).click()
  await page.getByRole('button', { name: 'Add transition' }).click()
  const row = page.locator('.repeater-row')
  await row.locator('.ts-dropdown').getByText('New', { exact: true }).click()
  const required = row.getByRole('group', { name: 'Required fields' })
  await required.locator('summary').click()
  t.same(await violations(page), [], 'several fields to choose from are accessible')
  await required.getByLabel('Invoice').check()
  await required.getByLabel('Phone').check()
  const chosen = async () => (await required.locator('summary').innerText()).trim()
  t.equal(await chosen(), 'Invoice, Phone')
  for (const label of ['Invoice', 'Phone']) await required.getByLabel(label).uncheck()
  t.equal(await chosen(), 'None')
  for (const label of ['Invoice', 'Phone']) await required.getByLabel(label).check()
  await page.locator('h1').click()
  await row.getByLabel('Any manager', { exact: true }).check()
  const asked = page.waitForEvent('dialog').then((dialog) => dialog.dismiss())
  await page.getByRole('link', { name: 'Policies' }).click()
  await asked
  t.ok(await row.getByLabel('Any manager', { exact: true }).isChecked(), 'no tab takes away what is not saved')
  await page.getByRole('button', { name: 'Save' }).click()
  await page
    .getByRole('status')
    .filter({ hasText: /\bsaved\b/i })
    .waitFor()
  t.match(waysFrom(cabinet, 11), [{ child_status_id: 1, required_fields: ['invoice', 'phone'], managers_can: true, dealer_can: false }])

  await page.getByRole('link', { name: 'Policies' }).click()
  const right = page.getByRole('switch', { name: 'Production can edit the order: On hold' })
  await right.click()
  t.ok(await isSwitched(right, true), 'production may edit orders on hold')

  await page.goto('/statuses/order')
  const drag = (from: string, to: string) =>
    page.locator(`${from} .drag-handle`).dragTo(page.locator(`${to} .drag-handle`), { targetPosition: { x: 10, y: 4 } })
  await drag('#statuses-11', '#statuses-1')
  t.ok(await waitUntil(async () => keysInOrder(cabinet).indexOf('hold') < 2), 'dragged up')
  await page.getByText('Status order saved').waitFor()
  t.same(await shownKeys(page), keysInOrder(cabinet))

  cabinet.db.update(statuses).set({ index: 99 }).where(eq(statuses.id, 11)).run()
  cabinet.db.delete(statuses).where(eq(statuses.id, 10)).run()
  cabinet.provoked.push(/^422 \/statuses\/order/)
  await drag('#statuses-9', '#statuses-1')
  await page.getByRole('alert').waitFor()
  t.same(await shownKeys(page), keysInOrder(cabinet), 'an order that is refused shows the true one again')

  await page.goto('/statuses')
  await page.locator('#statuses-1').hover()
  await page.locator('#statuses-1').getByRole('link', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Move orders to').selectOption({ label: 'Under review' })
  t.same(await violations(page), [], 'the question is accessible')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('New deleted').waitFor()
  t.equal(await page.locator('#statuses-1').count(), 0)

  t.equal(await page.locator('#workflow a[href$="/status/edit/new"]').count(), 0, 'it is gone from the drawing too')
})

browserTest('a superadministrator edits statuses with the keyboard only', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  const reach = async (name: string, role: 'link' | 'button') => {
    const target = page.getByRole(role, { name, exact: true })
    for (let steps = 0; steps < 90; steps++) {
      if (await target.and(page.locator(':focus')).count()) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`the keyboard does not reach ${name}`)
  }
  await page.goto('/statuses')
  await reach('Reorder', 'link')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/statuses/order')
  await reach('Move down: New', 'button')
  await page.keyboard.press('Enter')
  t.ok(await waitUntil(async () => keysInOrder(cabinet)[1] === 'new'))
  await page.getByText('Status order saved').waitFor()
  t.equal(await page.evaluate('document.activeElement.id'), 'statuses-1-down', 'work goes on where it was')
  await page.keyboard.press('Enter')
  t.ok(await waitUntil(async () => keysInOrder(cabinet)[2] === 'new'))

  await page.goto('/status/edit/new?tab=transitions')
  const required = page.getByRole('group', { name: 'Required fields' }).first()
  await page.locator('.repeater-row summary').first().focus()
  await page.keyboard.press('Enter')
  await required.locator('summary').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('Escape')
  t.equal(await required.locator('details').getAttribute('open'), null, 'Escape closes what was opened')
  await reach('Save', 'button')
  await page.keyboard.press('Enter')
  await page
    .getByRole('status')
    .filter({ hasText: /\bsaved\b/i })
    .waitFor()
  t.same(waysFrom(cabinet, 1)[0]?.required_fields, ['sn'])
})

browserTest('a superadministrator edits statuses without JavaScript', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { javaScriptEnabled: false })
  await page.goto('/statuses')
  await page.getByRole('link', { name: 'Reorder' }).click()
  await page.getByRole('button', { name: 'Move up: Awaiting signing' }).click()
  t.same(keysInOrder(cabinet).slice(0, 3), ['apply', 'new', 'payment'])
  t.ok(page.url().endsWith('/statuses/order'), 'and on to the next')

  await page.goto('/status/edit/completed?tab=transitions')
  await page.getByRole('button', { name: 'Add transition' }).click()
  const row = page.locator('.repeater-row')
  cabinet.provoked.push(/^422 \/status\/edit/)
  await row.getByRole('group', { name: 'Set automatically' }).locator('summary').click()
  await row.getByLabel('Serial number').last().check()
  await page.getByRole('button', { name: 'Save' }).click()
  t.equal(await row.locator('.field-error').innerText(), 'Choose a status.')
  await row.getByLabel('Move to').selectOption({ label: 'New' })
  await page.getByRole('button', { name: 'Save' }).click()
  t.match(waysFrom(cabinet, 8), [{ child_status_id: 1, forced_fields: ['sn'] }], 'what was ticked before the mistake was kept')

  await page.goto('/status/edit/completed?tab=policies')
  await page.getByRole('switch', { name: 'Dealer can edit the order: Completed' }).click()
  t.ok(page.url().endsWith('/status/edit/completed?tab=policies'))
  t.equal(await page.locator('#policies-8-order_dealer_can_edit').getAttribute('aria-checked'), 'true')

  await page.goto('/statuses')
  await page.locator('#statuses-1').getByRole('link', { name: 'Delete' }).click()
  await page.getByLabel('Move orders to').selectOption({ label: 'Canceled' })
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('New deleted').waitFor()
})

browserTest('a slim diagram has its table beside it where there is room, and above it elsewhere', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/statuses')
  const edges = async () => {
    const [diagram, table] = await Promise.all([
      page.locator('.workflow-diagram').boundingBox(),
      page.locator('.workflow-table table').boundingBox(),
    ])
    if (!diagram || !table) throw new Error('the diagram or its table is not shown')
    return {
      isBeside: table.x >= diagram.x + diagram.width && table.y < diagram.y + diagram.height,
      isBelow: table.y >= diagram.y + diagram.height,
    }
  }
  t.match(await edges(), { isBeside: true })
  await page.setViewportSize({ width: 1000, height: 900 })
  t.match(await edges(), { isBelow: true })
})
