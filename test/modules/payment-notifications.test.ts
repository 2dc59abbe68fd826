import { eq } from 'drizzle-orm'
import t from 'tap'
import { deliveries, notifications, payments, rateHits, statusTransitions } from '../../src/database/schema/index.ts'
import { type Browser, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { submitForm } from '../support/files.ts'
import { elementsOf, parseHtml, textOf } from '../support/html.ts'
import { callWorker } from '../support/jobs.ts'
import { insertPayment } from '../support/ledger.ts'
import { inboxOf, toldOfPayments } from '../support/notifications.ts'
import { historyOf, requestTransition, setOrder, transitionBetween } from '../support/orders.ts'
import { until } from '../support/until.ts'

/** The order of Denis costs 1000 rubles; Anton and Maria, the manager of Alpha, may confirm its payments, and Mikhail those of others. */
async function start(test: typeof t) {
  const office = await startMailServer(test)
  const cabinet = await startCabinet(test, { environment: { SMTP_URL: office.url } })
  const { db, cast } = cabinet
  for (const name of ['maria', 'mikhail'] as const) grant(db, cast[name], 'payment_can_confirm')
  revoke(db, cast.clerk, 'payment_can_confirm')
  revoke(db, cast.root, 'payment_can_confirm')
  const order = setOrder(cabinet, 'payment', { cost: 100_000 })
  const told = () => toldOfPayments(cabinet)
  const report = (browser: Browser) => browser.post(`/orders/${order}/payments`, { amount: '400,50' })
  return { ...cabinet, office, order, told, report, inboxOf: (name: Name) => inboxOf(cabinet, name) }
}

t.test('a reported payment is told to those who may confirm it, and to nobody else', async (t) => {
  const { as, told, report, inboxOf, office, order } = await start(t as never)
  t.equal((await report(await as('denis'))).statusCode, 303)
  t.same(told(), ['admin: payment-reported, mail', 'maria: payment-reported, mail', 'root: payment-reported, mail'])
  const [entry = ''] = await inboxOf('maria')
  t.match(entry, /Payment reported/)
  t.match(entry, `Order #${order}`)
  t.match(entry, /Denisov Denis/)
  t.notMatch(entry, /contact an administrator/)
  t.match(textOf((await (await as('maria')).get('/notifications/latest', htmx)).body), /Payment reported: Denisov Denis/)
  t.match(textOf((await (await as('root')).get('/outbox')).body), /Payment reported/)
  await until(() => office.letters.length === 3)
  const letter = office.letters.find(({ to }) => to === 'maria@example.com')
  t.match(letter?.text, /Payment reported: 400,50/)
  t.match(letter?.text, `/orders/${order}#payments`)
})

t.test('a confirmed payment is told to the dealer of the order, and whoever confirms is told nothing new', async (t) => {
  const { as, db, order, told, inboxOf } = await start(t as never)
  const id = insertPayment(db, order)
  t.equal((await (await as('maria')).post(`/payments/${id}/confirm`)).statusCode, 303)
  t.same(told(), ['denis: payment-confirmed, mail'])
  t.match((await inboxOf('denis'))[0], /Payment confirmed/)
  await (await as('admin')).post(`/payments/${id}/confirm`)
  t.equal(told().length, 1, 'confirmed again')
  await (await as('admin')).post(`/orders/${order}/payments`, { amount: '10' })
  t.same(told(), ['denis: payment-confirmed, mail', 'denis: payment-confirmed, mail'], 'entered at once: nobody is asked to confirm it')
})

t.test('a rejected payment is told to the dealer with its reason', async (t) => {
  const { as, db, order, told, inboxOf, office } = await start(t as never)
  const id = insertPayment(db, order)
  t.equal((await (await as('maria')).post(`/payments/${id}/reject`, { reason: 'Not on the account' })).statusCode, 303)
  t.same(told(), ['denis: payment-rejected, mail'])
  t.match((await inboxOf('denis'))[0], /Payment rejected.*Not on the account/s)
  await until(() => office.letters.length === 1)
  t.match(office.letters[0]?.text, /Payment rejected: 100,00/)
  t.match(office.letters[0]?.text, /Not on the account/)
})

t.test('without prices nobody is told, and a reason that was read is hidden once prices are', async (t) => {
  const { as, db, cast, order, told, report, inboxOf } = await start(t as never)
  const id = insertPayment(db, order)
  await (await as('maria')).post(`/payments/${id}/reject`, { reason: 'Only 90 arrived' })
  for (const name of ['admin', 'denis'] as const) revoke(db, cast[name], 'order_can_view_prices')
  t.notMatch((await inboxOf('denis'))[0], /Only 90/)
  db.delete(notifications).run()
  await report(await as('roman'))
  t.same(told(), ['maria: payment-reported, mail', 'root: payment-reported, mail'])
  await (await as('maria')).post(`/payments/${insertPayment(db, order)}/confirm`)
  t.equal(told().length, 2)
})

t.test('whoever acted themselves keeps the entry, read, and nothing is sent to them', async (t) => {
  const { as, cast, told, report } = await start(t as never)
  const root = await as('root')
  await root.get(`/impersonate/${cast.denis}`)
  await report(root)
  t.same(told(), [
    'admin: payment-reported, mail',
    'denis: payment-reported, mail',
    'maria: payment-reported, mail',
    'root: payment-reported, read',
  ])
})

t.test('who turns off email for payments has them in the inbox only, and email for statuses does not matter', async (t) => {
  const { as, told, report } = await start(t as never)
  await (await as('maria')).post('/profile', { mail_payments: '0' })
  await (await as('admin')).post('/profile', { mail_statuses: '0', mail_messages: '0', telegram_payments: '0' })
  await report(await as('denis'))
  t.same(told(), ['admin: payment-reported, mail', 'maria: payment-reported', 'root: payment-reported, mail'])
})

t.test('a payment reported with a step is told once the step stays, and with an undone step nobody was told', async (t) => {
  const cabinet = await start(t as never)
  const { as, db, order, told, office } = cabinet
  const { id: step } = transitionBetween(cabinet, 'payment', 'paid')
  const fields = { required_fields: ['payment_order'], forced_fields: [], dealer_can: true }
  db.update(statusTransitions).set(fields).where(eq(statusTransitions.id, step)).run()
  const denis = await as('denis')
  t.equal((await requestTransition(denis, order, step, { amount: '5' })).statusCode, 303)
  t.equal(told().length, 3)
  const waiting = db.select().from(deliveries).all()
  t.ok(
    waiting.every(({ next_at }) => next_at > Date.now()),
    'email waits',
  )
  const root = await as('root')
  for (const { id } of waiting) await root.post(`/outbox/${id}/retry`)
  t.same(db.select().from(deliveries).all(), waiting, 'sent again at once, it waits, too')
  const undo = { step: historyOf(cabinet, order)[0]?.id as number, once: crypto.randomUUID() }
  t.equal((await denis.post(`/orders/${order}/undo`, undo)).statusCode, 303)
  t.same(told(), [])
  t.same(db.select().from(deliveries).all(), [])
  t.same(office.letters, [])
})

t.test('a payment that was reported by itself is sent again at once, although a step of its order can still be undone', async (t) => {
  const cabinet = await start(t as never)
  const { as, db, order } = cabinet
  const { id: step } = transitionBetween(cabinet, 'payment', 'paid')
  const fields = { required_fields: ['payment_order'], forced_fields: [], dealer_can: true }
  db.update(statusTransitions).set(fields).where(eq(statusTransitions.id, step)).run()
  const [denis, root] = [await as('denis'), await as('root')]
  t.equal((await denis.post(`/orders/${order}/payments`, { amount: '7', date: '2026-01-15' })).statusCode, 303)
  await until(() =>
    db
      .select()
      .from(deliveries)
      .all()
      .every(({ state }) => state === 'sent'),
  )
  db.update(deliveries).set({ state: 'failed', next_at: 1 }).run()
  db.delete(rateHits).run()
  const [own] = db.select().from(deliveries).all()
  t.equal((await requestTransition(denis, order, step, { amount: '5' })).statusCode, 303)
  t.equal((await root.post(`/outbox/${own?.id}/retry`)).statusCode, 303)
  const again = db
    .select()
    .from(deliveries)
    .where(eq(deliveries.id, own?.id as number))
    .get()
  t.ok(again && again.next_at > 1 && again.next_at <= Date.now())
})

t.test('payments that are confirmed together, or booked from a statement, are told as well', async (t) => {
  const { as, db, order, told } = await start(t as never)
  const admin = await as('admin')
  const ids = [insertPayment(db, order), insertPayment(db, order)]
  t.equal((await admin.post('/payments/confirm', { id: ids })).statusCode, 200)
  t.same(told(), ['denis: payment-confirmed, mail', 'denis: payment-confirmed, mail'])
  const rows = ['Дата;Сумма;Плательщик;ИНН;Назначение платежа', `02.02.2026;5,00;ООО «Альфа»;;Payment for order ${order}`]
  const sent = await submitForm(admin, '/payments/import', [['file', new File([rows.join('\r\n')], 'a.csv')]])
  const booked = await admin.post(sent.headers.location as string, { book: `2:${order}` })
  t.equal(booked.statusCode, 303)
  t.equal(told().length, 3)
})

t.test('what asks to confirm a payment and still waits is not sent once somebody has decided about it', async (t) => {
  const { app, as, db, report, office } = await start(t as never)
  office.replies = { RCPT: '451 Try later' }
  for (let count = 0; count < 3; count++) await report(await as('denis'))
  const all = () => db.select().from(deliveries).leftJoin(notifications, eq(notifications.id, deliveries.notification_id)).all()
  await until(() => all().every((row) => row.deliveries.last_error))
  const [confirmed, rejected, open] = db.select().from(payments).orderBy(payments.id).all()
  const admin = await as('admin')
  await admin.post(`/payments/${confirmed?.id}/confirm`)
  await admin.post(`/payments/${rejected?.id}/reject`, { reason: 'No' })
  office.replies = {}
  db.update(deliveries).set({ next_at: 0 }).where(eq(deliveries.state, 'waiting')).run()
  callWorker({ app, db })
  await until(() => all().every((row) => row.deliveries.state !== 'waiting'))
  const outcomes = all().map(({ deliveries: { state, last_error }, notifications: told }) => [
    told?.payment_id,
    told?.event,
    state,
    last_error,
  ])
  for (const [id, event, state, why] of outcomes)
    if (event === 'payment-reported' && id !== open?.id) t.same([state, why], ['failed', 'decided'])
    else t.same([state, why], ['sent', null], `${event}`)
  t.equal(office.letters.length, 5, 'three asked about the open one, and the dealer is told of both decisions')
  t.match(textOf((await admin.get('/outbox')).body), 'The payment was confirmed or rejected meanwhile.')
})

t.test('each entry says which payment it is about, to the eye and in the name of its button', async (t) => {
  const { as, db, cast, order } = await start(t as never)
  const denis = await as('denis')
  for (const fields of [{ amount: '100' }, { amount: '200' }, { amount: '200', date: '2026-01-15' }] as Fields[])
    await denis.post(`/orders/${order}/payments`, fields)
  const page = await (await as('maria')).get('/notifications')
  const names = elementsOf(page.body, 'button[aria-label^="Mark as read"]').map((button) => /aria-label="([^"]*)"/.exec(button)?.[1])
  t.equal(names.length, 3)
  t.equal(new Set(names).size, 3)
  t.match(names[0], new RegExp(`^Mark as read: Order #${order}, Payment reported, 200,00\\s₽, 15\\.01\\.2026, `))
  t.match(elementsOf(page.body, 'tr[data-notification]').map(textOf)[0], /Payment reported\s?: 200,00\s₽\s?, 15\.01\.2026/)
  t.match(textOf((await (await as('maria')).get('/notifications/latest', htmx)).body), /Payment reported: Denisov Denis, 200,00\s₽/)
  revoke(db, cast.maria, 'order_can_view_prices')
  for (const path of ['/notifications', '/notifications/latest'])
    t.notMatch(textOf((await (await as('maria')).get(path, path.endsWith('t') ? htmx : {})).body), '200,00')
})

t.test('the buttons beside several payments of an order, and the ticks of the list, have names that tell which', async (t) => {
  const { as, db, order } = await start(t as never)
  insertPayment(db, order)
  insertPayment(db, order, { date: '2026-01-16' })
  insertPayment(db, order, { reporter_name: 'Romanov Roman' })
  const maria = await as('maria')
  const page = parseHtml((await maria.get(`/orders/${order}`)).body)
  const names = page('.order-payment-tools button, .order-payment-tools a')
    .toArray()
    .map((control) => textOf(page(control).text()))
  t.equal(names.length, 6)
  t.equal(new Set(names).size, 6, names.join('; '))
  const ticks = elementsOf((await maria.get('/payments')).body, 'input[name=id]').map((tick) => /aria-label="([^"]*)"/.exec(tick)?.[1])
  t.match(ticks[0], new RegExp(`^Select: 100,00\\s₽, \\d\\d\\.01\\.2026, Order #${order}$`))
})
