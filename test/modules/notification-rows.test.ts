import { eq } from 'drizzle-orm'
import t from 'tap'
import { deliveries, notifications, users } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { startCabinet } from '../support/cabinet.ts'
import { password } from '../support/cast.ts'
import { controlsOf, elementsOf, parseHtml, rowsOf, textOf, totalOf } from '../support/html.ts'
import { insertPayment } from '../support/ledger.ts'
import { notifyRecipients } from '../support/notify.ts'

// What the rows of the inbox and of the outbox say and send; who is notified of what is tested in notifications.test.ts.

/** What a form sends beside its button. */
const sentBy = (html: string, action: string) =>
  controlsOf(elementsOf(html, `form[action="${action}"]`).join())
    .filter(({ type }) => type === 'hidden')
    .map(({ name, value }) => `${name}=${value}`)

t.test('a message is marked, and all of them are, in the list as it is shown', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  for (const _ of [1, 2]) notifyRecipients(cabinet, [cast.denis])
  const [older, newer] = db.select().from(notifications).all()
  const { body } = await (await as('denis')).get('/notifications?q=Paid&sort=created_at&dir=asc')
  const shown = ['q=Paid', 'sort=created_at', 'dir=asc']
  t.same(sentBy(body, `/notifications/${older?.id}/read`), [...shown, 'value=1'])
  t.same(sentBy(body, '/notifications/read'), [...shown, `newest=${newer?.id}`], 'up to the newest, wherever it stands')
})

t.test('the outbox tells when a delivery was queued, and when the next attempt is while it waits', async (t) => {
  const cabinet = await startCabinet(t, { environment: { SMTP_URL: 'smtp://127.0.0.1:9' } })
  const { as, cast, db } = cabinet
  notifyRecipients(cabinet, [cast.denis])
  const [{ id = 0 } = {}] = db.select().from(deliveries).all()
  const [created_at, next_at] = [Date.UTC(2026, 0, 5, 9), Date.UTC(2030, 0, 6, 9)]
  db.update(notifications).set({ created_at }).run()
  const look = async (state: 'waiting' | 'failed') => {
    db.update(deliveries).set({ state, next_at }).where(eq(deliveries.id, id)).run()
    const { body } = await (await as('admin')).get('/outbox?channel=email&size=50')
    const moments = ['created_at', 'next_at'].map((column) => parseHtml(body)(`#outbox-${id} [data-col=${column}]`).attr('title'))
    return [...moments, ...sentBy(body, `/outbox/${id}/retry`)]
  }
  t.same(await look('waiting'), [formatDateTime(created_at), formatDateTime(next_at), 'channel=email', 'size=50'])
  t.same(await look('failed'), [formatDateTime(created_at), undefined, 'channel=email', 'size=50'])
})

t.test('a message of a payment names its amount, one of an account address and browser', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const denis = await as('denis')
  await denis.post(
    '/profile?tab=password',
    { current_password: password, password: 'a brand new password' },
    { 'user-agent': 'Firefox/140' },
  )
  await (await as('admin')).post(`/payments/${insertPayment(db, cast.order, { amount: 123_45 })}/confirm`)
  const page = parseHtml((await denis.get('/notifications')).body)
  t.equal(page('.money').attr('data-kopecks'), '12345')
  t.match(page('tr[data-notification]').last().text().replace(/\s+/g, ' '), '127.0.0.1, Firefox')
})

t.test('the bell knows the newest message of its person, and follows the order whose page is open', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  for (const name of ['denis', 'denis', 'maria'] as const) notifyRecipients(cabinet, [cast[name]])
  const [, newest] = db.select().from(notifications).all()
  const bell = async (path: string) => parseHtml((await (await as('denis')).get(path)).body)('#bell')
  t.equal((await bell('/')).find('[data-newest]').attr('data-newest'), String(newest?.id))
  t.equal((await bell(`/orders/${cast.order}`)).attr('hx-sse:connect'), `/notifications/stream?order=${cast.order}`)
  t.equal((await bell('/orders')).attr('hx-sse:connect'), '/notifications/stream')
})

