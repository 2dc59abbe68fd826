import { and, desc, eq } from 'drizzle-orm'
import t from 'tap'
import { changes, companies, notifications, orders, statuses, statusTransitions, users } from '../../src/database/schema/index.ts'
import { findOrder, type Order } from '../../src/modules/orders/order.ts'
import { type Browser, type Cabinet, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name } from '../support/cast.ts'
import { attributesOf, controlsOf, elementById, elementsOf, errorsOf, parseHtml, tagsOf, textOf, textsByRole } from '../support/html.ts'
import { historyOf, requestTransition, setOrder, statusId, transitionBetween } from '../support/orders.ts'

const orderOf = ({ db }: Cabinet, id: number) => findOrder(db, id) as Order

/** The buttons of an order's card, by the id of their transition. */
function buttonsOf(body: string) {
  const tags = tagsOf(body, 'button').filter(({ name }) => name === 'transition_id')
  return new Map(tags.filter(({ tabindex }) => tabindex !== '-1').map((tag) => [Number(tag.value), tag]))
}

t.test('a transition saves the fields, the status, the history and the notifications together', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const order = setOrder(cabinet, 'payment')
  const way = transitionBetween(cabinet, 'payment', 'paid')
  db.update(statusTransitions)
    .set({ required_fields: ['payment', 'receiver'], forced_fields: ['date_payment', 'sn', 'deferred_payment'] })
    .where(eq(statusTransitions.id, way.id))
    .run()
  db.update(orders).set({ receiver: null }).where(eq(orders.id, order)).run()
  const answer = await requestTransition(await as('denis'), order, way.id, { payment: 'card', receiver: '  Anna  ', note: 'Paid today' })
  t.equal(answer.statusCode, 303)
  t.equal(answer.headers.location, `/orders/edit/${order}`)
  const saved = orderOf(cabinet, order)
  t.match(saved, { status_id: statusId('paid'), payment: 'card', receiver: 'Anna', deferred_payment: true, sn: '1' })
  t.match(saved.date_payment, /^\d{4}-\d\d-\d\d$/)
  const [step] = historyOf(cabinet, order)
  t.match(step, {
    transition_id: way.id,
    from_name: 'Awaiting payment',
    to_name: 'Under review',
    actor_id: cast.denis,
    impersonator_id: null,
    filled: { payment: 'card', receiver: 'Anna' },
    forced: { deferred_payment: true, sn: '1', date_payment: saved.date_payment },
    comment: 'Paid today',
  })
  const told = db
    .select()
    .from(notifications)
    .where(eq(notifications.history_id, step?.id as number))
    .all()
  t.same(
    told.map(({ user_id }) => user_id).sort(byNumber),
    [cast.root, cast.admin, cast.clerk, cast.maria].sort(byNumber),
    'the manager and every administrator',
  )
  t.ok(told.every(({ order_id, status_name }) => order_id === order && status_name === 'Under review'))
  const change = db
    .select()
    .from(changes)
    .where(and(eq(changes.entity, 'orders'), eq(changes.record_id, order)))
    .orderBy(desc(changes.id))
    .get()
  t.match(change, { action: 'update', fields: { status_id: [statusId('payment'), statusId('paid')], receiver: [null, 'Anna'] } })
  t.equal(saved.receiver, 'Anna')
})

t.test("a transition notifies the dealer's manager where the company has none, and otherwise not", async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const { id } = transitionBetween(cabinet, 'payment', 'paid')
  db.update(statusTransitions).set({ required_fields: [] }).where(eq(statusTransitions.id, id)).run()
  db.update(users).set({ manager_id: cast.mikhail }).where(eq(users.id, cast.denis)).run()
  for (const [manager_id, told] of [
    [cast.maria, cast.maria],
    [null, cast.mikhail],
  ] as const) {
    db.update(companies).set({ manager_id }).where(eq(companies.id, cast.companies.alpha)).run()
    db.delete(notifications).run()
    const order = setOrder(cabinet, 'payment')
    t.equal((await requestTransition(await as('denis'), order, id)).statusCode, 303)
    const notified = db.select().from(notifications).all()
    t.same(notified.map(({ user_id }) => user_id).sort(byNumber), [cast.root, cast.admin, cast.clerk, told].sort(byNumber))
  }
})

