import { and, desc, eq } from 'drizzle-orm'
import t from 'tap'
import { deliveries, notifications, statuses, statusTransitions, users } from '../../src/database/schema/index.ts'
import { type Answer, type Browser, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { elementById, elementsOf, tagsOf, textOf } from '../support/html.ts'
import { callWorker } from '../support/jobs.ts'
import { notifyRecipients } from '../support/notify.ts'
import { insertOrder, requestTransition, setOrder, statusId, transitionBetween } from '../support/orders.ts'
import { listen } from '../support/stream.ts'
import { until } from '../support/until.ts'

/** With a mail server; every transition from `apply` to `payment` asks for nothing and notifies managers and administrators. */
async function start(test: typeof t) {
  const office = await startMailServer(test)
  const cabinet = await startCabinet(test, { environment: { SMTP_URL: office.url } })
  const { db } = cabinet
  const { id: step } = transitionBetween(cabinet, 'apply', 'payment')
  db.update(statusTransitions).set({ required_fields: [], issues: [] }).where(eq(statusTransitions.id, step)).run()
  const flags = { notify_manager: true, notify_admin: true, notify_dealer: false, notify_make: false }
  db.update(statuses)
    .set(flags)
    .where(eq(statuses.id, statusId('payment')))
    .run()
  return { ...cabinet, office, step }
}

type Started = Awaited<ReturnType<typeof start>>

/** What the newest step, or message, has led to for each person: an entry that is read or not, and a mail or none. */
function outcomes({ db }: Cabinet, kind: 'history_id' | 'message_id' = 'history_id'): Record<number, string> {
  const column = notifications[kind]
  const newest = db.select({ id: column }).from(notifications).orderBy(desc(column)).limit(1)
  const rows = db
    .select({ user: notifications.user_id, read_at: notifications.read_at, mail: deliveries.id })
    .from(notifications)
    .leftJoin(deliveries, and(eq(deliveries.notification_id, notifications.id), eq(deliveries.channel, 'email')))
    .where(eq(column, newest))
    .all()
  return Object.fromEntries(rows.map(({ user, read_at, mail }) => [user, `${read_at ? 'read' : 'unread'}, ${mail ? 'mail' : 'no mail'}`]))
}

const unread = 'unread, mail'
const own = 'read, no mail'

async function perform(cabinet: Started, browser: Browser): Promise<void> {
  const answer = await requestTransition(browser, setOrder(cabinet, 'apply'), cabinet.step)
  if (answer.statusCode !== 303) throw new Error(`${answer.statusCode}: ${textOf(answer.body)}`)
}

t.test('a step of one’s own is read in one’s own inbox and not sent; the others are notified', async (t) => {
  const cabinet = await start(t as never)
  const { as, cast, db, office } = cabinet
  await perform(cabinet, await as('admin'))
  t.same(outcomes(cabinet), { [cast.admin]: own, [cast.root]: unread, [cast.clerk]: unread, [cast.maria]: unread })
  db.update(deliveries).set({ next_at: 0 }).run()
  callWorker(cabinet)
  await until(() => office.letters.length === 3)
  t.notOk(office.letters.some(({ to }) => to === 'admin@example.com'))
  const inbox = await (await as('admin')).get('/notifications')
  t.match(textOf(elementById(inbox, 'bell') ?? ''), 'no unread notifications')
  t.equal(elementsOf(inbox.body, 'tr[data-notification]').length, 1, 'the inbox keeps it')
  t.equal(elementsOf(inbox.body, '[data-unread]').length, 0)
})

t.test('while impersonating, the impersonator acted, and the impersonated person is notified', async (t) => {
  const cabinet = await start(t as never)
  const { as, cast } = cabinet
  const root = await as('root')
  await root.get(`/impersonate/${cast.maria}`)
  await perform(cabinet, root)
  t.same(outcomes(cabinet), { [cast.root]: own, [cast.admin]: unread, [cast.clerk]: unread, [cast.maria]: unread })
})

t.test('whoever was impersonated is notified even where the status notifies nobody like them', async (t) => {
  const cabinet = await start(t as never)
  const { as, cast, db } = cabinet
  db.update(statusTransitions).set({ dealer_can: true }).where(eq(statusTransitions.id, cabinet.step)).run()
  const root = await as('root')
  await root.get(`/impersonate/${cast.denis}`)
  await perform(cabinet, root)
  t.equal(outcomes(cabinet)[cast.denis], unread)
  await root.post('/impersonate/leave')
  await perform(cabinet, await as('denis'))
  t.equal(outcomes(cabinet)[cast.denis], undefined, 'but not of what they did themselves')
})

t.test('a new order, many steps at once and orders of a deleted status are no news to whoever did it either', async (t) => {
  const cabinet = await start(t as never)
  const { as, cast, db } = cabinet
  const root = await as('root')
  db.update(statuses).set({ notify_admin: true }).run()
  const acts: Record<string, () => Promise<Answer>> = {
    'a new order': () => root.post('/orders/add', { dealer_id: cast.denis, items: '', without_lines: 1 }),
    'many steps': () => root.post('/orders/transitions', { transition_id: cabinet.step, id: insertOrder(cabinet, 'apply') }),
    'a deleted status': () => root.post('/statuses/delete', { id: statusId('apply'), move_to: statusId('payment') }),
  }
  for (const [what, act] of Object.entries(acts)) {
    db.delete(notifications).run()
    if (what === 'a deleted status') insertOrder(cabinet, 'apply')
    const { statusCode } = await act()
    t.ok(statusCode < 400, `${what}: ${statusCode}`)
    t.match(outcomes(cabinet), { [cast.root]: own, [cast.admin]: unread }, what)
  }
})

t.test('a message in the name of somebody else is news to them, and not to whoever wrote it', async (t) => {
  const cabinet = await start(t as never)
  const { as, cast } = cabinet
  const [root, maria] = [await as('root'), await as('maria')]
  const path = `/orders/${cast.order}/messages`
  await maria.post(path, { text: 'From Maria herself' })
  t.same(outcomes(cabinet, 'message_id'), { [cast.denis]: unread })
  await root.post(path, { text: 'From Olga' })
  await root.get(`/impersonate/${cast.maria}`)
  await root.post(path, { text: 'From Olga in the name of Maria' })
  t.same(outcomes(cabinet, 'message_id'), { [cast.denis]: unread, [cast.maria]: unread })
  await root.post('/impersonate/leave')
  const admin = await as('admin')
  await admin.get(`/impersonate/${cast.denis}`)
  await admin.post(path, { text: 'In the name of the dealer' })
  t.same(outcomes(cabinet, 'message_id'), { [cast.denis]: unread, [cast.maria]: unread, [cast.root]: unread })
})

t.test('the page of an order marks as new what somebody else did in one’s name, and nothing one did oneself', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const [root, maria] = [await as('root'), await as('maria')]
  const path = `/orders/${cast.order}`
  const marked = async (browser: Browser) =>
    elementsOf((await browser.get(path)).body, '#timeline .timeline-message')
      .map(textOf)
      .filter((text) => / Not read yet /.test(text))
  await maria.post(`${path}/messages`, { text: 'Seen' })
  await maria.get(path)
  await maria.post(`${path}/messages`, { text: 'Her own' })
  await root.get(`/impersonate/${cast.maria}`)
  await root.post(`${path}/messages`, { text: 'In her name' })
  t.same(await marked(root), [], 'nor to whoever wrote it')
  t.match(await marked(maria), [/In her name/])
})

