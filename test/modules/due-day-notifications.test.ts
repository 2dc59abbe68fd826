import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, deliveries, notifications, orders, users } from '../../src/database/schema/index.ts'
import { formatCalendarDate } from '../../src/i18n/format.ts'
import { bookCorrection, settleOrder } from '../../src/modules/ledger/book.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { textOf } from '../support/html.ts'
import { callWorker, runHourly } from '../support/jobs.ts'
import { payOrder } from '../support/ledger.ts'
import { inboxOf, toldOfPayments } from '../support/notifications.ts'
import { insertOrder, requestTransition, transitionBetween } from '../support/orders.ts'
import { dayIn } from '../support/products.ts'
import { until } from '../support/until.ts'

const system = { id: null, name: 'System' }

/** Alpha has seven days to pay, Beta has no due days. Maria, the manager of Alpha, Anton and Olga, the superadministrator, may confirm payments. */
async function start(test: typeof t) {
  const office = await startMailServer(test)
  const cabinet = await startCabinet(test, { environment: { SMTP_URL: office.url } })
  const { app, db, cast } = cabinet
  const { alpha, beta } = cast.companies
  for (const name of ['maria', 'mikhail'] as const) grant(db, cast[name], 'payment_can_confirm')
  revoke(db, cast.clerk, 'payment_can_confirm')
  db.update(companies).set({ payment_days: 7 }).where(eq(companies.id, alpha)).run()
  const place = (due_since: string, of: 'alpha' | 'beta' = 'alpha') => {
    const owner = of === 'alpha' ? { dealer_id: cast.denis, company_id: alpha } : { dealer_id: cast.daria, company_id: beta }
    const id = insertOrder(cabinet, 'payment', { ...owner, cost: 100_000, due_since })
    settleOrder(db, id, system)
    return id
  }
  const pay = (order_id: number, amount: number) => payOrder(db, order_id, amount)
  const sweep = async () => {
    await runHourly(app, 'due-days')
  }
  const told = () => toldOfPayments(cabinet)
  return { ...cabinet, office, place, pay, sweep, told, inboxOf: (name: Name) => inboxOf(cabinet, name) }
}

const toldLate = (names: Name[]) => names.map((one) => `${one}: payment-overdue, mail`)

t.test('on the day before the due day the dealer is told what is lacking, once', async (t) => {
  const { as, place, pay, sweep, told, inboxOf, office } = await start(t as never)
  const order = place(dayIn(-6))
  pay(order, 25_000)
  await sweep()
  await sweep()
  t.same(told(), ['denis: payment-due, mail'])
  const [entry = ''] = await inboxOf('denis')
  t.match(entry, /Payment is due soon/)
  t.match(entry, `Order #${order}`)
  t.match(entry, /Still to pay: 750,00/)
  t.notMatch(entry, /contact an administrator/)
  t.match(textOf((await (await as('denis')).get('/notifications/latest', htmx)).body), /Payment is due soon/)
  await until(() => office.letters.length === 1)
  const { text } = office.letters[0] as { text: string }
  t.match(text, /Payment is due soon/)
  t.match(text, `Due date: ${formatCalendarDate(dayIn(1))}`)
  t.match(text, /Still to pay: 750,00/)
  t.match(text, `/orders/${order}#payments`)
  pay(order, 75_000)
  t.notMatch((await inboxOf('denis')).join(), 'Still to pay', 'once it is paid')
})

t.test('on the due day itself, and earlier than the day before, nobody is told', async (t) => {
  const { place, sweep, told } = await start(t as never)
  place(dayIn(-7))
  place(dayIn(-5))
  await sweep()
  t.same(told(), [])
})