t.test('each row of the outbox says to whom and where it goes, what it is about, and what became of it', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  db.update(users).set({ tg_id: '42' }).where(eq(users.id, cast.maria)).run()
  type Values = Partial<typeof deliveries.$inferInsert & { about: Partial<typeof notifications.$inferInsert> }>
  const queue = ({ about = {}, ...values }: Values, user_id = cast.maria) => {
    const notification = { user_id, status_name: '', created_at: Date.UTC(2026, 0, 5), ...about }
    const notification_id = db.insert(notifications).values(notification).returning().get().id
    db.insert(deliveries)
      .values({ notification_id, channel: 'email', next_at: Date.UTC(2026, 0, 6), ...values })
      .run()
  }
  const order_id = cast.order
  const failed = (last_error: string) => ({ state: 'failed', attempts: 1, last_error, about: { order_id, status_name: 'Paid' } }) as const
  queue({ channel: 'telegram', state: 'sent', attempts: 1, about: { order_id, status_name: 'Paid' } })
  queue({ channel: 'telegram', attempts: 2, last_error: '502 Bad gateway', about: { order_id } }, cast.denis)
  queue({ state: 'sent', attempts: 1, recipient: 'before@example.com', about: { event: 'email-changed' } })
  queue({ about: { order_id, event: 'payment-due' } })
  queue({ about: { status_name: 'Paid' } })
  queue({})
  for (const reason of ['no-order', 'withdrawn', 'decided', 'nothing-due', 'no-recipient']) queue(failed(reason))
  const page = await (await as('admin')).get('/outbox?sort=created_at&dir=asc&size=100')
  const about = `Order #${order_id}`
  const petrova = 'Petrova Maria Ivanovna'
  const mailed = `${petrova} maria@example.com`
  const next = parseHtml(page.body)('#outbox-2 [data-col=next_at]').text().trim()
  const rows = rowsOf(page, 'outbox').map(({ cells }) => [
    cells.recipient,
    cells.channel,
    cells.order,
    cells.state,
    cells.attempts,
    cells.last_error,
  ])
  const ends = ['Order deleted', 'The message was withdrawn.', 'The payment was confirmed or rejected meanwhile.']
  ends.push('Nothing is lacking for this order any more.', 'The recipient is deactivated or has no address.')
  t.same(
    rows,
    [
      [`${petrova} 42`, 'Telegram', `${about} Paid`, 'Sent', '1', '—'],
      ['Denisov Denis —', 'Telegram', `${about} Message`, 'Queued', '2', '502 Bad gateway'],
      [`${petrova} before@example.com`, 'Email', 'Your email was changed', 'Sent', '1', '—'],
      [mailed, 'Email', `${about} Payment is due soon`, 'Queued', '0', '—'],
      [mailed, 'Email', 'Deleted order Paid', 'Queued', '0', '—'],
      [mailed, 'Email', 'Deleted order Message', 'Queued', '0', '—'],
      ...ends.map((reason) => [mailed, 'Email', `${about} Paid`, 'Failed', '1', reason]),
    ],
    'each row',
  )
  t.match(next, /Jan/, 'the next attempt of what waits')
  const links = parseHtml(page.body)('a.row-link').toArray()
  t.same([...new Set(links.map(({ attribs }) => attribs.href))], [`/orders/${order_id}`])
  t.equal(links.length, 8, 'to each order that is left')
  const admin = await as('admin')
  t.equal(totalOf(await admin.get('/outbox?q=ivanovna'), 'outbox'), 10, 'staff are found by their middle name')
  const byTelegram = await admin.get('/outbox?channel=telegram')
  t.equal(totalOf(byTelegram, 'outbox'), 2)
  t.match(textOf(byTelegram.body), /All 2 Queued 1 Sent 1/, 'states are counted within the channel')
})
