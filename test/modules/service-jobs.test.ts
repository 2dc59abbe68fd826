import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import tap from 'tap'
import { buildApp } from '../../src/app.ts'
import { deliveries, jobs, submissions, users, webhookDeliveries } from '../../src/database/schema/index.ts'
import { addHourlyJobs } from '../../src/records/jobs/hourly.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { startMailServer, startTelegram } from '../support/channel-servers.ts'
import { rowsOf } from '../support/html.ts'
import { callWorker, endOfJob, insertJob, until } from '../support/jobs.ts'
import { notifyRecipients } from '../support/notify.ts'
import { addWebhook, neverAnswering, startReceiver } from '../support/receiver.ts'

async function start(test: typeof tap) {
  const [office, telegram] = [await startMailServer(test), await startTelegram(test)]
  const channels = { SMTP_URL: office.url, TELEGRAM_BOT_TOKEN: '1:x', TELEGRAM_API_URL: telegram.url, WEBHOOK_HOSTS: '127.0.0.1' }
  return { ...(await startCabinet(test, { environment: channels })), office, telegram }
}

const statesIn = ({ db }: Cabinet, channel: string) =>
  db
    .select()
    .from(deliveries)
    .all()
    .filter((one) => one.channel === channel)
    .map(({ state }) => state)

tap.test('a mail server and an address that never answer hold up no other channel, no other address and no other job', async (t) => {
  const cabinet = await start(t as never)
  const { app, db, cast, as, office, telegram } = cabinet
  app.timeouts.webhook = 600_000
  const [silent, quick] = [await startReceiver(t), await startReceiver(t)]
  silent.reply = neverAnswering
  const [first, second] = [await addWebhook(cabinet, silent.url), await addWebhook(cabinet, quick.url)]
  office.replies = { 'after data': 'silence' }
  db.update(users).set({ tg_id: '42' }).run()
  notifyRecipients(cabinet, [cast.denis])
  // Administrators are told of the webhooks, too.
  await until(() => office.letters.some(({ to }) => to === 'denis@example.com'))
  const root = await as('root')
  for (const { id } of [first, second]) await root.post(`/webhooks/${id}/test`)
  await until(() => silent.requests.length === 1)
  t.same(statesIn(cabinet, 'email').at(-1), 'waiting')
  notifyRecipients(cabinet, [cast.daria])
  await until(() => telegram.messages.length === 2 && quick.requests.length === 1)
  await root.post(`/webhooks/${second.id}/test`)
  await until(() => quick.requests.length === 2)
  t.same([silent.requests.length, silent.most], [1, 1], 'none is sent twice meanwhile')
  const ended = insertJob(db, cast.root, { kind: 'of an earlier version', state: 'waiting', ended_at: null })
  app.jobs.wake()
  t.match(await endOfJob(cabinet, `/jobs/${ended}`), { state: 'failed' })
  t.same(
    db
      .select()
      .from(jobs)
      .all()
      .filter(({ user_id }) => user_id === 0)
      .map(({ kind, state }) => [kind, state])
      .sort(),
    [
      ['email', 'running'],
      ['webhook', 'running'],
    ],
    'one job for each place where something still waits',
  )
})

tap.test(
  'what sends is in no list of jobs and gone when nothing waits; when it fails, administrators see why and have it tried again',
  async (t) => {
    const cabinet = await start(t as never)
    const { db, cast, as, office } = cabinet
    const [admin, denis] = [await as('admin'), await as('denis')]
    const shown = async () => rowsOf(await admin.get('/jobs'), 'jobs')
    db.run(sql`create trigger broken before update on deliveries begin select raise(abort, 'broken on purpose'); end`)
    notifyRecipients(cabinet, [cast.denis])
    for (let attempt = 1; attempt <= 5; attempt++) {
      await until(() => db.select().from(jobs).get()?.attempts === attempt)
      if (attempt === 5) break
      const job = db.select().from(jobs).get()
      t.match(job, {
        kind: 'email',
        state: 'waiting',
        problem: ['Something went wrong on our end: {reason}', { reason: 'broken on purpose' }],
      })
      t.ok((job?.due_at ?? 0) > Date.now() + 2000 * 2 ** (attempt - 1), 'it waits, longer each time')
      t.same(await shown(), [])
      t.equal((await admin.post(`/jobs/${job?.id}/stop`)).statusCode, 409, 'nobody stops what the service needs')
      t.notMatch((await admin.get(`/jobs/${job?.id}`)).body, '/stop')
      callWorker(cabinet)
    }
    await until(() => db.select().from(jobs).get()?.state === 'failed')
    const { id } = db.select().from(jobs).get() ?? {}
    const [row, ...others] = await shown()
    t.same(others, [])
    t.match(row?.cells, { kind: 'Email', state: 'Failed', who: 'System', problem: /broken on purpose/ })
    t.equal((await denis.get(`/jobs/${id}`)).statusCode, 403)
    t.equal((await denis.post(`/jobs/${id}/retry`)).statusCode, 403)
    db.run(sql`drop trigger broken`)
    t.equal(statesIn(cabinet, 'email')[0], 'waiting')
    t.equal((await admin.post(`/jobs/${id}/retry`)).statusCode, 303)
    await until(() => db.select().from(jobs).all().length === 0)
    t.equal(statesIn(cabinet, 'email')[0], 'sent')
    t.equal(new Set(office.letters.map(({ messageId }) => messageId)).size, 1, 'what was sent again is the same message')
  },
)