t.test(
  'after the due day the dealer and those who may confirm its payments are told, once, and later if the service was down',
  async (t) => {
    const { place, sweep, told, inboxOf, db } = await start(t as never)
    const order = place(dayIn(-8))
    await sweep()
    await sweep()
    const expected = toldLate(['admin', 'denis', 'maria', 'root'])
    t.same(told(), expected)
    t.match((await inboxOf('maria'))[0], /Payment is overdue.*000,00/s)
    db.update(orders)
      .set({ due_since: dayIn(-11) })
      .where(eq(orders.id, order))
      .run()
    place(dayIn(-10))
    await sweep()
    t.same(told(), [...expected, ...expected].sort(), 'three days late, and the other not again')
  },
)

t.test('each due day is told of by itself', async (t) => {
  const { db, place, sweep, told } = await start(t as never)
  const order = place(dayIn(-6))
  await sweep()
  db.update(notifications)
    .set({ created_at: Date.now() - 40 * 86_400_000, event: 'payment-overdue' })
    .run()
  await sweep()
  t.equal(told().length, 2, 'told to be overdue before, it is due again')
  db.delete(notifications).where(eq(notifications.event, 'payment-due')).run()
  db.update(orders)
    .set({ due_since: dayIn(-8) })
    .where(eq(orders.id, order))
    .run()
  await sweep()
  t.equal(told().length, 5, 'and overdue again')
})

t.test('nobody is told of what is paid, deleted, long past, or has no due day', async (t) => {
  const { as, db, cast, place, pay, sweep, told } = await start(t as never)
  pay(place(dayIn(-8)), 100_000)
  pay(place(dayIn(-6)), 100_001)
  place(dayIn(-8), 'beta')
  place(dayIn(-6), 'beta')
  place(dayIn(-60))
  const deleted = place(dayIn(-8))
  grant(db, cast.admin, 'order_can_view', 'order_can_delete')
  t.equal((await (await as('admin')).post('/orders/delete', { id: deleted })).statusCode, 303)
  await sweep()
  t.same(told(), [])
})

t.test('whoever was told the day before is told the day after, too', async (t) => {
  const { db, place, sweep, told } = await start(t as never)
  const order = place(dayIn(-6))
  await sweep()
  db.update(orders)
    .set({ due_since: dayIn(-8) })
    .where(eq(orders.id, order))
    .run()
  await sweep()
  t.same(told(), ['denis: payment-due, mail', ...toldLate(['admin', 'denis', 'maria', 'root'])].sort())
})

t.test('what is canceled is due no longer; thirty days late is told of, thirty-one not', async (t) => {
  const cabinet = await start(t as never)
  const { as, place, sweep, told, db, cast } = cabinet
  const cancel = transitionBetween(cabinet, 'payment', 'canceled').id
  const root = await as('root')
  for (const order of [place(dayIn(-8)), place(dayIn(-6))]) {
    t.equal((await requestTransition(root, order, cancel)).statusCode, 303)
    const owed = {
      company_id: cast.companies.alpha,
      amount: -500,
      order_id: order,
      date: '2026-01-15',
      note: 'Storage',
    } as const
    bookCorrection(db, owed, system)
  }
  db.delete(notifications).run()
  place(dayIn(-38))
  await sweep()
  t.same(told(), [])
  place(dayIn(-37))
  await sweep()
  t.same(told(), toldLate(['admin', 'denis', 'maria', 'root']))
})

t.test('whoever was deactivated is told nothing, be it the dealer, the manager or an administrator', async (t) => {
  const { db, cast, place, sweep, told } = await start(t as never)
  const deactivate = (name: 'denis' | 'maria' | 'admin') => db.update(users).set({ active: false }).where(eq(users.id, cast[name])).run()
  for (const name of ['denis', 'maria', 'admin'] as const) deactivate(name)
  place(dayIn(-6))
  place(dayIn(-8))
  await sweep()
  t.same(told(), toldLate(['root']))
})

