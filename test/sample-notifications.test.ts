import { eq } from 'drizzle-orm'
import t from 'tap'
import { loadSample } from '../src/database/sample/load.ts'
import { deliveries, notifications, payments, users } from '../src/database/schema/index.ts'
import { hashPassword } from '../src/http/access/password-hashing.ts'
import { notifyOfSamplePayments } from '../src/sample-notifications.ts'
import { startCabinet } from './support/cabinet.ts'
import { password } from './support/cast.ts'
import { startMailServer } from './support/channel-servers.ts'

t.test('people of the sample data were notified of its payments and due days, in the inbox', async (t) => {
  const office = await startMailServer(t)
  const { app, db } = await startCabinet(t, { empty: true, environment: { SMTP_URL: office.url } })
  loadSample(db, await hashPassword(password))
  const before = db.select().from(deliveries).all().length
  await notifyOfSamplePayments(app)
  const told = db.select().from(notifications).innerJoin(users, eq(users.id, notifications.user_id)).all()
  const ofPayments = told.flatMap(({ notifications: one, users: { email } }) =>
    one.event?.startsWith('payment-') ? [{ ...one, email }] : [],
  )
  const eventsOf = (email: string) => [...new Set(ofPayments.filter((one) => one.email === email).map(({ event }) => event))].sort()
  t.same([...new Set(ofPayments.map(({ event }) => event))].sort(), [
    'payment-confirmed',
    'payment-due',
    'payment-overdue',
    'payment-rejected',
    'payment-reported',
  ])
  t.same(eventsOf('admin@example.com'), ['payment-overdue', 'payment-reported'])
  t.ok(eventsOf('dealer@example.com').includes('payment-due'))
  const dates = new Map(
    db
      .select()
      .from(payments)
      .all()
      .map(({ id, created_at, decided_at }) => [id, { created_at, decided_at }]),
  )
  for (const { payment_id, event, created_at } of ofPayments) {
    const payment = dates.get(payment_id ?? 0)
    if (payment) t.equal(created_at, event === 'payment-reported' ? payment.created_at : payment.decided_at)
  }
  t.ok(ofPayments.some(({ read_at }) => read_at === null) && ofPayments.some(({ read_at }) => read_at !== null))
  const times = told.map(({ notifications: one }) => one).sort((one, other) => one.id - other.id)
  const early = times.filter(({ event }) => event !== 'payment-due' && event !== 'payment-overdue').map(({ created_at }) => created_at)
  t.same(
    early,
    early.toSorted((one, other) => one - other),
    'lists show them in the order of time',
  )
  const sent = db.select().from(deliveries).all().length - before
  t.equal(sent, ofPayments.filter(({ payment_id }) => payment_id === null).length, 'only due days are sent by email')
})