tap.test(
  'what somebody stopped goes on only by themselves or a superadministrator; what failed also by other administrators',
  async (t) => {
    const { db, cast, as } = await start(t as never)
    const offered = (person: Awaited<ReturnType<typeof as>>, id: number) =>
      person.get(`/jobs/${id}`).then(({ body }) => body.includes(`/jobs/${id}/retry`))
    const retried = async (name: Name, state: 'stopped' | 'failed') => {
      const id = insertJob(db, cast.denis, { state })
      const person = await as(name)
      const isOffered = await offered(person, id)
      const { statusCode } = await person.post(`/jobs/${id}/retry`)
      t.equal(isOffered, statusCode === 303, `${name} is offered what they may do`)
      return statusCode
    }
    t.same([await retried('denis', 'stopped'), await retried('root', 'stopped'), await retried('admin', 'stopped')], [303, 303, 403])
    t.same([await retried('denis', 'failed'), await retried('root', 'failed'), await retried('admin', 'failed')], [303, 303, 303])
  },
)

tap.test('what is sent to an address that was deleted meanwhile is no more, and neither is its job', async (t) => {
  const cabinet = await start(t as never)
  const { db, as } = cabinet
  const receiver = await startReceiver(t)
  receiver.reply = (_, response) => void setTimeout(() => response.writeHead(500).end(), 100)
  const { id } = await addWebhook(cabinet, receiver.url)
  const root = await as('root')
  await root.post(`/webhooks/${id}/test`)
  await until(() => receiver.requests.length === 1)
  await root.post(`/webhooks/${id}/delete`)
  await until(() => db.select().from(jobs).all().length === 0)
  t.same(db.select().from(webhookDeliveries).all(), [])
  await pause(20)
  t.equal(receiver.requests.length, 1)
})

tap.test('what is done every hour are jobs: one that fails says why and holds up no other, and the next hour tries again', async (t) => {
  const cabinet = await start(t as never)
  const { app, db, as, cast } = cabinet
  const admin = await as('admin')
  const shown = async () => rowsOf(await admin.get('/jobs'), 'jobs').map(({ cells }) => [cells.kind, cells.state])
  const open = () =>
    db
      .select()
      .from(jobs)
      .all()
      .filter(({ state }) => state === 'waiting' || state === 'running')
  const forgotten = { user_id: cast.denis, form: '/', once: 'x', sent: '', location: '/', at: 1 }
  db.insert(submissions).values(forgotten).run()
  db.run(sql`create trigger broken before delete on submissions begin select raise(abort, 'broken on purpose'); end`)
  for (const _ of ['once', 'again']) addHourlyJobs(app)
  t.same(
    open()
      .map(({ kind }) => kind)
      .sort(),
    ['clean-up', 'due-days', 'sweep-files'],
    'one of each at a time',
  )
  await until(() => open().length === 1)
  t.same(await shown(), [])
  for (let attempt = 1; attempt < 5; attempt++) {
    await until(() => db.select().from(jobs).get()?.attempts === attempt)
    callWorker(cabinet)
  }
  await until(() => open().length === 0)
  t.same(await shown(), [['Removal of what has expired', 'Failed']])
  t.match(db.select().from(jobs).get()?.problem, ['Something went wrong on our end: {reason}', { reason: 'broken on purpose' }])
  db.run(sql`drop trigger broken`)
  addHourlyJobs(app)
  await until(() => open().length === 0)
  t.same(db.select().from(submissions).all(), [])
  t.equal((await shown()).length, 1, 'what has failed stays, until its month is over')
})

tap.test('an hourly job that the end of the service interrupts goes on at the next start', async (t) => {
  const { app, db, cast } = await startCabinet(t, { anew: true })
  db.insert(submissions).values({ user_id: cast.denis, form: '/', once: 'x', sent: '', location: '/', at: 1 }).run()
  await app.close()
  const now = Date.now()
  const row = { kind: 'clean-up', list: '', subject: 'clean-up', total: 1, user_id: 0, author: { id: null, name: '' }, payload: {} }
  db.insert(jobs)
    .values({ ...row, state: 'running', authenticated_at: 0, created_at: now, started_at: now, due_at: now })
    .run()
  const restarted = await buildApp({ config: app.config, db })
  await restarted.ready()
  await until(() => db.select().from(jobs).all().length === 0)
  t.same(db.select().from(submissions).all(), [])
  await restarted.close()
})