t.test('a transition notifies no manager who was deactivated', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const order = setOrder(cabinet, 'payment')
  db.update(users).set({ active: false }).where(eq(users.id, cast.maria)).run()
  const { id } = transitionBetween(cabinet, 'payment', 'paid')
  db.update(statusTransitions).set({ required_fields: [] }).where(eq(statusTransitions.id, id)).run()
  t.equal((await requestTransition(await as('denis'), order, id)).statusCode, 303)
  const notified = db.select().from(notifications).all()
  t.same(notified.map(({ user_id }) => user_id).sort(byNumber), [cast.root, cast.admin, cast.clerk].sort(byNumber))
})

t.test('the order history names the impersonator behind a transition', async (t) => {
  const cabinet = await startCabinet(t)
  const order = setOrder(cabinet, 'new')
  const root = await cabinet.as('root')
  await root.get(`/impersonate/${cabinet.cast.denis}`)
  t.equal((await requestTransition(root, order, transitionBetween(cabinet, 'new', 'apply').id)).statusCode, 303)
  t.match(historyOf(cabinet, order)[0], { actor_id: cabinet.cast.denis, impersonator_id: cabinet.cast.root })
  const history = await root.get(`/orders/edit/${order}?tab=history`)
  t.ok(elementsOf(history.body, '[data-transition]').length > 0)
  t.match(textOf(history.body), /New .*Awaiting signing/)
  t.match(textOf(history.body), /impersonated by Root Olga/)
  await root.post('/impersonate/leave')
  cabinet.db.update(users).set({ lastname: 'Renamed' }).where(eq(users.id, cabinet.cast.root)).run()
  t.match(historyOf(cabinet, order)[0], { impersonator_name: 'Root Olga' })
  const later = await (await cabinet.as('maria')).get(`/orders/edit/${order}?tab=history`)
  t.match(textOf(later.body), /impersonated by Root Olga/, 'under the name of that day, for everybody who sees the order')
})

t.test('a user who may not perform a transition gets 403 even when the order has moved on (409 for others)', async (t) => {
  const cabinet = await startCabinet(t)
  const order = setOrder(cabinet, 'new')
  const way = transitionBetween(cabinet, 'payment', 'paid')
  const { as, db } = cabinet
  const allow = (dealer_can: boolean) =>
    db
      .update(statusTransitions)
      .set({ dealer_can, manager_can: false, production_can: false, dealers_can: false, managers_can: false, productions_can: false })
      .where(eq(statusTransitions.id, way.id))
      .run()
  const [denis, maria, daria] = [await as('denis'), await as('maria'), await as('daria')]
  allow(true)
  const told = await requestTransition(denis, order, way.id)
  t.equal(told.statusCode, 409, 'who may is told')
  t.same(textsByRole(told, 'alert'), ['This order is in another status. Your change was not applied.'], 'nobody has moved it')
  t.equal((await requestTransition(maria, order, way.id)).statusCode, 403, 'who may not is refused')
  allow(false)
  t.equal((await requestTransition(denis, order, way.id)).statusCode, 403)
  t.equal((await requestTransition(daria, order, way.id)).statusCode, 403, 'and so is who does not see the order')
  t.equal(orderOf(cabinet, order).status_id, statusId('new'))
})

