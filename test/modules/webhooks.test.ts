import { createHmac } from 'node:crypto'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import {
  notifications,
  orderHistory,
  orderMessages,
  payments,
  securityEvents,
  statusTransitions,
  users,
  webhookAttempts,
  webhookDeliveries,
  webhookMessages,
  webhooks,
} from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { callWebhook } from '../../src/modules/notifications/webhooks/deliveries.ts'
import labels from '../../src/modules/notifications/webhooks/labels.json' with { type: 'json' }
import { deleteExpiredRows } from '../../src/records/housekeeping.ts'
import { clientOf } from '../support/api.ts'
import { type Answer, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { errorsOf, parseHtml } from '../support/html.ts'
import { callWorker } from '../support/jobs.ts'
import { insertPayment } from '../support/ledger.ts'
import { historyOf, placeOrder, requestTransition, setOrder, statusId, transitionBetween } from '../support/orders.ts'
import {
  addWebhook,
  allEvents,
  answering,
  deliveriesOf,
  dueNow,
  neverAnswering,
  type Received,
  startReceiver,
} from '../support/receiver.ts'
import { until } from '../support/until.ts'

const environment = { WEBHOOK_HOSTS: 'erp.local, 127.0.0.1' }
const start = (test: Parameters<typeof startCabinet>[0]) => startCabinet(test, { environment })
const later = { timeout: 60_000 }

/** The signature as Standard Webhooks describe it. */
function signatureFor(secret: string, { headers, body }: Received): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

const typesOf = (requests: Received[]) => requests.map(({ body }) => JSON.parse(body).type)
const day = 24 * 3600_000

const rowsOf = (body: string) =>
  parseHtml(body)('[data-delivery]')
    .toArray()
    .map(({ attribs }) => attribs['data-state'])

const stateOf = ({ body }: Answer, webhook: number) => parseHtml(body)(`[data-webhook="${webhook}"] [data-col=state]`).text()

/** What the API shows of an order, whoever reads it. */
async function shownByApi(cabinet: Cabinet, order: number) {
  const { messages, transitions, ...shown } = (await clientOf(cabinet, 'root').get(`/orders/${order}`)).json()
  return shown
}

function attemptsOf({ db }: Pick<Cabinet, 'db'>, delivery: number) {
  const of = eq(webhookAttempts.delivery_id, delivery)
  return db.select().from(webhookAttempts).where(of).all()
}

/** A test that is sent to an address, and the delivery it makes. */
async function sendTest(cabinet: Cabinet, webhook: number): Promise<number> {
  const answer = await (await cabinet.as('root')).post(`/webhooks/${webhook}/test`)
  if (answer.statusCode !== 303) throw new Error(String(answer.statusCode))
  return deliveriesOf(cabinet, webhook).at(-1)?.id as number
}

const untilAttempted = ({ db }: Pick<Cabinet, 'db'>, delivery: number, attempts = 1) =>
  until(() => (db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, delivery)).get()?.attempts ?? 0) >= attempts)

t.test('a superadministrator adds an address and sees its secret once', async (t) => {
  const cabinet = await start(t)
  const { id, secret, answer } = await addWebhook(cabinet, 'http://127.0.0.1:9/hook', ['order.created', 'order.message'])
  t.equal(answer.statusCode, 200)
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  t.match(cabinet.db.select().from(webhooks).get(), { url: 'http://127.0.0.1:9/hook', events: ['order.created', 'order.message'] })
  const root = await cabinet.as('root')
  const page = await root.get('/settings?tab=webhooks')
  t.match(page.body, 'http://127.0.0.1:9/hook')
  t.notMatch(page.body, secret)
  const tabs = parseHtml(answer.body)('.card-header-tabs a')
  t.ok(
    tabs.toArray().every(({ attribs }) => attribs.href?.startsWith('/settings')),
    'tabs lead to the settings, not to where the form was sent',
  )
  const once = { url: 'http://127.0.0.1:9/other', events: 'order.created', once: 'once' }
  t.equal((await root.post('/webhooks', once)).statusCode, 200)
  const again = await root.post('/webhooks', once)
  t.match(again, { statusCode: 303, headers: { location: '/settings?tab=webhooks' } }, 'a form sent twice adds one')
  t.equal(cabinet.db.select().from(webhooks).all().length, 2)
  t.equal((await root.post(`/webhooks/${id}/delete`)).statusCode, 303)
  const logged = cabinet.db.select().from(securityEvents).all()
  t.match(
    logged.filter(({ event }) => event.startsWith('webhook')).map(({ event, detail, actor_id }) => ({ event, detail, actor_id })),
    ['webhook-added', 'webhook-added', 'webhook-removed'].map((event) => ({ event, detail: '127.0.0.1', actor_id: cabinet.cast.root })),
  )
  t.same(cabinet.db.select({ url: webhooks.url }).from(webhooks).all(), [{ url: 'http://127.0.0.1:9/other' }], 'the other one stays')
})

