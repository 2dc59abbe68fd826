import { eq } from 'drizzle-orm'
import t from 'tap'
import { deliveries, notifications, users } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { fieldOf } from '../support/html.ts'
import { notifyRecipients } from '../support/notify.ts'

const environment = { SMTP_URL: 'smtp://127.0.0.1:9', TELEGRAM_BOT_TOKEN: 'token', TELEGRAM_API_URL: 'http://127.0.0.1:9' }

t.test('a user who turns off email for order statuses still gets them in the inbox and in Telegram', async (t) => {
  const cabinet = await startCabinet(t, { environment })
  const { as, db, cast } = cabinet
  const maria = await as('maria')
  t.equal((await maria.post('/profile', { tg_id: '77', mail_statuses: '0' })).statusCode, 303)
  t.match(fieldOf(await maria.get('/profile'), 'mail_statuses'), { disabled: false })
  notifyRecipients(cabinet, [cast.maria])
  t.equal(db.select().from(notifications).all().length, 1)
  t.same(
    db
      .select()
      .from(deliveries)
      .all()
      .map(({ channel }) => channel),
    ['telegram'],
  )
})

t.test('nothing is sent to an address that is blank', async (t) => {
  const cabinet = await startCabinet(t, { environment })
  const { db, cast } = cabinet
  const addresses: [Name, string | null][] = [
    ['maria', '42'],
    ['mikhail', '  '],
    ['plain', ''],
    ['clerk', null],
  ]
  for (const [name, tg_id] of addresses) db.update(users).set({ tg_id }).where(eq(users.id, cast[name])).run()
  db.update(users).set({ email: ' ' }).where(eq(users.id, cast.maria)).run()
  notifyRecipients(
    cabinet,
    addresses.map(([name]) => cast[name]),
  )
  const queued = db.select().from(deliveries).innerJoin(notifications, eq(notifications.id, deliveries.notification_id)).all()
  const idsOf = (channel: string) => queued.flatMap((row) => (row.deliveries.channel === channel ? row.notifications.user_id : [])).sort()
  t.same(idsOf('telegram'), [cast.maria])
  t.same(idsOf('email'), [cast.mikhail, cast.plain, cast.clerk].sort())
})

t.test('a user who turns off email for messages gets email only when mentioned', async (t) => {
  const { as, db, cast } = await startCabinet(t, { environment })
  const maria = await as('maria')
  await maria.post('/profile', { mail_messages: '0' })
  const denis = await as('denis')
  const mailed = () => db.select().from(deliveries).all().length
  t.equal((await denis.post(`/orders/${cast.order}/messages`, { text: 'When?' })).statusCode, 303)
  t.equal(mailed(), 0)
  t.equal((await denis.post(`/orders/${cast.order}/messages`, { text: '@Petrova when?' })).statusCode, 303)
  t.equal(mailed(), 1)
})

t.test('each preference governs its own channel and occasion, and no other', async (t) => {
  const cabinet = await startCabinet(t, { environment })
  const { as, db, cast } = cabinet
  const [maria, denis] = [await as('maria'), await as('denis')]
  const occasions = {
    statuses: async () => void notifyRecipients(cabinet, [cast.maria]),
    messages: async () => void (await denis.post(`/orders/${cast.order}/messages`, { text: 'When?' })),
    mentions: async () => void (await denis.post(`/orders/${cast.order}/messages`, { text: '@Petrova?' })),
  }
  const preferences = ['mail', 'telegram'].flatMap((channel) => Object.keys(occasions).map((occasion) => `${channel}_${occasion}`))
  for (const off of preferences) {
    const fields = Object.fromEntries(preferences.map((name) => [name, name === off ? '0' : '1']))
    await maria.post('/profile', { tg_id: '77', ...fields })
    const sent: string[] = []
    for (const [occasion, happen] of Object.entries(occasions)) {
      db.delete(deliveries).run()
      await happen()
      for (const { channel } of db.select().from(deliveries).all()) sent.push(`${channel === 'email' ? 'mail' : channel}_${occasion}`)
    }
    t.same(sent.sort(), preferences.filter((name) => name !== off).sort(), `without ${off}`)
  }
})