t.test('a transition can be performed by exactly the users whom its flags allow', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  db.update(users).set({ manufacture_id: null, stock_id: null }).where(eq(users.id, cast.pavel)).run()
  grant(db, cast.mikhail, 'order_can_view')
  grant(db, cast.plain, 'order_can_view')
  const way = transitionBetween(cabinet, 'new', 'apply')
  const flags = ['dealer_can', 'manager_can', 'production_can', 'dealers_can', 'managers_can', 'productions_can'] as const
  const expected: [Name, (on: (typeof flags)[number]) => boolean][] = [
    ['denis', (on) => on === 'dealer_can' || on === 'dealers_can'],
    ['roman', (on) => on === 'dealers_can'],
    ['maria', (on) => on === 'manager_can' || on === 'managers_can'],
    ['mikhail', (on) => on === 'managers_can'],
    ['clerk', () => true],
  ]
  for (const on of flags) {
    db.update(statusTransitions)
      .set(Object.fromEntries(flags.map((flag) => [flag, flag === on])))
      .where(eq(statusTransitions.id, way.id))
      .run()
    for (const [name, may] of expected) {
      const order = setOrder(cabinet, 'new')
      const browser = await as(name)
      const button = buttonsOf((await browser.get(`/orders/edit/${order}`)).body).get(way.id)
      t.equal(button && 'disabled' in button, !may(on), `${name} sees the button of ${on}`)
      t.equal((await requestTransition(browser, order, way.id)).statusCode, may(on) ? 303 : 403, `${name} with ${on}`)
      t.equal(orderOf(cabinet, order).status_id, may(on) ? statusId('apply') : statusId('new'))
    }
  }
  for (const stranger of ['daria', 'pavel'] as Name[]) {
    setOrder(cabinet, 'new')
    t.equal((await requestTransition(await as(stranger), cast.order, way.id)).statusCode, 403, `${stranger} does not see the order`)
  }
})

t.test('a transition that a user cannot perform stays visible with the reason, and one that lacks fields asks for them', async (t) => {
  const cabinet = await startCabinet(t)
  const order = setOrder(cabinet, 'production', { address: 'Here', receiver: ' ', phone: null })
  const { db, cast, as } = cabinet
  db.$client.prepare('update companies set manufacture_id = ? where id = ?').run(cast.site, cast.companies.alpha)
  const card = await (await as('maria')).get(`/orders/edit/${order}`)
  const toDelivery = transitionBetween(cabinet, 'production', 'delivery')
  const closed = buttonsOf(card.body).get(toDelivery.id)
  t.ok(closed && 'disabled' in closed)
  t.match(
    textOf(elementById(card, closed?.['aria-describedby'] ?? '') ?? ''),
    "Only the order's production team or an administrator can do this.",
  )

  const pavel = await as('pavel')
  const open = await pavel.get(`/orders/edit/${order}`)
  const button = buttonsOf(open.body).get(toDelivery.id)
  t.notOk(button && 'disabled' in button)
  t.match(textOf(elementById(open, button?.['aria-describedby'] ?? '') ?? ''), /Delivery date, Customer full name, Phone/)
  const asked = await requestTransition(pavel, order, toDelivery.id, { phone: '+7(900) 000 00 00', receiver: '   ' })
  t.equal(asked.statusCode, 422)
  t.same(Object.keys(errorsOf(asked)).sort(), ['date_delivery', 'receiver'])
  t.equal(elementsOf(asked.body, '[name=receiver][autofocus]').length, 1, 'work goes on at the first of them')
  t.notMatch(asked.body, 'data-unanswered')
  t.match(
    (await requestTransition(pavel, order, toDelivery.id)).body,
    'data-unanswered',
    'whoever has not seen the fields yet has done nothing wrong',
  )
  t.equal(controlsOf(asked.body).find(({ name }) => name === 'phone')?.value, '+7(900) 000 00 00', 'what was typed is kept')
  t.equal(orderOf(cabinet, order).status_id, statusId('production'))
  t.equal(orderOf(cabinet, order).phone, null, 'nothing was saved')
  t.equal(historyOf(cabinet, order).length, 0)
  t.equal(db.select().from(notifications).all().length, 0)

  const done = await requestTransition(pavel, order, toDelivery.id, { phone: '11111', receiver: 'Anna', date_delivery: '2026-12-01' }, htmx)
  t.equal(done.statusCode, 200)
  t.equal(attributesOf(done.body).id, 'orders-card')
  t.match(orderOf(cabinet, order), { status_id: statusId('delivery'), receiver: 'Anna', date_delivery: '2026-12-01' })
})

