import { browserTest, overflow, type Page, violations } from '../support/browser.ts'

const ways = (page: Page) => page.locator('#workflow .transition')
const width = (page: Page, selector: string) => page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().width`)

browserTest('the workflow diagram is filtered by role with the keyboard, and links to every status', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/statuses')
  t.equal(await ways(page).count(), 10)
  await page.getByRole('link', { name: 'Production', exact: true }).last().focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\?role=production#workflow$/)
  t.equal(await ways(page).count(), 5)
  t.equal(await page.locator('.workflow-roles [aria-current]').innerText(), 'Production')
  await page.getByRole('region', { name: 'Workflow diagram' }).getByRole('link', { name: 'In production', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/status\/edit\/production$/)

  const dark = await cabinet.pageOf('root', { colorScheme: 'dark', viewport: { width: 375, height: 800 } })
  await dark.goto('/statuses')
  await dark.locator('#workflow summary').click()
  t.equal(await overflow(dark), 0, 'the drawing scrolls in its own box')
  await dark.emulateMedia({ media: 'print' })
  t.equal(await dark.evaluate(`getComputedStyle(document.querySelector('.transition-label')).fill`), 'rgb(0, 0, 0)', 'dark on paper')
})

browserTest(
  'a diagram of thirty statuses and a hundred transitions stays in its frame, with a legend of its letters',
  async (t, cabinet) => {
    const { db } = cabinet
    const status = db.$client.prepare(
      'insert into statuses (id, "index", status_key, name, created_at, updated_at) values (@id, @id, @key, @key, 0, 0)',
    )
    const way = db.$client.prepare('insert into status_transitions (parent_status_id, child_status_id, managers_can) values (?, ?, 1)')
    for (let id = 20; id < 40; id++) status.run({ id, key: `status-${id}` })
    for (let at = 0; at < 90; at++) way.run(20 + (at % 20), 20 + ((at * 7 + 3) % 20))
    db.$client.exec('delete from status_transitions where parent_status_id = child_status_id')
    const page = await cabinet.pageOf('root')
    await page.goto('/statuses')
    t.ok((await ways(page).count()) > 80)
    t.equal(await overflow(page), 0)
    t.match(await page.locator('.workflow-legend').innerText(), /M\+\s+any manager/)
    t.same(await violations(page), [])
    await page.setViewportSize({ width: 375, height: 800 })
    t.ok((await width(page, '.workflow-diagram')) > 375)
    await page.getByLabel('Fit to width').check()
    t.ok((await width(page, '.workflow-diagram')) < 375)
  },
)

browserTest('without JavaScript workflow changes are previewed, and the result is in view', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { javaScriptEnabled: false })
  await page.goto('/statuses')
  await page.getByRole('link', { name: "Order's dealer" }).click()
  t.equal(await ways(page).count(), 3)

  await page.goto('/status/edit/new?tab=transitions')
  await page.locator('.transition-row > summary').first().click()
  await page.locator('input[type=checkbox][name="transitions[0][dealers_can]"]').check()
  await page.getByRole('button', { name: 'Preview changes' }).click()
  t.match(await page.locator('#preview').innerText(), /Any other dealer\s+Gains: New → Awaiting signing/)
  t.ok(page.url().endsWith('#preview'))
  await page.getByRole('button', { name: 'Save' }).last().click()
  await page.goto('/statuses?role=dealers')
  t.equal(await ways(page).count(), 1, 'saved in one request, as previewed')

  await page.goto('/status/edit/new?tab=policies')
  await page.getByText('without saving').click()
  await page.getByLabel('Dealer can delete the order', { exact: true }).uncheck()
  await page.getByRole('button', { name: 'Preview changes' }).click()
  t.match(await page.locator('#preview').innerText(), /Dealers in New\s+Loses: Order deletion/)
  const seeing = await cabinet.pageOf('root')
  for (const path of ['/status/edit/new?tab=policies&_preview=1&policy=order_dealer_can_edit', '/status/edit/new?tab=transitions']) {
    await seeing.goto(path)
    if (path.endsWith('transitions')) await seeing.getByRole('button', { name: 'Preview changes' }).click()
    await seeing.locator('#preview').waitFor()
    t.same(await violations(seeing), [])
  }
})