t.test('steps and messages of one order are one entry in the bell, with what is new about it', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const [maria, denis] = [await as('maria'), await as('denis')]
  const other = insertOrder(cabinet, 'new')
  const panel = async () => elementsOf((await denis.get('/notifications/latest', htmx)).body, 'li')
  const count = async () => textOf(elementById(await denis.get('/'), 'bell') ?? '')
  notifyRecipients(cabinet, [cast.denis], 'Old news')
  await denis.post('/notifications/read')
  notifyRecipients(cabinet, [cast.denis], 'Payment')
  notifyRecipients(cabinet, [cast.denis], 'Elsewhere', other)
  notifyRecipients(cabinet, [cast.denis], 'Paid')
  await maria.post(`/orders/${cast.order}/messages`, { text: 'The invoice is attached' })

  const [first = '', second = '', ...rest] = await panel()
  t.same(rest, [])
  t.match(textOf(first), new RegExp(`^Order #${cast.order} .*The invoice is attached.*Paid.*Payment`))
  t.notMatch(textOf(first), 'Old news', 'what was read is not new')
  t.match(tagsOf(first, 'a')[0]?.href, `/orders/${cast.order}#message-`)
  t.match(textOf(second), new RegExp(`^Order #${other} .*Elsewhere`))
  for (const entry of [first, second]) t.match(tagsOf(entry, 'li')[0], { 'data-unread': '' })
  t.match(await count(), 'Notifications: 4 4 unread notifications', 'the bell counts what the list does')
  const rows = elementsOf((await denis.get('/notifications')).body, 'tr[data-notification]')
  t.equal(rows.length, 5, 'the list keeps them all')
  t.equal(rows.filter((row) => 'data-unread' in (tagsOf(row, 'tr')[0] ?? {})).length, 4)

  notifyRecipients(cabinet, [cast.denis], 'Production')
  t.match(textOf((await panel())[0] ?? ''), /Production.*The invoice.*Paid.*and 1 more/, 'three of them, and how many more')

  const read = tagsOf((await panel())[0] as string, 'a')[0]?.['data-read-by'] as string
  notifyRecipients(cabinet, [cast.denis], 'Delivery')
  db.update(notifications).set({ user_id: cast.daria }).where(eq(notifications.status_name, 'Payment')).run()
  await denis.post(read, { value: 1, order: 1 })
  const payment = () => db.select().from(notifications).where(eq(notifications.status_name, 'Payment')).get()
  t.equal(payment()?.read_at, null, 'whoever else was told of the order has not read it')
  db.update(notifications).set({ user_id: cast.denis }).where(eq(notifications.status_name, 'Payment')).run()
  await denis.post(read, { value: 0, order: 1 })
  t.equal(payment()?.read_at, null, 'unread again, one reads no others')
  db.update(notifications).set({ read_at: 1 }).where(eq(notifications.status_name, 'Old news')).run()
  await denis.post(read, { value: 1, order: 1 })
  t.ok(payment()?.read_at)
  const old = db.select().from(notifications).where(eq(notifications.status_name, 'Old news')).get()
  t.equal(old?.read_at, 1, 'what was read before keeps the time of its reading')
  const still = db
    .select()
    .from(notifications)
    .where(and(eq(notifications.user_id, cast.denis), eq(notifications.status_name, 'Delivery')))
    .get()
  t.equal(still?.read_at, null, 'what came after it was shown is still new')
  t.match(textOf((await panel())[0] ?? ''), /^Order #\d+ , Not read yet now Delivery/)
  await denis.post(`/notifications/${still?.id}/read`, { value: 1, order: 1 })
  const [seen = ''] = await panel()
  t.match(textOf(seen), 'Delivery', 'an order without news shows what happened last')
  t.notMatch(textOf(seen), /Production|Payment|more/, 'and nothing before it')
  t.ok(
    tagsOf((await denis.get('/notifications/latest', htmx)).body, 'input').some(({ name }) => name === 'newest'),
    'the other one is still new',
  )
  t.notOk('data-unread' in (tagsOf(seen, 'li')[0] ?? {}))
  t.match(await count(), '1 unread notification', 'and the other order is as new as before')
})

t.test('an open page learns of one more event about the same order', async (t) => {
  const cabinet = await startCabinet(t)
  const { next } = await listen(t, cabinet, await cabinet.as('denis'))
  t.equal(await next(), 'unread no unread notifications')
  notifyRecipients(cabinet, [cabinet.cast.denis], 'Payment')
  t.equal(await next(), 'unread 1 1 unread notification')
  notifyRecipients(cabinet, [cabinet.cast.denis], 'Paid')
  t.equal(await next(), 'unread 2 2 unread notifications')
  await (await cabinet.as('denis')).post('/notifications/read')
  t.equal(await next(), 'unread no unread notifications')
})

t.test('preferences and deactivation hold for whoever was impersonated, too', async (t) => {
  const cabinet = await start(t as never)
  const { as, cast, db } = cabinet
  db.update(users).set({ mail_statuses: false }).where(eq(users.id, cast.maria)).run()
  const root = await as('root')
  await root.get(`/impersonate/${cast.maria}`)
  await perform(cabinet, root)
  t.equal(outcomes(cabinet)[cast.maria], 'unread, no mail')
})
