import { eq } from 'drizzle-orm'
import t from 'tap'
import { deliveries, users } from '../../src/database/schema/index.ts'
import { type Channel, PermanentFailure } from '../../src/modules/notifications/channels/channel.ts'
import { email } from '../../src/modules/notifications/channels/email.ts'
import { channels } from '../../src/modules/notifications/channels.ts'
import { startCabinet } from '../support/cabinet.ts'
import { elementsOf, textOf } from '../support/html.ts'
import { callWorker } from '../support/jobs.ts'
import { notifyRecipients } from '../support/notify.ts'
import { until } from '../support/until.ts'

t.test('a third channel is one entry of the table: it is queued, sent and shown in the outbox', async (t) => {
  const received: [address: string, subject: string][] = []
  const phone: Channel = {
    key: 'phone',
    label: 'Phone',
    isOpen: () => true,
    address: users.phone,
    wanted: email.wanted,
    ...{ environment: {}, addressFields: {}, preferences: {} },
    send: async (_app, { to, subject }) => {
      if (to === 'wrong') throw new PermanentFailure('no such number')
      received.push([to, subject])
    },
  }
  channels.push(phone)
  t.teardown(() => channels.splice(channels.indexOf(phone), 1))
  const cabinet = await startCabinet(t, { anew: true })
  const { as, db, cast } = cabinet
  const setPhone = (id: number, phone: string | null) => db.update(users).set({ phone }).where(eq(users.id, id)).run()
  setPhone(cast.maria, '+7(999) 123 45 67')
  setPhone(cast.denis, null)
  setPhone(cast.roman, 'wrong')
  setPhone(cast.pavel, '+7(999) 000 00 00')
  db.update(users).set({ mail_statuses: false }).where(eq(users.id, cast.pavel)).run()
  notifyRecipients(cabinet, [cast.maria, cast.denis, cast.roman, cast.pavel])
  const admin = await as('root')
  const rows = async (query: string) => elementsOf((await admin.get(`/outbox?${query}`)).body, 'tr[id^=outbox-]').map(textOf)
  const all = () => db.select().from(deliveries).all()
  db.update(deliveries).set({ next_at: 0 }).run()
  callWorker(cabinet)
  await until(() => all().every(({ state }) => state !== 'waiting'))
  t.same(
    received.map(([address]) => address),
    ['+7(999) 123 45 67'],
    'only those who have an address and want to hear of it',
  )
  t.match(received[0]?.[1], /^Order \d+: /)
  t.match((await rows('channel=phone&state=sent')).join(), /Petrova Maria.* \+7\(999\) 123 45 67 Phone/)
  t.match((await rows('channel=phone&state=failed')).join(), /wrong Phone .* no such number/)
  t.equal((await rows('channel=email')).length, 0)
})

t.test('what is being sent when the service stops is waited for, so that nobody gets it twice', async (t) => {
  let isSending = false
  const accepted = Promise.withResolvers<void>()
  const slow: Channel = {
    key: 'slow',
    label: 'Slow',
    isOpen: () => true,
    address: users.email,
    wanted: email.wanted,
    ...{ environment: {}, addressFields: {}, preferences: {} },
    send: () => {
      isSending = true
      return accepted.promise
    },
  }
  channels.push(slow)
  t.teardown(() => channels.splice(channels.indexOf(slow), 1))
  const cabinet = await startCabinet(t, { anew: true })
  notifyRecipients(cabinet, [cabinet.cast.maria])
  await until(() => isSending)
  const closed = cabinet.app.close()
  setImmediate(() => accepted.resolve())
  await closed
  t.match(cabinet.db.select().from(deliveries).all(), [{ state: 'sent', attempts: 1 }])
})

t.test('an empty outbox says that nothing is set up only where that is so', async (t) => {
  const without = 'Email and messengers are not set up'
  const telegram = { TELEGRAM_BOT_TOKEN: 'secret', TELEGRAM_API_URL: 'http://127.0.0.1:9' }
  for (const [environment, missing] of [
    [{}, true],
    [{ SMTP_URL: 'smtp://127.0.0.1:9' }, false],
    [telegram, false],
    [{ SMTP_URL: 'smtp://127.0.0.1:9', ...telegram }, false],
  ] as const) {
    const { as } = await startCabinet(t, { environment })
    const page = textOf((await (await as('root')).get('/outbox')).body)
    t.equal(page.includes(without), missing, Object.keys(environment).join())
    t.equal(page.includes('Emails and messages in messengers appear here.'), !missing)
  }
})
