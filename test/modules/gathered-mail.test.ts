import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { nextDaily, nextHourly } from '../../src/core/mail-pace.ts'
import { deliveries, deputies, notifications, users } from '../../src/database/schema/index.ts'
import type { Channel, Message } from '../../src/modules/notifications/channels/channel.ts'
import { email } from '../../src/modules/notifications/channels/email.ts'
import { channels } from '../../src/modules/notifications/channels.ts'
import { queueNotifications } from '../../src/modules/notifications/queue.ts'
import { createAccount } from '../../src/modules/users/accounts.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { insertDeputy } from '../support/deputies.ts'
import { callWorker } from '../support/jobs.ts'
import { notifyRecipients } from '../support/notify.ts'
import { until } from '../support/until.ts'

/** What is sent by email; the first attempts, if so many are to fail, are not accepted. */
async function startWithMail(t: Tap, failures = 0) {
  const sent: Message[] = []
  const recorded: Channel = {
    ...email,
    isOpen: () => true,
    send: async (_app, message) => {
      if (failures-- > 0) throw new Error('busy')
      sent.push(message)
    },
  }
  const place = channels.indexOf(email)
  channels.splice(place, 1, recorded)
  t.teardown(() => channels.splice(place, 1, email))
  const cabinet = await startCabinet(t, { anew: true })
  return { ...cabinet, cabinet, sent }
}

type Tap = Parameters<typeof startCabinet>[0]

const pace = ({ db }: Pick<Cabinet, 'db'>, id: number, mail_pace: 'at-once' | 'hourly' | 'daily', mail_time = '09:00') =>
  db.update(users).set({ mail_pace, mail_time }).where(eq(users.id, id)).run()

const waiting = ({ db }: Pick<Cabinet, 'db'>) => db.select().from(deliveries).where(eq(deliveries.state, 'waiting')).all()

async function letPass(cabinet: Cabinet) {
  for (;;) {
    cabinet.db.update(deliveries).set({ next_at: 0 }).where(eq(deliveries.state, 'waiting')).run()
    callWorker(cabinet)
    await until(() => waiting(cabinet).every(({ next_at }) => next_at > 0))
    if (waiting(cabinet).length === 0) return
  }
}

t.test('what somebody gathers comes in one email, by order, each line with its link; others and Telegram get each at once', async (t) => {
  const { cabinet, db, cast, sent, as } = await startWithMail(t)
  pace(cabinet, cast.maria, 'hourly')
  pace(cabinet, cast.admin, 'daily', '18:00')
  const before = Date.now()
  notifyRecipients(cabinet, [cast.maria, cast.admin, cast.root], 'Paid')
  const denis = await as('denis')
  await denis.post(`/orders/${cast.order}/messages`, { text: 'When will\nit be ready?' })
  const rows = db.select().from(deliveries).innerJoin(notifications, eq(notifications.id, deliveries.notification_id)).all()
  const timesOf = (id: number) => rows.flatMap((row) => (row.notifications.user_id === id ? [row.deliveries.gathered_for] : []))
  t.same(timesOf(cast.maria), [nextHourly(before), nextHourly(before)])
  t.same(timesOf(cast.admin), [nextDaily(before, 18)])
  t.same(timesOf(cast.root), [null])
  await letPass(cabinet)
  const toMaria = sent.filter(({ to }) => to === 'maria@example.com')
  t.equal(toMaria.length, 1)
  t.match(toMaria[0]?.subject, new RegExp(`^2 updates: Order ${cast.order} from Alpha Windows$`))
  t.match(toMaria[0]?.text, `Order ${cast.order} from Alpha Windows\n– Paid · Petrova Maria · `)
  t.match(
    toMaria[0]?.text,
    new RegExp(`– Denisov Denis wrote: When will it be ready\\? · .*\\n {2}.*/orders/${cast.order}#message-\\d+\\n`),
  )
  t.match(toMaria[0]?.text, /When email comes is up to your profile:\n.*\/profile$/)
  t.match(sent.find(({ to }) => to === 'admin@example.com')?.subject, /^Order \d+: Paid$/, 'one alone is told as ever')
})

t.test('mentions, rejected and overdue payments come at once to somebody who gathers', async (t) => {
  const { cabinet, db, cast, as, app } = await startWithMail(t)
  pace(cabinet, cast.maria, 'daily')
  const denis = await as('denis')
  const last = () => db.select().from(deliveries).all().at(-1)
  await denis.post(`/orders/${cast.order}/messages`, { text: '@Petrova when?' })
  t.equal(last()?.gathered_for, null)
  const expected = {
    'payment-rejected': null,
    'payment-overdue': null,
    'payment-due': 'gathered',
    'payment-confirmed': 'gathered',
  } as const
  for (const [event, gathered] of Object.entries(expected)) {
    queueNotifications(app, { recipients: [cast.maria], acted: null, order_id: cast.order, event: event as keyof typeof expected })
    t.equal(last()?.gathered_for === null, gathered === null, event)
  }
})

