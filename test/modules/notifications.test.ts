import { eq } from 'drizzle-orm'
import t from 'tap'
import { write } from '../../src/database/open.ts'
import { deliveries, notifications, users } from '../../src/database/schema/index.ts'
import { queueNotifications } from '../../src/modules/notifications/queue.ts'
import { startCabinet } from '../support/cabinet.ts'
import { tell } from '../support/notices.ts'

const channels = { SMTP_URL: 'smtp://127.0.0.1:9', TELEGRAM_BOT_TOKEN: 'secret', TELEGRAM_API_URL: 'http://127.0.0.1:9' }

t.test('queueing', async (t) => {
  const cabinet = await startCabinet(t, { environment: channels })
  const { app, db, cast } = cabinet
  db.update(users).set({ tg_id: '42' }).where(eq(users.id, cast.denis)).run()

  t.test('one person, one change, one message on each channel', async (t) => {
    const change = tell(cabinet, [cast.denis, cast.maria, cast.denis])
    const again = { recipients: [cast.denis], order_id: cast.order, history_id: change, status_name: 'Paid' }
    write(db, () => queueNotifications(app, again))
    const stored = db.select().from(notifications).all()
    t.same(stored.map(({ user_id }) => user_id).sort(), [cast.denis, cast.maria].sort())
    const waiting = db.select().from(deliveries).all()
    t.same(waiting.map(({ channel }) => channel).sort(), ['email', 'email', 'telegram'])
  })

  t.test('people who are switched off find it when they come back, but nothing is sent to them', async (t) => {
    db.delete(notifications).run()
    tell(cabinet, [cast.ivan])
    t.equal(db.select().from(notifications).all().length, 1)
    t.equal(db.select().from(deliveries).all().length, 0)
  })

  t.test('a transaction that is rolled back leaves nothing', async (t) => {
    db.delete(notifications).run()
    t.throws(() =>
      write(db, () => {
        tell(cabinet, [cast.denis])
        throw new Error('no')
      }),
    )
    t.equal(db.select().from(notifications).all().length, 0)
  })

  t.test('nobody to tell is no trouble', async (t) => {
    tell(cabinet, [])
    t.equal(db.select().from(notifications).all().length, 0)
  })
})