t.test('the edit form leads to the confirmation of a final status, with amount and reason, instead of moving the order', async (t) => {
  const cabinet = await startCabinet(t)
  const order = setOrder(cabinet, 'new', { cost: 24_000_000 })
  const maria = await cabinet.as('maria')
  const card = await maria.get(`/orders/edit/${order}`)
  const cancel = transitionBetween(cabinet, 'new', 'canceled').id
  const form = attributesOf(elementById(card, buttonsOf(card.body).get(cancel)?.form ?? '') ?? '')
  t.match(form, { method: 'get', action: `/orders/${order}#step` })
  t.notOk(buttonsOf(card.body).get(transitionBetween(cabinet, 'new', 'apply').id)?.form, 'other steps are made at once')
  const confirmation = await maria.get(`/orders/${order}?transition_id=${cancel}`)
  t.match(textsByRole(confirmation, 'alert').join(), /240.000,00.*"Canceled"\? This is a final status\./)
  t.ok(controlsOf(confirmation.body).find(({ name }) => name === 'note'))
  t.equal(orderOf(cabinet, order).status_id, statusId('new'))
})

t.test('the change history names seeded statuses in the language of its reader', async (t) => {
  const cabinet = await startCabinet(t)
  const order = setOrder(cabinet, 'new')
  await requestTransition(await cabinet.as('denis'), order, transitionBetween(cabinet, 'new', 'apply').id)
  const path = `/orders/edit/${order}?tab=history`
  const root = await cabinet.as('root')
  t.match(textOf((await root.get(path)).body), /Status.*New → Awaiting signing/)
  const russian = textOf((await root.get(path, { 'accept-language': 'ru' })).body)
  t.match(russian, /Новый → Ожидает подписания/)
  t.notMatch(russian, /Awaiting signing/)
})

t.test('a required field that is filled in can be changed only by those who may edit it', async (t) => {
  const cabinet = await startCabinet(t)
  const order = setOrder(cabinet, 'production', { address: 'Here', receiver: 'Anna', phone: '1', date_delivery: '2026-12-01' })
  cabinet.db.$client.prepare('update companies set manufacture_id = ?').run(cabinet.cast.site)
  cabinet.db.$client.prepare('update policy_status set value = 0').run()
  const way = transitionBetween(cabinet, 'production', 'delivery')
  const pavel = await cabinet.as('pavel')
  t.equal((await requestTransition(pavel, order, way.id, { receiver: 'Somebody else' })).statusCode, 403)
  t.equal(orderOf(cabinet, order).receiver, 'Anna')
  t.equal((await requestTransition(pavel, order, way.id, { receiver: 'Anna' })).statusCode, 303)
})

t.test('two users move an order at once: one succeeds, the other is told what happened (409)', async (t) => {
  const cabinet = await startCabinet(t)
  const order = setOrder(cabinet, 'new')
  const toApply = transitionBetween(cabinet, 'new', 'apply')
  const toCanceled = transitionBetween(cabinet, 'new', 'canceled')
  const [denis, maria] = [await cabinet.as('denis'), await cabinet.as('maria')]
  const answers = await Promise.all([
    requestTransition(denis, order, toApply.id),
    requestTransition(maria, order, toCanceled.id, { note: 'Changed their mind' }),
  ])
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [303, 409])
  t.equal(historyOf(cabinet, order).length, 1)
  const loser = answers.find(({ statusCode }) => statusCode === 409) as (typeof answers)[number]
  t.match(
    textsByRole(loser, 'alert').join(),
    /(Denisov Denis|Petrova Maria) moved this order to "(Awaiting signing|Canceled)" on .+ Your change was not applied\./,
  )
  t.equal(orderOf(cabinet, order).status_id, historyOf(cabinet, order)[0]?.to_status_id)
})