t.test('a manager who has handed the company over is told nothing, but whoever manages it now', async (t) => {
  const { db, cast, place, sweep, told } = await start(t as never)
  place(dayIn(-8))
  db.update(companies).set({ manager_id: cast.mikhail }).where(eq(companies.id, cast.companies.alpha)).run()
  await sweep()
  t.same(told(), toldLate(['admin', 'denis', 'mikhail', 'root']), 'the manager of today')
})

t.test('a dealer without prices is told nothing, and prices taken away later are hidden', async (t) => {
  const { db, cast, place, sweep, told, inboxOf } = await start(t as never)
  revoke(db, cast.denis, 'order_can_view_prices')
  place(dayIn(-6))
  place(dayIn(-8))
  await sweep()
  t.same(told(), toldLate(['admin', 'maria', 'root']))
  revoke(db, cast.maria, 'order_can_view_prices')
  t.notMatch((await inboxOf('maria'))[0], /000,00/)
})

t.test('who turns off email for payments has due days in the inbox only', async (t) => {
  const { as, place, sweep, told } = await start(t as never)
  await (await as('denis')).post('/profile', { mail_payments: '0' })
  await (await as('maria')).post('/profile', { mail_statuses: '0' })
  place(dayIn(-8))
  await sweep()
  t.same(told(), ['admin: payment-overdue, mail', 'denis: payment-overdue', 'maria: payment-overdue, mail', 'root: payment-overdue, mail'])
})

t.test('one sweep tells of more orders than fit into one transaction', async (t) => {
  const { place, sweep, told, cast, db } = await start(t as never)
  for (const name of ['admin', 'maria'] as const) revoke(db, cast[name], 'payment_can_confirm')
  db.update(companies).set({ payment_days: 7 }).run()
  for (let count = 0; count < 501; count++) place(dayIn(-6), count % 2 ? 'alpha' : 'beta')
  await sweep()
  t.equal(told().length, 501)
})

t.test('a message about a due day that waits is not sent once the order is paid, canceled or deleted', async (t) => {
  const cabinet = await start(t as never)
  const { app, as, db, cast, place, pay, sweep, office } = cabinet
  office.replies = { RCPT: '451 Try later' }
  const [paid, canceled, deleted, lacking] = [place(dayIn(-6)), place(dayIn(-6)), place(dayIn(-6)), place(dayIn(-6))]
  await sweep()
  const waiting = () => db.select().from(deliveries).all()
  await until(() => waiting().every(({ last_error }) => last_error))
  t.equal(waiting().length, 4)
  pay(paid, 100_000)
  pay(lacking, 99_999)
  const { id: cancel } = transitionBetween(cabinet, 'payment', 'canceled')
  t.equal((await requestTransition(await as('root'), canceled, cancel, {})).statusCode, 303)
  db.delete(notifications).where(eq(notifications.event, 'payment-overdue')).run()
  grant(db, cast.admin, 'order_can_view', 'order_can_delete')
  t.equal((await (await as('admin')).post('/orders/delete', { id: deleted })).statusCode, 303)
  office.replies = {}
  const aboutDays = db.select({ id: notifications.id }).from(notifications).where(eq(notifications.event, 'payment-due')).all()
  db.update(deliveries).set({ next_at: 0 }).where(eq(deliveries.state, 'waiting')).run()
  callWorker({ app, db })
  const ofDays = () => waiting().filter(({ notification_id }) => aboutDays.some(({ id }) => id === notification_id))
  await until(() => ofDays().every(({ state }) => state !== 'waiting'))
  const letters = office.letters.filter(({ text }) => /is due/.test(text))
  t.equal(letters.length, 1)
  t.match(letters[0]?.text, `/orders/${lacking}#payments`)
  t.match(textOf((await (await as('root')).get('/outbox')).body), 'Nothing is lacking for this order any more.')
  t.same(
    ofDays()
      .map(({ state, last_error }) => `${state} ${last_error ?? ''}`.trim())
      .sort(),
    ['failed no-order', 'failed nothing-due', 'failed nothing-due', 'sent'],
  )
})
