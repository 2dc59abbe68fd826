import { desc, eq } from 'drizzle-orm'
import t from 'tap'
import {
  allocations,
  companies,
  ledgerEntries,
  notifications,
  orders,
  payments,
  statuses,
  statusTransitions,
  users,
} from '../../src/database/schema/index.ts'
import { type Browser, type Cabinet, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { startMailServer, startTelegram } from '../support/channel-servers.ts'
import { submitForm } from '../support/files.ts'
import { elementsOf, errorsOf, fieldOf, idsOf, parseHtml, textOf } from '../support/html.ts'
import { at } from '../support/later.ts'
import { amountsOf, insertPayment } from '../support/ledger.ts'
import { inboxOf } from '../support/notifications.ts'
import { historyOf, insertOrder, orderOf, requestTransition, setOrder, statusId, transitionBetween } from '../support/orders.ts'
import { exchange } from '../support/statements.ts'
import { until } from '../support/until.ts'

/** In a new installation an order that awaits payment moves once it is paid. Those of Alpha, of Denis, cost 1000 rubles; Klara books. */
async function start(test: Parameters<typeof startCabinet>[0], environment: Record<string, string> = {}) {
  const cabinet = await startCabinet(test, { environment })
  const { db, cast, as } = cabinet
  const { id: step } = transitionBetween(cabinet, 'payment', 'paid')
  const change = (values: Partial<typeof statusTransitions.$inferInsert>) =>
    db.update(statusTransitions).set(values).where(eq(statusTransitions.id, step)).run()
  const order = setOrder(cabinet, 'payment', { cost: 100_000 })
  const place = (status = 'payment', values: Partial<typeof orders.$inferInsert> = {}) =>
    insertOrder(cabinet, status, { dealer_id: cast.denis, company_id: cast.companies.alpha, cost: 100_000, ...values })
  const isIn = (id: number, status: string) => orderOf(db, id).status_id === statusId(status)
  return { ...cabinet, step, change, order, place, isIn, clerk: await as('clerk') }
}

const pay = (browser: Browser, order: number, amount: string, kind = 'transfer') =>
  browser.post(`/orders/${order}/payments`, { amount, kind })

t.test('booking the rest of what an order costs moves it, as the person who booked, and no other order', async (t) => {
  const cabinet = await start(t)
  const { db, cast, change, clerk, order, place, isIn } = cabinet
  const [other, elsewhere] = [place(), place('apply')]
  change({ dealer_can: false, manager_can: false })
  t.equal((await pay(clerk, order, '999,99')).statusCode, 303)
  t.ok(isIn(order, 'payment'), 'a kopeck is lacking')
  t.equal(historyOf(cabinet, order).length, 0)
  t.equal((await pay(clerk, order, '0,01', 'cash')).statusCode, 303)
  t.ok(isIn(order, 'paid'), 'although only administrators may make this step by hand')
  t.ok(isIn(other, 'payment'))
  const [entry, ...none] = historyOf(cabinet, order)
  t.same(none, [])
  t.match(entry, {
    actor_id: cast.clerk,
    transition_id: cabinet.step,
    when_paid: true,
    from_name: 'Awaiting payment',
    to_name: 'Under review',
  })
  t.same([entry?.filled, orderOf(db, order).payment], [{ payment: 'cash' }, 'cash'], 'the way of payment is that of the newest')
  const said = elementsOf((await clerk.get(`/orders/${order}`)).body, '.timeline-change').map(textOf)
  t.match(said.join(), 'Clerkova Klara booked the money that moved the order to "Under review"')
  t.equal((await pay(clerk, elsewhere, '1000')).statusCode, 303)
  t.ok(isIn(elsewhere, 'apply'), 'paid before it is asked for, it stays where it is')
  t.equal((await pay(clerk, order, '10')).statusCode, 303)
  t.ok(isIn(order, 'paid'), 'more money moves it no further')
  t.equal(historyOf(cabinet, order).length, 1)
})

t.test('a reported payment moves the order when it is confirmed, once, and a rejected one never', async (t) => {
  const cabinet = await start(t)
  const { as, db, clerk, order, isIn } = cabinet
  const denis = await as('denis')
  await pay(denis, order, '1000')
  await pay(denis, order, '1000')
  t.ok(isIn(order, 'payment'), 'what is reported does not count')
  const [first, second] = db.select().from(payments).all()
  await clerk.post(`/payments/${first?.id}/reject`, { reason: 'Not there' })
  t.ok(isIn(order, 'payment'))
  for (const _ of ['once', 'again']) t.equal((await clerk.post(`/payments/${second?.id}/confirm`)).statusCode, 303)
  t.ok(isIn(order, 'paid'))
  t.equal(historyOf(cabinet, order).length, 1)
})

t.test('what the transition asks for else keeps the order where it is, with the money booked', async (t) => {
  const cabinet = await start(t)
  const { db, cast, change, clerk, place, isIn } = cabinet
  const paid = async (values: Partial<typeof statusTransitions.$inferInsert>, order: number) => {
    change({ required_fields: [], min_paid: null, within_limit: false, ...values })
    t.equal((await pay(clerk, order, '300')).statusCode, 303)
    t.same(amountsOf(db, order), [['payment', 300_00]])
    return isIn(order, 'paid')
  }
  t.equal(await paid({ min_paid: 30 }, place()), true)
  t.equal(await paid({ min_paid: 31 }, place()), false)
  t.equal(await paid({ min_paid: 30, required_fields: ['receiver'] }, place()), false)
  t.equal(
    await paid({ min_paid: 30, required_fields: ['receiver', 'payment_order', 'payment'] }, place('payment', { receiver: 'Anna' })),
    true,
  )
  t.equal(await paid({ min_paid: 30, when_paid: false }, place()), false)
  db.update(companies).set({ credit_limit: 0 }).where(eq(companies.id, cast.companies.alpha)).run()
  t.equal(
    await paid({ min_paid: 30, when_paid: true, within_limit: true }, place('payment', { cost: 1_000_000_00, due_since: null })),
    false,
  )
  const stuck = place('payment', { receiver: null })
  t.equal(await paid({ min_paid: 30, required_fields: ['receiver'] }, stuck), false)
  db.update(orders).set({ receiver: 'Anna' }).where(eq(orders.id, stuck)).run()
  t.ok(isIn(stuck, 'payment'), 'it is made by booking only')
  await pay(clerk, stuck, '1')
  t.ok(isIn(stuck, 'paid'), 'with the next payment')
})

t.test('a paid order goes on through statuses that it is paid for, and a circle of them ends', async (t) => {
  const cabinet = await start(t)
  const { db, change, clerk, place, isIn } = cabinet
  const mark = (from: string, to: string) => {
    const { id } = transitionBetween(cabinet, from, to)
    db.update(statusTransitions).set({ when_paid: true, required_fields: [] }).where(eq(statusTransitions.id, id)).run()
  }
  mark('paid', 'production')
  const order = place()
  await pay(clerk, order, '1000')
  t.ok(isIn(order, 'production'))
  t.same(
    historyOf(cabinet, order).map(({ to_name, when_paid }) => [to_name, when_paid]),
    [
      ['In production', true],
      ['Under review', true],
    ],
  )
  const back = { parent_status_id: statusId('production'), child_status_id: statusId('payment'), when_paid: true }
  db.insert(statusTransitions).values(back).run()
  change({ min_paid: 50 })
  const circling = place()
  await pay(clerk, circling, '1000')
  t.ok(isIn(circling, 'payment'), 'once around')
  t.equal(historyOf(cabinet, circling).length, 3)
})

t.test('whoever booked can undo the step: the order goes back, the money stays, and only another payment moves it again', async (t) => {
  const cabinet = await start(t)
  const { as, db, clerk, order, isIn } = cabinet
  await pay(clerk, order, '1000', 'card')
  const step = historyOf(cabinet, order)[0]
  t.equal(elementsOf((await clerk.get(`/orders/${order}`)).body, 'form:has([name=step])').length, 1)
  const undo = (browser: Browser) => browser.post(`/orders/${order}/undo`, { step: Number(step?.id), once: crypto.randomUUID() })
  t.equal((await undo(await as('maria'))).statusCode, 403)
  t.equal((await at(Number(step?.undo_until) - 1, () => undo(clerk))).statusCode, 303)
  t.ok(isIn(order, 'payment'))
  t.equal(orderOf(db, order).payment, null)
  t.same(amountsOf(db, order), [['payment', 1000_00]])
  t.match(db.select().from(payments).all(), [{ state: 'confirmed' }])
  const told = db.select().from(notifications).all()
  t.same(
    told.map(({ event }) => event),
    ['payment-confirmed'],
    'of the step nobody',
  )
  t.equal((await clerk.post(`/payments/${db.select().from(payments).get()?.id}/confirm`)).statusCode, 303)
  t.ok(isIn(order, 'payment'), 'the same payment confirmed again moves nothing')
  await pay(clerk, order, '0,01')
  t.ok(isIn(order, 'paid'))
})

t.test('a correction in favor of an order moves it when that makes it paid', async (t) => {
  const { as, cast, clerk, order, place, isIn } = await start(t)
  const other = place()
  const admin = await as('root')
  const correct = (order_id: number, amount: string) =>
    admin.post(`/company/${cast.companies.alpha}/ledger`, { kind: 'correction', amount, order_id, note: 'Round' })
  for (const id of [order, other]) await pay(clerk, id, '999,50')
  t.equal((await correct(order, '0,49')).statusCode, 303)
  t.ok(isIn(order, 'payment'))
  t.equal((await correct(order, '0,01')).statusCode, 303)
  t.same([isIn(order, 'paid'), isIn(other, 'payment')], [true, true])
})

t.test('of payments confirmed together each moves its order', async (t) => {
  const { db, clerk, place, isIn } = await start(t)
  const placed = [place(), place(), place()] as const
  const ids = placed.map((id, index) => insertPayment(db, id, { amount: index === 1 ? 99_999 : 100_000 }))
  t.equal((await clerk.post('/payments/confirm', { id: ids })).statusCode, 200)
  t.same(
    placed.map((id) => isIn(id, 'paid')),
    [true, false, true],
  )
})

t.test('a bank statement moves the orders that it pays', async (t) => {
  const { clerk, place, isIn } = await start(t)
  const [whole, part] = [place(), place()]
  const content = exchange([
    { number: '1', purpose: `Оплата по заказу № ${whole}`, amount: '1000.00' },
    { number: '2', purpose: `Оплата по заказу № ${part}`, amount: '500.00' },
  ])
  const accepted = await submitForm(clerk, '/payments/import', [['file', new File([content as never], 'statement.txt')]])
  const address = String(accepted.headers.location)
  t.equal((await clerk.post(address, { book: [`1:${whole}`, `2:${part}`] })).statusCode, 303)
  t.same([isIn(whole, 'paid'), isIn(part, 'paid')], [true, false])
})

t.test('in a new installation only the step from awaiting payment on is made when an order is paid', async (t) => {
  const { db, step } = await start(t)
  const marked = db.select().from(statusTransitions).where(eq(statusTransitions.when_paid, true)).all()
  t.same(
    marked.map(({ id }) => id),
    [step],
  )
})

const toldOf = ({ db, cast }: Pick<Cabinet, 'db' | 'cast'>, order: number) => {
  const names = new Map(Object.entries(cast).map(([name, id]) => [id, name]))
  const rows = db.select().from(notifications).where(eq(notifications.order_id, order)).orderBy(notifications.id).all()
  return rows.filter(({ event }) => event?.startsWith('paid-')).map((row) => `${names.get(row.user_id)}: ${row.event}`)
}

t.test('what hinders a paid order is told to its manager and to nobody else, and it waits for the manager', async (t) => {
  const cabinet = await start(t)
  const { as, db, cast, change, clerk, order, place } = cabinet
  change({ required_fields: ['receiver', 'date_make', 'payment'] })
  const unpaid = place()
  const waitsFor = async (name: Name) => idsOf(await (await as(name)).get('/orders?waiting=1'), 'orders').sort()
  t.same([await waitsFor('maria'), await waitsFor('denis')], [[], [order, unpaid].sort()])
  await pay(clerk, order, '999,99')
  t.same(toldOf(cabinet, order), [])
  await pay(clerk, order, '0,01')
  t.same(toldOf(cabinet, order), ['maria: paid-waiting'])
  t.equal(historyOf(cabinet, order).length, 0)
  t.same([await waitsFor('maria'), await waitsFor('mikhail'), await waitsFor('denis')], [[order], [], [unpaid]])
  const home = async (name: Name) =>
    elementsOf((await (await as(name)).get('/')).body, `[aria-labelledby=waiting-title] a[href^="/orders/${order}"]`)
  t.same([(await home('maria')).length > 0, (await home('denis')).length > 0], [true, false], 'and on the home page')
  const what = 'Paid, waiting for: Customer full name, Production date'
  const page = async (name: Name) => (await (await as(name)).get(`/orders/${order}`)).body
  t.same(elementsOf(await page('maria'), '#paid-waiting').map(textOf), [what])
  t.match(elementsOf(await page('maria'), '[data-turn=own]').map(textOf), ['Your turn'])
  t.match(elementsOf(await page('denis'), '[data-turn]').map(textOf), ['Waiting for the manager'])
  revoke(db, cast.denis, 'order_can_view_prices')
  t.same(elementsOf(await page('denis'), '#paid-waiting'), [], 'who sees no prices is not told that it is paid')
  const [entry = ''] = await inboxOf(cabinet, 'maria')
  t.match(entry, what)
  t.match(entry, 'Clerkova Klara')
  t.match(textOf((await (await as('maria')).get('/notifications/latest', htmx)).body), `${what}: Clerkova Klara`)
  db.update(orders).set({ receiver: 'Anna', date_make: '2026-12-01' }).where(eq(orders.id, order)).run()
  t.same(elementsOf(await page('maria'), '#paid-waiting').map(textOf), ['Paid: nothing hinders the next step'])
  const moved = await requestTransition(await as('maria'), order, cabinet.step, { payment: 'transfer' })
  t.equal(moved.statusCode, 303, 'and the manager moves it')
  t.same(await waitsFor('maria'), [order], 'then its new status says who acts')
})

t.test('without a mark the manager is told once that an order is paid in full, and again for other money only', async (t) => {
  const cabinet = await start(t)
  const { db, cast, change, clerk, order, place } = cabinet
  change({ when_paid: false, min_paid: 30 })
  await pay(clerk, order, '999,99')
  t.same(toldOf(cabinet, order), [], 'a part is not told')
  const last = insertPayment(db, order, { amount: 1 })
  for (const _ of ['once', 'again']) await clerk.post(`/payments/${last}/confirm`)
  t.same(toldOf(cabinet, order), ['maria: paid-in-full'])
  t.same((await inboxOf(cabinet, 'maria')).length, 1)
  t.match((await inboxOf(cabinet, 'maria'))[0], 'Paid in full')
  await pay(clerk, order, '500')
  t.equal(toldOf(cabinet, order).length, 1, 'what is too much is credit')
  const [part] = db.select().from(allocations).where(eq(allocations.order_id, order)).orderBy(desc(allocations.id)).all()
  const { id: _, ...taken } = part as typeof allocations.$inferSelect
  db.insert(allocations)
    .values({ ...taken, amount: -taken.amount })
    .run()
  await at(Date.now() + 1000, () => pay(clerk, order, '0,01'))
  t.equal(toldOf(cabinet, order).length, 2, 'money that was taken back and has come again is other money')
  const [canceled, free] = [place('canceled'), place('payment', { cost: 0 })]
  for (const id of [canceled, free]) await pay(clerk, id, '1000')
  t.same([toldOf(cabinet, canceled), toldOf(cabinet, free)], [[], []], 'nor what is called off or costs nothing')
  db.update(companies).set({ manager_id: null }).where(eq(companies.id, cast.companies.alpha)).run()
  db.update(users).set({ manager_id: null }).where(eq(users.id, cast.denis)).run()
  const nobodys = place()
  await pay(clerk, nobodys, '1000')
  t.same(
    toldOf(cabinet, nobodys),
    ['root: paid-in-full', 'admin: paid-in-full', 'clerk: paid-in-full'],
    'where there is none, administrators',
  )
})

t.test('a manager without prices is not told that an order is paid; one who booked has it read', async (t) => {
  const cabinet = await start(t)
  const { as, db, cast, change, clerk, place } = cabinet
  change({ when_paid: false })
  const [own, hidden] = [place(), place()]
  grant(db, cast.maria, 'payment_can_confirm')
  await pay(await as('maria'), own, '1000')
  t.match(
    db
      .select()
      .from(notifications)
      .where(eq(notifications.order_id, own))
      .all()
      .filter(({ event }) => event === 'paid-in-full'),
    [{ user_id: cast.maria, read_at: Number }],
  )
  revoke(db, cast.maria, 'order_can_view_prices')
  await pay(clerk, hidden, '1000')
  t.same(toldOf(cabinet, hidden), [])
})

t.test('email and Telegram say in the language of the manager what a paid order waits for', async (t) => {
  const [office, telegram] = [await startMailServer(t), await startTelegram(t)]
  const environment = { SMTP_URL: office.url, TELEGRAM_BOT_TOKEN: 'secret', TELEGRAM_API_URL: telegram.url }
  const { db, cast, change, clerk, order, place } = await start(t, environment)
  const subjects = () => office.letters.filter(({ to }) => to === 'maria@example.com').map(({ subject }) => subject)
  db.update(users).set({ tg_id: '42', language: 'ru' }).where(eq(users.id, cast.maria)).run()
  change({ required_fields: ['receiver'], within_limit: true })
  db.update(companies).set({ credit_limit: 0 }).where(eq(companies.id, cast.companies.alpha)).run()
  db.insert(ledgerEntries)
    .values({ company_id: cast.companies.alpha, kind: 'correction', amount: -1, date: '2026-01-01', at: 1, actor_name: 'X' })
    .run()
  await pay(clerk, order, '1000')
  await until(() => subjects().length === 1 && telegram.messages.length === 1)
  t.same(subjects(), [`Заказ №\u00a0${order}: Оплачен, ожидает: ФИО клиента, Кредитный лимит`])
  t.match(telegram.messages[0]?.text, /Оплачен, ожидает: ФИО клиента, Кредитный лимит/)
  t.match(office.letters[0]?.text, `/orders/${order}`)
  db.update(users).set({ language: 'en' }).where(eq(users.id, cast.maria)).run()
  change({ when_paid: false })
  const other = place()
  await pay(clerk, other, '1000')
  await until(() => subjects().length === 2)
  t.equal(subjects()[1], `Order ${other}: Paid in full`)
})

t.test('the form of a status marks one transition at most, and none that calls an order off', async (t) => {
  const cabinet = await start(t)
  const { as, db, step, change } = cabinet
  change({ when_paid: false })
  const root = await as('root')
  const to = { paid: statusId('paid'), canceled: statusId('canceled'), production: statusId('production') }
  const sent = (...rows: [child: number, marked: 0 | 1][]): Fields => ({
    transitions: '',
    ...Object.fromEntries(
      rows.flatMap(([child, marked], at) => [
        ...(child === to.paid ? [[`transitions[${at}][id]`, step]] : []),
        [`transitions[${at}][child_status_id]`, child],
        [`transitions[${at}][when_paid]`, marked],
        [`transitions[${at}][manager_can]`, 1],
      ]),
    ),
  })
  const marks = () => db.select().from(statusTransitions).where(eq(statusTransitions.when_paid, true)).all()
  const save = (fields: Fields) => root.post('/status/edit/payment', fields)
  const errors = async (fields: Fields) => {
    const answer = await save(fields)
    t.equal(answer.statusCode, 422)
    t.same(marks(), [], 'nothing is saved')
    return errorsOf(answer)
  }
  const preview = await save({ ...sent([to.paid, 1]), _preview: 1 })
  t.match(textOf(preview.body), 'Awaiting payment → Under review would be made by itself once an order is paid.')
  t.same(marks(), [])
  t.same(await errors(sent([to.paid, 1], [to.production, 1])), {
    'transitions.1.when_paid': 'Only one transition of a status can be made once an order is paid.',
  })
  t.same(await errors(sent([to.paid, 0], [to.canceled, 1])), {
    'transitions.1.when_paid': 'A transition that cancels orders cannot be made automatically once they are paid.',
  })
  db.update(statuses)
    .set({ due: 'ends' })
    .where(eq(statuses.id, statusId('payment')))
    .run()
  t.same(await errors(sent([to.paid, 1])), {
    'transitions.0.when_paid': 'Orders in this status cease to be due: nobody pays for them.',
  })
  t.match(textOf((await root.get('/statuses')).body), 'No transition is made by itself once an order is paid: its manager is told.')
  db.update(statuses)
    .set({ due: 'starts' })
    .where(eq(statuses.id, statusId('payment')))
    .run()
  t.equal((await save(sent([to.paid, 1], [to.production, 0]))).statusCode, 303)
  t.match(marks(), [{ id: step }])
  const saved = await root.get('/status/edit/payment?tab=transitions')
  t.ok(fieldOf(saved, 'transitions[0][when_paid]'))
  t.match(textOf((await root.get('/status/edit/payment?tab=history')).body), /Transitions.*Made by itself once paid/s)
  const page = (await root.get('/statuses')).body
  t.match(textOf(page), 'Once an order is paid, it moves on by itself: Awaiting payment → Under review.')
  t.match(page, /<title>Awaiting payment → Under review: [^<]*manager; by itself once paid<\/title>/)
  t.match(textOf(page), /Under review [^—]*manager; by itself once paid/)
  const order = cabinet.place()
  const tried = parseHtml((await root.get(`/orders/try?order=${order}&role=manager`)).body)
  t.same(
    tried('.dry-run-transitions li')
      .toArray()
      .map((row) => textOf(tried(row).text())),
    ['Report payment Made by itself once paid', 'Move to In production'],
  )
  t.match(textOf((await root.get(`/orders/try?order=${order}&role=manager&way=${step}`)).body), /Under review Made by itself once paid/)
  change({ child_status_id: to.canceled })
  t.match(textOf((await root.get('/statuses')).body), /is to be made once an order is paid, but nobody pays for what is called off/)
})

t.test('an upgrade marks nothing', async (t) => {
  const { db } = await start(t)
  const [column] = db.$client.prepare("select dflt_value from pragma_table_info('status_transitions') where name = 'when_paid'").all()
  t.same(column, { dflt_value: 'false' })
})
