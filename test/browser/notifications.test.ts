import { eq, isNull } from 'drizzle-orm'
import { jobs, notifications, sessions } from '../../src/database/schema/index.ts'
import { browserTest, type Page, violations, waitUntil } from '../support/browser.ts'
import { hasFocus } from '../support/dealers-list.ts'
import { insertJob } from '../support/jobs.ts'
import { notifyRecipients } from '../support/notify.ts'
import { insertOrder } from '../support/orders.ts'

const bell = (page: Page, name: string) => page.getByRole('link', { name: `Notifications: ${name}`, exact: true })
const rows = (page: Page) => page.locator('[data-notification]')

browserTest('the bell updates by itself, and the inbox marks notifications as read', async (t, cabinet) => {
  const { cast, db } = cabinet
  const page = await cabinet.pageOf('denis')
  const streams: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/stream')) streams.push(request.url())
  })
  const other = insertOrder(cabinet, 'paid', { dealer_id: cast.denis })
  await page.goto('/profile')
  await page.locator('input[name=name]').fill('Half typed')
  await bell(page, 'no unread notifications').waitFor()
  notifyRecipients(cabinet, [cast.denis], 'Apply')
  await bell(page, '1 unread notification').waitFor()
  notifyRecipients(cabinet, [cast.denis], 'Paid', other)
  await bell(page, '2 unread notifications').waitFor()
  t.equal(streams.length, 1, 'by one stream')
  t.equal(await page.locator('input[name=name]').inputValue(), 'Half typed', 'nothing typed is disturbed')
  await page.locator('input[name=name]').fill('Denis')

  await bell(page, '2 unread notifications').click()
  const panel = page.getByRole('dialog', { name: 'Notifications' })
  t.ok(await waitUntil(async () => (await panel.getByRole('listitem').count()) === 2), 'the bell opens the last ones')
  t.same(await violations(page), [], 'the panel is accessible')
  const first = panel.getByRole('listitem').first()
  await first.getByRole('link').focus()
  await page.evaluate(`document.querySelector('#bell-news .visually-hidden').id = 'read-out'`)
  db.update(notifications).set({ read_at: 1 }).where(eq(notifications.status_name, 'Apply')).run()
  notifyRecipients(cabinet, [cast.denis], 'Delivery', other)
  await first.getByText('Delivery').waitFor()
  t.equal(await page.locator('#read-out').innerText(), '2 unread notifications', 'the same number is not read out again')
  t.match(await first.textContent(), 'Paid', 'it tells what is new about each order, and follows while it is open')
  t.equal(await page.evaluate('document.activeElement.getAttribute("href")'), `/orders/${other}`, 'and whoever goes through it stays there')
  await panel.getByRole('link', { name: 'All notifications' }).click()
  await rows(page).first().waitFor()
  t.equal(await rows(page).count(), 3)
  await rows(page).nth(1).getByRole('button', { name: 'Mark as read' }).click()
  await bell(page, '1 unread notification').waitFor()
  await page.getByRole('link', { name: 'Unread 1' }).click()
  t.ok(await waitUntil(async () => (await rows(page).count()) === 1))
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await bell(page, 'no unread notifications').waitFor()

  notifyRecipients(cabinet, [cast.denis], 'Delivery')
  await bell(page, '1 unread notification').click()
  cabinet.provoked.push(/ERR_INTERNET_DISCONNECTED/)
  await page.route('**/notifications/read', (route) => route.abort('internetdisconnected'), { times: 1 })
  await panel.getByRole('button', { name: 'Mark all as read' }).click()
  await page.getByRole('alert').filter({ hasText: 'Not sent' }).waitFor()
  await panel.getByRole('button', { name: 'Mark all as read' }).click()
  await bell(page, 'no unread notifications').waitFor()

  for (const status of ['Install', 'Completed']) notifyRecipients(cabinet, [cast.denis], status)
  await bell(page, '2 unread notifications').waitFor()
  await panel.getByRole('link', { name: `Order #${cast.order}` }).click()
  await bell(page, 'no unread notifications').waitFor()

  await page.goto('/notifications')
  notifyRecipients(cabinet, [cast.denis], 'Production')
  await page.reload()
  await rows(page).first().getByRole('link').click()
  const unread = () =>
    db
      .select()
      .from(notifications)
      .all()
      .filter(({ read_at }) => read_at === null).length
  t.ok(await waitUntil(async () => unread() === 0), 'following it to the order reads it')
})