t.test('what was typed for a step that somebody else has forestalled is shown, without what was left empty', async (t) => {
  const cabinet = await startCabinet(t)
  const order = setOrder(cabinet, 'paid')
  const { id } = transitionBetween(cabinet, 'payment', 'paid')
  const late = await requestTransition(await cabinet.as('maria'), order, id, { payment: '', note: 'They paid' })
  t.equal(late.statusCode, 409)
  const page = parseHtml(late.body)
  t.same([page('.alert dt').text(), page('.alert dd').text()], ['Comment', 'They paid'])
})

t.test('a transition submitted twice moves the order once', async (t) => {
  const cabinet = await startCabinet(t)
  const order = setOrder(cabinet, 'new')
  const way = transitionBetween(cabinet, 'new', 'apply').id
  const denis = await cabinet.as('denis')
  const answers = [await requestTransition(denis, order, way, { once: 'x1' }), await requestTransition(denis, order, way, { once: 'x1' })]
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [303, 303],
  )
  const lead = answers.map(({ headers }) => headers.location)
  t.same(lead, [`/orders/edit/${order}`, `/orders/edit/${order}`], 'to where the first one led')
  const part = await requestTransition(denis, order, way, { once: 'x1' }, htmx)
  t.equal(part.headers['hx-redirect'], `/orders/edit/${order}`, 'htmx goes there, too')
  const otherwise = await requestTransition(denis, order, way, { once: 'x1', note: 'Another' })
  t.equal(otherwise.statusCode, 409, 'with other values')
  t.equal(parseHtml(otherwise.body)('.alert dd').text(), 'Another', 'what was typed is shown')
  t.equal(historyOf(cabinet, order).length, 1)
})

t.test('a step from the page of an order leads back to it, also out of its dialog, and so does its repetition', async (t) => {
  const cabinet = await startCabinet(t)
  const order = setOrder(cabinet, 'new')
  const denis = await cabinet.as('denis')
  const sent = { transition_id: transitionBetween(cabinet, 'new', 'apply').id, once: 'x1', back: '/orders?q=x' }
  const step = () => denis.post(`/orders/${order}/transition`, sent, htmx)
  const [first, again] = [await step(), await step()]
  t.match(first.headers['hx-redirect'], `/orders/${order}?`)
  t.equal(again.headers['hx-redirect'], first.headers['hx-redirect'])
  t.match(textsByRole(await denis.get(`/orders/${order}`), 'status').join(), `Order #${order} moved to Awaiting signing`)
  t.equal((await denis.post(`/orders/${order}/transition`, sent)).headers.location, first.headers['hx-redirect'])
  t.equal(historyOf(cabinet, order).length, 1)
})

t.test('an unknown or foreign transition is refused and changes nothing (422)', async (t) => {
  const cabinet = await startCabinet(t)
  const order = setOrder(cabinet, 'new')
  const maria = await cabinet.as('maria')
  for (const id of ['', 'x', '-1', '1.5', '999999', '1e3', '__proto__', '9'.repeat(40)])
    t.equal((await requestTransition(maria, order, id)).statusCode, 422, id)
  const elsewhere = transitionBetween(cabinet, 'apply', 'payment').id
  t.equal((await requestTransition(maria, order, elsewhere)).statusCode, 409, 'a transition of another status')
  for (const id of ['0', '999999', 'x', '-1']) t.equal((await requestTransition(maria, id as never, 1)).statusCode, 404, `order ${id}`)
  t.equal(
    (await requestTransition(maria, order, transitionBetween(cabinet, 'new', 'apply').id, { note: 'x'.repeat(1001) })).statusCode,
    422,
  )
  t.equal(orderOf(cabinet, order).status_id, statusId('new'))
  t.equal(historyOf(cabinet, order).length, 0)
})