t.test('an address that nothing can be sent to is refused with what was typed', async (t) => {
  const { as, db } = await start(t)
  const root = await as('root')
  const urls = [
    ...[
      '',
      'example.com/hook',
      'ftp://example.com/',
      'https://',
      'javascript:alert(1)',
      'https://user:secret@example.com/',
      'https://user@example.com/',
    ],
    ...[
      'http://127.1.2.3/',
      'http://10.0.0.1/',
      'http://[::1]/',
      'http://[::ffff:127.0.0.2]/',
      'http://169.254.169.254/latest',
      'http://0/',
    ],
    ...['http://2130706434/', 'http://0x7f.2/', 'http://100.64.0.1/', `https://example.com/${'a'.repeat(2000)}`],
  ]
  for (const url of urls) {
    const answer = await root.post('/webhooks', { url, events: 'order.message' })
    t.equal(answer.statusCode, 422, url)
    t.ok(errorsOf(answer).url, url)
    const $ = parseHtml(answer.body)
    t.equal($('[name=url]').attr('value'), url)
    t.equal($('[name="events[]"]:checked').attr('value'), 'order.message')
  }
  for (const events of [[], ['order.unknown'], ['order.created', 'constructor']])
    t.match(await root.post('/webhooks', { url: 'https://example.com/', events }), { statusCode: 422, body: /id="events-error"/ })
  t.same(db.select().from(webhooks).all(), [])
})