browserTest(
  'the bell opens and closes its panel, and leads to the list in a tab of its own or where there is no panel',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('denis')
    notifyRecipients(cabinet, [cabinet.cast.denis], 'Apply')
    await page.goto('/profile')
    const [link, panel] = [bell(page, '1 unread notification'), page.getByRole('dialog', { name: 'Notifications' })]
    await link.click()
    await panel.getByRole('listitem').waitFor()
    t.equal(await link.getAttribute('aria-expanded'), 'true')
    t.ok(await hasFocus(panel), 'the keyboard goes on in it')
    await link.click()
    await panel.waitFor({ state: 'hidden' })
    t.ok(await waitUntil(async () => (await link.getAttribute('aria-expanded')) === 'false'))
    await link.press('Enter')
    await panel.waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })

    const inWindow = page.context().waitForEvent('page')
    await link.click({ modifiers: ['Shift'] })
    await (await inWindow).close()
    t.notOk(await panel.isVisible(), 'in a window of its own')
    const opened = page.context().waitForEvent('page')
    await link.click({ modifiers: ['ControlOrMeta'] })
    const tab = await opened
    await tab.waitForURL('**/notifications')
    t.equal(new URL(page.url()).pathname, '/profile')
    t.notOk(await panel.isVisible())

    cabinet.provoked.push(/ERR_FAILED/)
    await page.route('**/notifications/latest', (route) => route.abort())
    await link.click()
    await page.waitForURL('**/notifications')
  },
)

browserTest('following a notification in the list reads that one alone', async (t, cabinet) => {
  const { cast, db } = cabinet
  const page = await cabinet.pageOf('denis')
  for (const status of ['Install', 'Completed']) notifyRecipients(cabinet, [cast.denis], status)
  await page.goto('/notifications')
  await rows(page).first().getByRole('link').click()
  await page.waitForURL(`**/orders/${cast.order}`)
  await bell(page, '1 unread notification').waitFor()
  const unread = () => db.select().from(notifications).where(isNull(notifications.read_at)).all()
  t.ok(await waitUntil(async () => unread().length < 2))
  t.equal(unread().length, 1)
})

browserTest('the page of a job shows how far it is, by itself, until it has ended', async (t, cabinet) => {
  const { cast, db } = cabinet
  const id = insertJob(db, cast.root, { state: 'waiting', done: 75, ended_at: null, due_at: Date.now() + 3600_000 })
  const page = await cabinet.pageOf('root')
  await page.goto(`/jobs/${id}`)
  await page.getByText('75 of 300').waitFor()
  const bar = page.getByRole('progressbar', { name: 'Progress' })
  t.same([await bar.getAttribute('value'), await bar.getAttribute('max')], ['75', '300'])
  await page.getByRole('button', { name: 'Stop' }).focus()
  db.update(jobs).set({ done: 150, state: 'running' }).run()
  await page.getByText('150 of 300').waitFor()
  await page.getByRole('status').getByText('Running').waitFor()
  t.ok(await page.getByRole('button', { name: 'Stop' }).evaluate((button) => button.matches(':focus')), 'focus stays')
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  t.match(db.select().from(jobs).get(), { state: 'stopped' })
  t.same(await violations(page), [])
})

browserTest('a page without a stream polls, and stops when the session is over', async (t, cabinet) => {
  const { cast, db } = cabinet
  cabinet.provoked.push(/ERR_FAILED|htmx:error/)
  const page = await cabinet.pageOf('denis')
  await page.route('**/notifications/stream', (route) => route.abort())
  await page.clock.install()
  await page.goto('/profile')
  await bell(page, 'no unread notifications').waitFor()
  notifyRecipients(cabinet, [cast.denis])
  await page.route('**/notifications/unread', (route) => route.abort(), { times: 1 })
  const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/unread'))
  await page.clock.runFor(46_000)
  await failed
  await page.clock.runFor(46_000)
  await bell(page, '1 unread notification').waitFor()
  t.equal(await page.getByRole('alert').count(), 0, 'without a word of it')

  await page.locator('input[name=name]').fill('Half typed')
  db.delete(sessions).where(eq(sessions.user_id, cast.denis)).run()
  await page.clock.runFor(100_000)
  t.equal(await page.locator('input[name=name]').inputValue(), 'Half typed', 'what is being typed stays')
})

browserTest('without JavaScript the inbox is marked as read with its buttons', async (t, cabinet) => {
  notifyRecipients(cabinet, [cabinet.cast.denis], 'Apply')
  notifyRecipients(cabinet, [cabinet.cast.denis], 'Paid')
  const page = await cabinet.pageOf('denis', { javaScriptEnabled: false })
  await page.goto('/notifications?unread=1')
  await rows(page).first().getByRole('button', { name: 'Mark as read' }).click()
  await bell(page, '1 unread notification').waitFor()
  t.equal(new URL(page.url()).search, '?unread=1')
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await bell(page, 'no unread notifications').waitFor()
})

browserTest('the hour of a daily digest is asked for with the digest', async (t, { pageOf }) => {
  const page = await pageOf('denis')
  await page.goto('/profile')
  const pace = page.locator('[name=mail_pace]')
  const time = page.locator('label', { hasText: 'Once a day at' })
  await pace.selectOption('daily')
  await time.waitFor()
  for (const other of ['at-once', 'hourly']) {
    await pace.selectOption(other)
    t.ok(await waitUntil(async () => !(await time.isVisible())), other)
  }
})