t.test('a message that is withdrawn leaves what is gathered without it', async (t) => {
  const { cabinet, db, cast, sent, as } = await startWithMail(t)
  pace(cabinet, cast.maria, 'hourly')
  const denis = await as('denis')
  await denis.post(`/orders/${cast.order}/messages`, { text: 'Secret slip' })
  await denis.post(`/orders/${cast.order}/messages`, { text: 'Meant so' })
  db.$client.prepare(`update order_messages set withdrawn_at = 1 where text = 'Secret slip'`).run()
  await letPass(cabinet)
  t.equal(sent.length, 1)
  t.match(sent[0]?.text, 'Meant so')
  t.notMatch(sent[0]?.text, 'Secret slip')
  t.same(
    db
      .select()
      .from(deliveries)
      .all()
      .map(({ state }) => state),
    ['failed', 'sent'],
  )
})

t.test('new people get mail gathered every hour; a time that is none is refused at its field', async (t) => {
  const { cabinet, db, cast, as } = await startWithMail(t)
  const values = { lastname: 'New', name: 'Nora', email: 'nora@example.com', password: 'x' }
  const id = createAccount(db, 2, values, { id: null, name: 'The test' })
  t.match(db.select().from(users).where(eq(users.id, id)).get(), { mail_pace: 'hourly', mail_time: '09:00' })
  const maria = await as('maria')
  t.equal((await maria.post('/profile', { mail_pace: 'daily', mail_time: '25:00' })).statusCode, 422)
  t.equal((await maria.post('/profile', { mail_pace: 'never' })).statusCode, 422)
  t.equal((await maria.post('/profile', { mail_pace: '' })).statusCode, 422)
  t.equal((await maria.post('/profile', { mail_pace: 'daily', mail_time: '18:00' })).statusCode, 303)
  t.match(db.select().from(users).where(eq(users.id, cast.maria)).get(), { mail_pace: 'daily', mail_time: '18:00' })
  db.update(users).set({ mail_time: 'noon' }).where(eq(users.id, cast.maria)).run()
  notifyRecipients(cabinet, [cast.maria])
  t.equal(waiting(cabinet).length, 1, 'what another program wrote there hinders nothing')
})

t.test('nobody is told twice of one change, and everybody once, however they gather and whatever fails', async (t) => {
  const people = ['maria', 'denis', 'root', 'admin'] as const
  const failing = fc.integer({ min: 0, max: 3 })
  const chosen = fc.array(fc.constantFrom('at-once', 'hourly', 'daily'), { minLength: 4, maxLength: 4 })
  const told = fc.array(fc.subarray([...people], { minLength: 1 }), { minLength: 1, maxLength: 6 })
  let run = 0
  await fc.assert(
    fc.asyncProperty(failing, chosen, told, async (failures, paces, changes) => {
      await t.test(`run ${++run}`, async (t) => {
        const { cabinet, cast, sent } = await startWithMail(t, failures)
        for (const [n, name] of people.entries()) pace(cabinet, cast[name], paces[n] as 'hourly')
        for (const [n, names] of changes.entries())
          notifyRecipients(
            cabinet,
            names.map((name) => cast[name]),
            `Change-${n}!`,
          )
        await letPass(cabinet)
        changes.forEach((names, n) => {
          const tellers = sent.filter(({ subject, text }) => `${subject} ${text}`.includes(`Change-${n}!`)).map(({ to }) => to)
          t.same(tellers.sort(), names.map((name) => `${name}@example.com`).sort(), `change ${n}`)
        })
      })
    }),
    { numRuns: 12 },
  )
})

t.test("a deputy's mail says for whom, at once and gathered; the manager's does not", async (t) => {
  const { cabinet, db, cast, sent, as } = await startWithMail(t)
  insertDeputy(db, cast.maria, cast.mikhail)
  const denis = await as('denis')
  const write = (text: string) => denis.post(`/orders/${cast.order}/messages`, { text })
  const textsTo = (name: string) => sent.filter(({ to }) => to === `${name}@example.com`).map(({ text }) => text)
  await write('First')
  await letPass(cabinet)
  t.match(textsTo('mikhail'), [/First[\s\S]*You are the deputy of Petrova Maria\.$/])
  t.notMatch(textsTo('maria').join(), /deputy|for Petrova/)
  pace(cabinet, cast.mikhail, 'hourly')
  await write('Second')
  await write('Third')
  await letPass(cabinet)
  t.match(textsTo('mikhail')[1], /Order 1 from Alpha Windows \(for Petrova Maria\)[\s\S]*Second[\s\S]*Third/)
  db.update(deputies).set({ last_day: '2000-01-02' }).run()
  pace(cabinet, cast.mikhail, 'at-once')
  notifyRecipients(cabinet, [cast.mikhail], 'Paid')
  await letPass(cabinet)
  t.notMatch(textsTo('mikhail')[2], /deputy/, 'who was told for another reason is no deputy then')
})