t.test('an administrator gives an order without a status any status', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const order = setOrder(cabinet, 'new')
  db.delete(statuses)
    .where(eq(statuses.id, statusId('new')))
    .run()
  t.equal(orderOf(cabinet, order).status_id, null)
  const clerk = await as('clerk')
  const { body: withoutStatus } = await clerk.get(`/orders/edit/${order}`)
  t.match(textOf(withoutStatus), /Status deleted\. Choose another:/)
  const offered = controlsOf(withoutStatus).find(({ name }) => name === 'status_id')?.options
  t.same(
    offered?.map(({ value }) => Number(value)),
    db
      .select()
      .from(statuses)
      .orderBy(statuses.index)
      .all()
      .map(({ id }) => id),
  )
  t.notMatch(withoutStatus, 'Path so far', 'there is no place to show on the path')
  t.match(textOf((await clerk.get('/orders?status=none')).body), /No status/)
  const give = (browser: Browser, status_id: number | string) => browser.post(`/orders/edit/${order}/status`, { status_id })
  t.equal((await give(await as('maria'), statusId('paid'))).statusCode, 403)
  for (const wrong of ['', 'x', 1, 999]) t.equal((await give(clerk, wrong)).statusCode, 422)
  t.equal((await give(clerk, statusId('paid'))).statusCode, 303)
  t.match(historyOf(cabinet, order)[0], { transition_id: null, from_name: null, to_name: 'Under review', actor_id: cast.clerk })
  t.equal((await give(clerk, statusId('apply'))).statusCode, 403, 'only orders without one')
})

t.test('a forced serial number follows the highest existing number', async (t) => {
  const cabinet = await startCabinet(t)
  const { db } = cabinet
  for (const sn of ['7', '0012', 'A-99', '', ' 5', '99999999999999999999', null]) db.insert(orders).values({ sn }).run()
  const order = setOrder(cabinet, 'payment', { payment: 'card', payment_order: 'x' })
  const way = transitionBetween(cabinet, 'payment', 'paid')
  db.update(statusTransitions)
    .set({ forced_fields: ['sn'] })
    .where(eq(statusTransitions.id, way.id))
    .run()
  t.equal((await requestTransition(await cabinet.as('maria'), order, way.id)).statusCode, 303)
  t.equal(orderOf(cabinet, order).sn, '13')
  for (const [sn, next] of [
    ['9999999999998', '13'],
    ['999999999998', '999999999999'],
  ] as const) {
    db.insert(orders).values({ sn }).run()
    setOrder(cabinet, 'payment', { sn: null })
    await requestTransition(await cabinet.as('maria'), order, way.id)
    t.equal(orderOf(cabinet, order).sn, next, `a number of ${sn.length} digits`)
  }
})

function byNumber(a: number, b: number): number {
  return a - b
}

t.test('a serial number that is typed with a step is kept, whichever is the next free one', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const { id } = transitionBetween(cabinet, 'payment', 'paid')
  db.update(statusTransitions)
    .set({ manager_can: true, required_fields: ['sn', 'date_make'], forced_fields: ['sn', 'date_make'] })
    .where(eq(statusTransitions.id, id))
    .run()
  const maria = await as('maria')
  const moved = async (stored: string | null, typed: Fields) => {
    const order = setOrder(cabinet, 'payment', { sn: stored, date_make: null })
    t.equal((await requestTransition(maria, order, id, { date_make: '2020-01-31', ...typed })).statusCode, 303)
    return orderOf(cabinet, order)
  }
  t.match(await moved(null, { sn: 'B-17' }), { sn: 'B-17' })
  t.match(await moved('A-1', { sn: 'B-18' }), { sn: 'B-18' }, 'in place of the one it had')
  const { sn, date_make } = await moved('A-2', {})
  t.equal(sn, 'A-2', 'the one it had')
  t.not(date_make, '2020-01-31', 'a day is always that of the step')
})