t.test('placing and moving orders and writing about them is sent, signed, to the addresses that want it', later, async (t) => {
  const cabinet = await start(t)
  const { as, db, cast } = cabinet
  const [all, messages] = [await startReceiver(t), await startReceiver(t)]
  const { secret } = await addWebhook(cabinet, `${all.url}all?of=it`)
  await addWebhook(cabinet, messages.url, ['order.message'])
  const denis = await as('denis')
  const order = await placeOrder(denis)
  await until(() => all.requests.length === 1)
  const [created] = all.requests as [Received]
  t.equal(created.path, '/all?of=it')
  t.equal(created.headers['content-type'], 'application/json')
  t.match(created.headers['webhook-id'], /^msg_\w+$/)
  t.equal(created.headers['webhook-signature'], signatureFor(secret, created))
  t.ok(Math.abs(Number(created.headers['webhook-timestamp']) - Date.now() / 1000) < 60, 'seconds')
  const { type, timestamp, data } = JSON.parse(created.body)
  t.equal(type, 'order.created')
  t.same(data, await shownByApi(cabinet, order), 'the order as the API shows it, but for what is of its reader')
  t.equal(data.id, order)
  t.match(timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

  t.equal((await denis.post(`/orders/${order}/messages`, { text: 'Is it blue?' })).statusCode, 303)
  t.equal((await (await as('maria')).post(`/orders/${order}/messages`, { text: 'A secret margin', internal: 1 })).statusCode, 303)
  t.equal((await denis.post(`/orders/${order}/messages`, { text: 'Or green?' })).statusCode, 303)
  await until(() => all.requests.length === 3 && messages.requests.length === 2)
  t.same(typesOf(messages.requests), ['order.message', 'order.message'], 'nothing else is wanted there')
  t.same(
    all.requests
      .slice(1)
      .map(({ headers }) => headers['webhook-id'])
      .sort(),
    messages.requests.map(({ headers }) => headers['webhook-id']).sort(),
    'one message, whoever it is sent to',
  )
  const [asked] = messages.requests.map(({ body }) => JSON.parse(body).data)
  const inApi = (await clientOf(cabinet, 'root').get(`/orders/${order}`)).json().messages
  t.same(
    asked,
    inApi.find(({ id }: { id: number }) => id === asked.id),
    'a message as the API shows it',
  )
  t.match(asked, { order_id: order, text: 'Is it blue?', internal: false })
  t.notMatch(JSON.stringify([all.requests, messages.requests]), 'A secret margin', 'internal messages do not leave the cabinet')

  setOrder(cabinet, 'new')
  const { id } = transitionBetween(cabinet, 'new', 'apply')
  t.equal((await requestTransition(await as('root'), cast.order, id)).statusCode, 303)
  dueNow(cabinet)
  await until(() => all.requests.length === 4)
  const moved = JSON.parse(all.requests[3]?.body ?? '{}')
  t.match(moved, { type: 'order.status_changed', data: { id: cast.order, status_id: statusId('apply') } })
  const allSent = () =>
    db
      .select()
      .from(webhookDeliveries)
      .all()
      .every(({ state }) => state === 'sent')
  await until(allSent)
  t.ok(allSent())
})

t.test('a step that is taken back is not sent, and one that stays is sent when it can no longer be', async (t) => {
  const cabinet = await start(t)
  const { as, db } = cabinet
  const receiver = await startReceiver(t)
  const { id } = await addWebhook(cabinet, receiver.url)
  const order = setOrder(cabinet, 'new')
  const transition = transitionBetween(cabinet, 'new', 'apply')
  db.update(statusTransitions).set({ required_fields: [] }).where(eq(statusTransitions.id, transition.id)).run()
  const root = await as('root')
  const step = async () => {
    t.equal((await requestTransition(root, order, transition.id)).statusCode, 303)
    return db.select().from(orderHistory).where(eq(orderHistory.order_id, order)).all().at(-1) as typeof orderHistory.$inferSelect
  }
  const undone = await step()
  t.match(deliveriesOf(cabinet, id), [{ state: 'waiting', next_at: undone.undo_until }], 'it waits as long as it may be undone')
  callWorker(cabinet)
  t.equal((await root.post(`/orders/${order}/undo`, { step: undone.id })).statusCode, 303)
  t.same(db.select().from(webhookMessages).all(), [])
  const kept = await step()
  t.match(deliveriesOf(cabinet, id), [{ next_at: kept.undo_until }])
  t.equal((await root.post(`/webhooks/deliveries/${deliveriesOf(cabinet, id)[0]?.id}/resend`)).statusCode, 303)
  t.match(deliveriesOf(cabinet, id), [{ state: 'waiting', next_at: kept.undo_until }], 'nor does anybody send it sooner')
  t.same(receiver.requests, [])
  dueNow(cabinet)
  await until(() => receiver.requests.length === 1)
  t.same(typesOf(receiver.requests), ['order.status_changed'])
})

t.test('payments are told of when they are reported and when they are confirmed, each once', later, async (t) => {
  const cabinet = await start(t)
  const { as, db } = cabinet
  const receiver = await startReceiver(t)
  await addWebhook(cabinet, receiver.url, ['payment.reported', 'payment.confirmed'])
  const order = setOrder(cabinet, 'payment', { cost: 100_000 })
  insertPayment(db, order, { amount: 1 })
  const [denis, admin] = [await as('denis'), await as('admin')]
  t.equal((await denis.post(`/orders/${order}/payments`, { amount: '400,50', date: '2026-01-15', note: 'First half' })).statusCode, 303)
  await until(() => receiver.requests.length === 1)
  const { id } = db.select().from(payments).all().at(-1) as typeof payments.$inferSelect
  const data = { id, order_id: order, amount: 40_050, date: '2026-01-15', kind: 'transfer', note: 'First half' }
  t.match(JSON.parse(receiver.requests[0]?.body ?? ''), { type: 'payment.reported', data: { ...data, state: 'reported' } })
  for (const _ of ['once', 'again']) t.equal((await admin.post(`/payments/${id}/confirm`)).statusCode, 303)
  await until(() => receiver.requests.length === 2)
  t.match(JSON.parse(receiver.requests[1]?.body ?? ''), { type: 'payment.confirmed', data: { ...data, state: 'confirmed' } })
  t.equal((await admin.post(`/orders/${order}/payments`, { amount: '1' })).statusCode, 303)
  await until(() => receiver.requests.length === 3)
  t.same(
    typesOf(receiver.requests),
    ['payment.reported', 'payment.confirmed', 'payment.confirmed'],
    'one that is entered is confirmed at once',
  )
  t.equal(db.select().from(webhookMessages).all().length, 3)
})

t.test('a payment that is reported with a step is told of when the step can no longer be undone', async (t) => {
  const cabinet = await start(t)
  const { as, db } = cabinet
  const { id } = await addWebhook(cabinet, 'http://127.0.0.1:9/', ['payment.reported'])
  const order = setOrder(cabinet, 'payment', { cost: 100_000 })
  const step = transitionBetween(cabinet, 'payment', 'paid')
  const fields = { dealer_can: true, required_fields: ['payment_order'] }
  db.update(statusTransitions).set(fields).where(eq(statusTransitions.id, step.id)).run()
  const denis = await as('denis')
  t.equal((await requestTransition(denis, order, step.id, { amount: '10', date: '2026-01-16' })).statusCode, 303)
  const [entry] = historyOf(cabinet, order)
  t.match(deliveriesOf(cabinet, id), [{ state: 'waiting', next_at: entry?.undo_until }])
  t.equal((await denis.post(`/orders/${order}/undo`, { step: entry?.id as number })).statusCode, 303)
  t.same(db.select().from(webhookMessages).all(), [])
})

t.test('a message that is withdrawn before it was sent is not sent', async (t) => {
  const cabinet = await start(t)
  const { as, db, cast } = cabinet
  const receiver = await startReceiver(t)
  receiver.reply = answering(500)
  await addWebhook(cabinet, receiver.url)
  const denis = await as('denis')
  await denis.post(`/orders/${cast.order}/messages`, { text: 'Not meant so' })
  await until(() => receiver.requests.length === 1)
  const message = db.select().from(orderMessages).get()?.id
  t.equal((await denis.post(`/orders/${cast.order}/messages/${message}/withdraw`)).statusCode, 303)
  t.same(db.select().from(webhookMessages).all(), [])
  t.same(db.select().from(webhookDeliveries).all(), [])
})

t.test('what is refused is sent again within ten seconds, with the same id, a new time and a signature of its own', later, async (t) => {
  const cabinet = await start(t)
  const { db, as } = cabinet
  const receiver = await startReceiver(t)
  receiver.reply = answering(503, `Down \u0007<b>for</b>\n${'long '.repeat(200)}`)
  const { id, secret } = await addWebhook(cabinet, receiver.url)
  const delivery = await sendTest(cabinet, id)
  await untilAttempted(cabinet, delivery)
  const [attempt] = attemptsOf(cabinet, delivery)
  t.equal(attempt?.status, 503)
  t.match(attempt?.answer, /^Down <b>for<\/b> long/)
  t.ok((attempt?.answer.length ?? 0) <= 300, 'answers are kept shortened')
  const waiting = deliveriesOf(cabinet, id)[0]
  t.match(waiting, { state: 'waiting', attempts: 1 })
  const failing = await (await as('root')).get('/settings?tab=webhooks')
  t.match(stateOf(failing, id), 'Failing')
  t.match(parseHtml(failing.body)('[data-delivery] [data-col=state]').text(), 'Next attempt')
  t.match(parseHtml(failing.body)('[name=resend]').attr('aria-label'), /^Retry now/)
  t.ok((waiting?.next_at ?? 0) - (attempt?.at ?? 0) <= 10_000, 'the first retry follows within ten seconds')
  t.ok((waiting?.next_at ?? 0) > (attempt?.at ?? 0), 'and not at once')
  db.update(webhookDeliveries).set({ next_at: 0 }).run()
  const before = receiver.requests[0] as Received
  const second = Math.floor(Date.now() / 1000)
  await until(() => Math.floor(Date.now() / 1000) > second)
  callWorker(cabinet)
  await untilAttempted(cabinet, delivery, 2)
  const [, after] = receiver.requests as [Received, Received]
  t.equal(after.headers['webhook-id'], before.headers['webhook-id'])
  t.equal(after.body, before.body)
  t.ok(Number(after.headers['webhook-timestamp']) > Number(before.headers['webhook-timestamp']))
  t.equal(after.headers['webhook-signature'], signatureFor(secret, after))
  const third = deliveriesOf(cabinet, id)[0]
  t.ok((third?.next_at ?? 0) - Date.now() > 5000, 'then it waits longer')
  receiver.reply = answering(200, 'ok')
  dueNow(cabinet)
  await untilAttempted(cabinet, delivery, 3)
  t.match(deliveriesOf(cabinet, id), [{ state: 'sent', attempts: 3 }])
  t.equal(db.select().from(webhooks).get()?.failing_since, null)
  const page = await (await as('root')).get('/settings?tab=webhooks')
  t.same(rowsOf(page.body), ['sent'])
  t.notMatch(parseHtml(page.body)('[data-delivery] [data-col=state]').text(), 'Next attempt', 'what was accepted is tried no more')
  t.match(parseHtml(page.body)('[name=resend]').attr('aria-label'), /^Send again: Test, 127\.0\.0\.1:\d+$/)
  const answers = parseHtml(page.body)('[data-delivery] li')
  t.equal(answers.length, 3)
  t.match(answers.text(), /503\s+Down <b>for<\/b>/)
})

t.test('an address that does not answer holds up no other one', later, async (t) => {
  const cabinet = await start(t)
  cabinet.app.timeouts.webhook = 600_000
  const [silent, other] = [await startReceiver(t), await startReceiver(t)]
  silent.reply = neverAnswering
  const slow = await addWebhook(cabinet, silent.url)
  const quick = await addWebhook(cabinet, other.url)
  for (let one = 0; one < 3; one++) await sendTest(cabinet, slow.id)
  await until(() => silent.requests.length === 1)
  const delivery = await sendTest(cabinet, quick.id)
  await untilAttempted(cabinet, delivery)
  t.match(deliveriesOf(cabinet, quick.id), [{ state: 'sent' }], 'while the other one has not answered')
  t.ok(deliveriesOf(cabinet, slow.id).every(({ attempts }) => attempts === 0))
})

t.test('an address has a time limit, and its answer is read no further than it is kept', later, async (t) => {
  const cabinet = await start(t)
  const silent = await startReceiver(t)
  silent.reply = neverAnswering
  t.equal(cabinet.app.timeouts.webhook, 10_000, 'ten seconds, as the service is made')
  cabinet.app.timeouts.webhook = 100
  const limited = await addWebhook(cabinet, silent.url)
  const first = await sendTest(cabinet, limited.id)
  await untilAttempted(cabinet, first)
  t.match(attemptsOf(cabinet, first), [{ status: null, answer: 'timeout' }])
  const shown = parseHtml((await (await cabinet.as('root')).get('/settings?tab=webhooks')).body)('[data-delivery] li').text()
  t.match(shown, labels.failures.timeout, 'in words')
  silent.reply = (_, response) => void response.writeHead(202).write('Accepted, and still talking')
  const begun = await sendTest(cabinet, limited.id)
  await untilAttempted(cabinet, begun)
  t.match(attemptsOf(cabinet, begun), [{ status: 202, answer: 'Accepted, and still talking' }], 'the status counts')
  silent.reply = (request) => request.socket.destroy()
  const dropped = await sendTest(cabinet, limited.id)
  await untilAttempted(cabinet, dropped)
  t.match(attemptsOf(cabinet, dropped), [{ status: null, answer: 'ECONNRESET' }])
  silent.reply = (_, response) => {
    response.writeHead(200)
    const pour = () => {
      while (response.write('x'.repeat(65_536)));
    }
    response.on('drain', pour)
    pour()
  }
  const endless = await sendTest(cabinet, limited.id)
  await untilAttempted(cabinet, endless)
  t.match(attemptsOf(cabinet, endless), [{ status: 200, answer: 'x'.repeat(300) }], 'of an endless answer only the beginning is read')
  await until(() => silent.atOnce === 0)
  t.equal(silent.atOnce, 0, 'no connection is left open')
})

t.test('redirects are not followed', async (t) => {
  const cabinet = await start(t)
  const [receiver, target] = [await startReceiver(t), await startReceiver(t)]
  receiver.reply = answering(307, '', { location: target.url })
  const { id } = await addWebhook(cabinet, receiver.url)
  const delivery = await sendTest(cabinet, id)
  await untilAttempted(cabinet, delivery)
  t.match(attemptsOf(cabinet, delivery), [{ status: 307 }])
  t.match(deliveriesOf(cabinet, id), [{ state: 'waiting' }])
  t.match((await (await cabinet.as('root')).get('/settings?tab=webhooks')).body, 'Queued: 1')
  t.same(target.requests, [])
})

t.test('ten thousand events wait while the other side is down, and hold nobody up', later, async (t) => {
  const cabinet = await start(t)
  const { app, as, db } = cabinet
  app.timeouts.webhook = 600_000
  const [down, other] = [await startReceiver(t), await startReceiver(t)]
  down.reply = neverAnswering
  const { id } = await addWebhook(cabinet, down.url)
  const quick = await addWebhook(cabinet, other.url)
  db.$client.exec(`insert into webhook_messages (message_id, type, at, body)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000) select 'msg_' || i, 'order.created', 1, '{}' from n`)
  db.$client.exec(`insert into webhook_deliveries (webhook_id, message_id, next_at)
      select ${id}, id, 1 from webhook_messages where type = 'order.created'`)
  callWebhook(app, id)
  await until(() => down.requests.length === 5)
  const root = await as('root')
  const page = await root.get('/settings?tab=webhooks')
  t.equal(page.statusCode, 200)
  t.match(parseHtml(page.body)(`[data-webhook="${id}"]`).text(), /Queued: 10\s000/)
  const delivery = await sendTest(cabinet, quick.id)
  await untilAttempted(cabinet, delivery)
  t.match(deliveriesOf(cabinet, quick.id), [{ state: 'sent' }])
  t.equal(down.most, 5, 'a few at a time')
  t.equal(db.select().from(webhookAttempts).all().length, 1, 'of the others none has been answered')
})

t.test(
  'an address that fails for three days is paused, superadministrators are told, and a successful test resumes it',
  later,
  async (t) => {
    const cabinet = await start(t)
    const { as, db, cast } = cabinet
    const receiver = await startReceiver(t)
    receiver.reply = answering(500)
    const { id } = await addWebhook(cabinet, receiver.url)
    const failingSince = (ago: number) =>
      db
        .update(webhooks)
        .set({ failing_since: Date.now() - ago })
        .run()
    failingSince(3 * day - 60_000)
    const first = await sendTest(cabinet, id)
    await untilAttempted(cabinet, first)
    t.equal(db.select().from(webhooks).get()?.paused_at, null, 'not before')
    failingSince(3 * day)
    db.update(users).set({ superadmin: true, active: false }).where(eq(users.id, cast.clerk)).run()
    const order = await placeOrder(await as('denis'))
    await until(() => db.select().from(webhooks).get()?.paused_at !== null)
    t.ok(db.select().from(webhooks).get()?.paused_at)
    await until(() => db.select().from(notifications).where(eq(notifications.event, 'webhook-paused')).all().length > 0)
    const told = db.select().from(notifications).where(eq(notifications.event, 'webhook-paused')).all()
    t.match(told, { length: 1, 0: { user_id: cast.root, address: '127.0.0.1', read_at: null } }, 'and nobody who is deactivated')
    const root = await as('root')
    for (const path of ['/notifications', '/notifications/latest']) {
      const inbox = await root.get(path)
      t.match(inbox.body, 'A webhook was paused', path)
      t.equal(parseHtml(inbox.body)('a[href="/settings?tab=webhooks"]').text(), '127.0.0.1')
      t.notMatch(inbox.body, 'If this was not you', path)
    }
    const paused = stateOf(await root.get('/settings?tab=webhooks'), id)
    t.match(paused, 'Paused')
    t.match(paused, 'Queued: 2', 'what waits for it is counted')
    t.notMatch(paused, 'Failing')
    receiver.reply = answering(200)
    const seen = receiver.requests.length
    const [waiting] = deliveriesOf(cabinet, id).filter(({ id }) => id !== first)
    db.delete(webhookDeliveries).where(eq(webhookDeliveries.id, first)).run()
    dueNow(cabinet)
    await placeOrder(await as('denis'))
    t.equal(receiver.requests.length, seen, 'nothing is sent while it is paused, though it is queued')
    const last = await sendTest(cabinet, id)
    await untilAttempted(cabinet, last)
    t.match(db.select().from(webhooks).get(), { paused_at: null, failing_since: null })
    dueNow(cabinet)
    await untilAttempted(cabinet, waiting?.id as number, 2)
    await until(() => deliveriesOf(cabinet, id).every(({ state }) => state === 'sent'))
    t.ok(deliveriesOf(cabinet, id).every(({ state }) => state === 'sent'))
    t.ok(
      receiver.requests.slice(seen).some(({ body }) => JSON.parse(body).data.id === order),
      'what had waited is sent',
    )
  },
)

t.test('what was accepted or has failed for good can be sent again', async (t) => {
  const cabinet = await start(t)
  const { as, db } = cabinet
  const receiver = await startReceiver(t)
  const { id } = await addWebhook(cabinet, receiver.url)
  const delivery = await sendTest(cabinet, id)
  await until(() => deliveriesOf(cabinet, id)[0]?.state === 'sent')
  const root = await as('root')
  t.equal((await root.post(`/webhooks/deliveries/${delivery}/resend`)).statusCode, 303)
  await until(() => receiver.requests.length === 2 && deliveriesOf(cabinet, id)[0]?.state === 'sent')
  const [first, second] = receiver.requests
  t.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
  receiver.reply = answering(500)
  db.update(webhookDeliveries).set({ state: 'waiting', attempts: 24, next_at: 0 }).run()
  callWebhook(cabinet.app, id)
  await until(() => deliveriesOf(cabinet, id)[0]?.state === 'failed')
  t.match(deliveriesOf(cabinet, id), [{ state: 'failed', attempts: 25 }], 'some day nobody tries any more')
  receiver.reply = answering(200)
  t.equal((await root.post(`/webhooks/deliveries/${delivery}/resend`)).statusCode, 303)
  await until(() => deliveriesOf(cabinet, id)[0]?.state === 'sent')
  t.match(deliveriesOf(cabinet, id), [{ state: 'sent', attempts: 1 }])
})

t.test('what is sent again goes at once, but not before it was due at first', async (t) => {
  const cabinet = await start(t)
  const { as, db } = cabinet
  const receiver = await startReceiver(t)
  receiver.reply = neverAnswering
  const { id } = await addWebhook(cabinet, receiver.url)
  const delivery = await sendTest(cabinet, id)
  const due = Date.now() + 3600_000
  const root = await as('root')
  const resent = async (state: 'waiting' | 'paused' | 'sent' | 'failed', attempts: number) => {
    db.update(webhookDeliveries).set({ state, attempts, next_at: due }).where(eq(webhookDeliveries.id, delivery)).run()
    t.equal((await root.post(`/webhooks/deliveries/${delivery}/resend`)).statusCode, 303)
    const { next_at, ...now } = deliveriesOf(cabinet, id)[0] as typeof webhookDeliveries.$inferSelect
    t.match(now, { state: 'waiting', attempts: 0 }, state)
    return next_at === due ? 'when due' : next_at <= Date.now() && 'now'
  }
  t.equal(await resent('waiting', 0), 'when due')
  t.equal(await resent('paused', 0), 'when due')
  t.equal(await resent('waiting', 3), 'now')
  t.equal(await resent('paused', 3), 'now')
  t.equal(await resent('sent', 0), 'now')
  t.equal(await resent('failed', 25), 'now')
})

t.test('a deleted address gets nothing of what was queued for it', async (t) => {
  const cabinet = await start(t)
  const { as, db } = cabinet
  const receiver = await startReceiver(t)
  receiver.reply = neverAnswering
  const { id } = await addWebhook(cabinet, receiver.url)
  await sendTest(cabinet, id)
  await until(() => receiver.requests.length === 1)
  await (await as('root')).post(`/webhooks/${id}/delete`)
  t.same(db.select().from(webhookDeliveries).all(), [])
  dueNow(cabinet)
  await placeOrder(await as('denis'))
  t.equal(receiver.requests.length, 1)
  t.same(db.select().from(webhookDeliveries).all(), [], 'nor is anything queued')
})

t.test('what is being sent when the service ends is sent again by the next one, with the same id', later, async (t) => {
  const cabinet = await start(t)
  const { app, db } = cabinet
  const receiver = await startReceiver(t)
  receiver.reply = neverAnswering
  const { id } = await addWebhook(cabinet, receiver.url)
  const delivery = await sendTest(cabinet, id)
  await until(() => receiver.requests.length === 1)
  const next = await buildApp({ config: app.config, db })
  t.teardown(() => next.close())
  receiver.reply = answering(204)
  await next.ready()
  await untilAttempted(cabinet, delivery)
  t.match(deliveriesOf(cabinet, id), [{ state: 'sent' }])
  t.equal(receiver.requests[1]?.headers['webhook-id'], receiver.requests[0]?.headers['webhook-id'])
})

t.test('nothing of an event is queued when what caused it is not saved', async (t) => {
  const cabinet = await start(t)
  const { as, db } = cabinet
  await addWebhook(cabinet, 'http://127.0.0.1:9/')
  t.equal((await (await as('denis')).post('/orders/add', {})).statusCode, 422)
  t.equal((await (await as('root')).get('/orders/try?order=1')).statusCode, 200, 'the test of the workflow saves nothing')
  t.same(db.select().from(webhookMessages).all(), [])
})

t.test('secrets are in no page, log, history or export but the one answer', async (t) => {
  const log: string[] = []
  const cabinet = await startCabinet(t, { environment, log })
  const { as, db } = cabinet
  const receiver = await startReceiver(t)
  receiver.reply = answering(500, 'no')
  const { id, secret } = await addWebhook(cabinet, `${receiver.url}?key=in-the-address`)
  const delivery = await sendTest(cabinet, id)
  await untilAttempted(cabinet, delivery)
  const root = await as('root')
  await root.post(`/webhooks/${id}/delete`)
  const pages = ['/settings?tab=webhooks', '/settings?tab=history', '/activity', '/activity/export?format=csv', '/security-log', '/bin']
  const bodies = await Promise.all(pages.map(async (path) => (await root.get(path)).body))
  const bare = secret.replace('whsec_', '')
  for (const text of [...bodies, ...log]) t.notOk(text.includes(bare), text.slice(0, 80))
  t.notMatch(log.join(), 'in-the-address', 'addresses are not logged')
  t.match(bodies[4], /Webhook added/)
  t.match(bodies[4], /Webhook deleted/)
  for (const table of ['changes', 'trash', 'security_events'])
    t.notOk(JSON.stringify(db.$client.prepare(`select * from ${table}`).all()).includes(bare), table)
})

t.test('messages are kept for a month', async (t) => {
  const cabinet = await start(t)
  const { app, db } = cabinet
  const { id } = await addWebhook(cabinet, 'http://127.0.0.1:9/')
  for (const at of [Date.now() - 31 * day, Date.now() - 29 * day]) {
    const message = { message_id: `msg_${at}`, type: 'order.created', at, body: '{}' }
    const { lastInsertRowid } = db.insert(webhookMessages).values(message).run()
    const next_at = Date.now() + day
    db.insert(webhookDeliveries)
      .values({ webhook_id: id, message_id: Number(lastInsertRowid), next_at })
      .run()
  }
  deleteExpiredRows(app)
  t.equal(db.select().from(webhookMessages).all().length, 1)
  t.equal(deliveriesOf(cabinet, id).length, 1)
})

t.test('the newest fifty deliveries are listed, newest first, each with the address it went to', async (t) => {
  const cabinet = await start(t)
  const { as, db } = cabinet
  const [one, other] = [await addWebhook(cabinet, 'http://127.0.0.1:9/'), await addWebhook(cabinet, 'http://127.0.0.1:9/b')]
  for (let at = 1; at <= 51; at++) {
    const message = { message_id: `msg_${at}`, type: 'order.created', at, body: '{}' }
    const message_id = Number(db.insert(webhookMessages).values(message).run().lastInsertRowid)
    const delivery = { webhook_id: at === 51 ? other.id : one.id, message_id, next_at: Date.now() + day }
    db.insert(webhookDeliveries).values(delivery).run()
  }
  const page = parseHtml((await (await as('root')).get('/settings?tab=webhooks')).body)
  const rows = page('[data-delivery]').toArray()
  t.same(
    rows.map(({ attribs }) => Number(attribs['data-delivery'])),
    Array.from({ length: 50 }, (_, at) => 51 - at),
  )
  const placeIn = (row: (typeof rows)[number] | undefined) => page(row).find('[data-col=event] [translate=no]').text()
  t.same([placeIn(rows[0]), placeIn(rows[1])], ['127.0.0.1:9/b', '127.0.0.1:9'])
})

t.test('of a delivery it is told when it happened, how each attempt ended, and when the next one is: only while it waits', async (t) => {
  const cabinet = await start(t)
  const { as, db } = cabinet
  const { id } = await addWebhook(cabinet, 'http://127.0.0.1:9/')
  const [at, tried, next_at] = [Date.UTC(2026, 0, 5), Date.UTC(2026, 0, 6), Date.now() + day] as const
  const insert = (state: 'waiting' | 'paused' | 'sent' | 'failed', attempts: number) => {
    const message = { message_id: `msg_${state}_${attempts}`, type: 'order.created', at, body: '{}' }
    const message_id = Number(db.insert(webhookMessages).values(message).run().lastInsertRowid)
    const delivery = db.insert(webhookDeliveries).values({ webhook_id: id, message_id, state, attempts, next_at }).returning().get().id
    for (let number = 1; number <= attempts; number++)
      db.insert(webhookAttempts).values({ delivery_id: delivery, at: tried, status: 503, answer: 'Down' }).run()
    return delivery
  }
  const [again, first, ...ended] = [insert('waiting', 2), insert('waiting', 0), insert('paused', 1), insert('failed', 1), insert('sent', 1)]
  const page = parseHtml((await (await as('root')).get('/settings?tab=webhooks')).body)
  const cell = (delivery: number, column: string) => page(`[data-delivery="${delivery}"] [data-col=${column}]`)
  t.match(cell(again, 'state').text(), /Queued\s+Next attempt/)
  t.equal(cell(again, 'state').find('time').attr('datetime'), new Date(next_at).toISOString())
  for (const delivery of [first, ...ended])
    t.notMatch(cell(delivery, 'state').text(), 'Next attempt', `${cell(delivery, 'state').text().trim()} is not tried again`)
  t.equal(cell(again, 'at').find('time').attr('datetime'), new Date(at).toISOString(), 'when it happened')
  t.match(cell(again, 'answers').find('summary').text(), 'Attempts: 2')
  t.match(cell(again, 'answers').find('li').first().text().replace(/\s+/g, ' '), `${formatDateTime(tried)} 503 Down`)
  t.equal(cell(first, 'answers').text().trim(), '—', 'not tried yet')
})

t.test('an address that fails, or is paused, says since when', async (t) => {
  const cabinet = await start(t)
  const { as, db } = cabinet
  const [works, fails, stopped] = [
    await addWebhook(cabinet, 'http://127.0.0.1:9/a'),
    await addWebhook(cabinet, 'http://127.0.0.1:9/b'),
    await addWebhook(cabinet, 'http://127.0.0.1:9/c'),
  ]
  const [failing_since, paused_at] = [Date.UTC(2026, 0, 5), Date.UTC(2026, 0, 8)]
  db.update(webhooks).set({ failing_since }).where(eq(webhooks.id, fails.id)).run()
  db.update(webhooks).set({ failing_since, paused_at }).where(eq(webhooks.id, stopped.id)).run()
  const answer = await (await as('root')).get('/settings?tab=webhooks')
  const shown = [works, fails, stopped].map(({ id }) => {
    const cell = parseHtml(answer.body)(`[data-webhook="${id}"] [data-col=state]`)
    return [/Working|Failing|Paused/.exec(cell.text())?.[0], cell.find('time').attr('datetime')]
  })
  const page = parseHtml(answer.body)
  const row = page(`[data-webhook="${fails.id}"]`)
  t.equal(row.find('[name=test]').attr('aria-label'), 'Send a test: 127.0.0.1:9/b', 'told apart from others of this host')
  t.equal(row.find('.webhook-actions > form').attr('action'), `/webhooks/${fails.id}/test`)
  t.equal(row.find('summary').attr('aria-label'), 'Delete… 127.0.0.1:9/b')
  t.equal(row.find('details form').attr('action'), `/webhooks/${fails.id}/delete`)
  t.notMatch(page('main').text(), 'No webhooks yet')
  t.same(shown, [
    ['Working', undefined],
    ['Failing', new Date(failing_since).toISOString()],
    ['Paused', new Date(paused_at).toISOString()],
  ])
})

t.test('there can be up to twenty addresses', async (t) => {
  const cabinet = await start(t)
  const { as, db } = cabinet
  const row = { url: 'https://example.com/', secret: 'whsec_', events: [], created_at: 1 }
  for (let one = 0; one < 19; one++) db.insert(webhooks).values(row).run()
  const root = await as('root')
  t.equal((await root.post('/webhooks', { url: 'https://example.com/', events: allEvents })).statusCode, 200)
  t.equal((await root.post('/webhooks', { url: 'https://example.com/', events: allEvents })).statusCode, 422)
  t.equal(db.select().from(webhooks).all().length, 20)
})
