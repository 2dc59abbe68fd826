import { and, eq } from 'drizzle-orm'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import {
  companies,
  deliveries,
  notifications,
  orderHistory,
  orders,
  statuses,
  statusTransitions,
  users,
} from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { type Answer, type Browser, encode, startCabinet } from '../support/cabinet.ts'
import { emailOf, type Name } from '../support/cast.ts'
import { startMailServer, startTelegram } from '../support/channel-servers.ts'
import { elementsOf, parseHtml, tagsOf, textOf, textsByRole } from '../support/html.ts'
import { callWorker } from '../support/jobs.ts'
import { at, later } from '../support/later.ts'
import { historyOf, insertOrder, orderOf, requestTransition, setOrder, statusId, transitionBetween } from '../support/orders.ts'
import { listen } from '../support/stream.ts'
import { until } from '../support/until.ts'

/** From `payment` to `paid` a receiver is required, a serial number and a flag are set, and the manager and administrators are notified. */
async function start(test: typeof t) {
  const [office, telegram] = [await startMailServer(test), await startTelegram(test)]
  const environment = { SMTP_URL: office.url, TELEGRAM_BOT_TOKEN: 'secret', TELEGRAM_API_URL: telegram.url }
  const cabinet = await startCabinet(test, { environment })
  const { db, cast } = cabinet
  const { id: transition } = transitionBetween(cabinet, 'payment', 'paid')
  const fields = { required_fields: ['receiver'], forced_fields: ['sn', 'deferred_payment'], manager_can: true }
  db.update(statusTransitions).set(fields).where(eq(statusTransitions.id, transition)).run()
  db.update(statuses)
    .set({ notify_manager: true, notify_admin: true, notify_dealer: true })
    .where(eq(statuses.id, statusId('paid')))
    .run()
  db.update(users).set({ tg_id: '42' }).where(eq(users.id, cast.maria)).run()
  const order = setOrder(cabinet, 'payment', { receiver: null, sn: null, deferred_payment: false })
  return { ...cabinet, office, telegram, transition, order }
}

type Started = Awaited<ReturnType<typeof start>>

const page = (order: number, browser: Browser) => browser.get(`/orders/${order}`)

/** Makes the step on the page of the order, and returns the page that follows. */
async function move({ order, transition }: Started, browser: Browser): Promise<Answer> {
  const answer = await browser.post(`/orders/${order}/transition`, { transition_id: transition, receiver: 'Anna' })
  if (answer.statusCode !== 303) throw new Error(`${answer.statusCode}: ${textOf(answer.body)}`)
  return browser.get(String(answer.headers.location))
}

/** The form in the message after a step. */
function undoFormOf({ body }: Answer) {
  const [form = ''] = elementsOf(body, 'form:has([name=step])')
  const fields = Object.fromEntries(tagsOf(form, 'input').map(({ name, value }) => [name ?? '', value ?? '']))
  return { action: tagsOf(form, 'form')[0]?.action ?? '', method: tagsOf(form, 'form')[0]?.method, fields }
}

const newestStep = (cabinet: Pick<Started, 'db'>, order: number) => historyOf(cabinet, order)[0]?.id as number

const undo = (browser: Browser, order: number, step: number | string, once = crypto.randomUUID()) =>
  browser.post(`/orders/${order}/undo`, { step, once })

const state = ({ db, order }: Pick<Started, 'db' | 'order'>) => {
  const { status_id, receiver, sn, deferred_payment, status_since } = orderOf(db, order)
  return { status_id, receiver, sn, deferred_payment, status_since }
}

const untilOf = (cabinet: Started) => historyOf(cabinet, cabinet.order)[0]?.undo_until as number

const ten = 10_000

t.test('the page of the order offers to undo a step as long as that is possible, to whoever made it', async (t) => {
  const cabinet = await start(t as never)
  const { as, order } = cabinet
  const [maria, root] = [await as('maria'), await as('root')]
  const forms = async (browser: Browser) => elementsOf((await page(order, browser)).body, 'form:has([name=step])').length
  const shown = await move(cabinet, maria)
  t.equal(elementsOf(shown.body, 'form:has([name=step])').length, 1, 'once')
  t.match(parseHtml(shown.body)('.flash form').text(), /Undo/, 'in the message')
  t.match(parseHtml((await page(order, maria)).body)('.order-undo').text(), /Return to "Awaiting payment"/)
  t.equal(await forms(maria), 1, 'and again when the page is loaded anew')
  t.equal(await forms(root), 0)
  await at(untilOf(cabinet) - 1000, async () => {
    const left = parseHtml((await page(order, maria)).body)('.order-undo').attr('data-time')
    t.ok(Number(left) > 0 && Number(left) <= 1000, `for ${left} ms more`)
  })
  await at(untilOf(cabinet), async () => t.equal(await forms(maria), 0))
})

t.test('the form on the page takes a step back', async (t) => {
  const cabinet = await start(t as never)
  const { as, order } = cabinet
  const maria = await as('maria')
  const shown = await move(cabinet, maria)
  const { fields, ...form } = undoFormOf(shown)
  t.match(form, { method: 'post', action: `/orders/${order}/undo` })
  t.equal(Number(fields.step), newestStep(cabinet, order))
  t.ok(fields.once)
  const answer = await maria.post(`/orders/${order}/undo`, fields)
  t.equal(answer.statusCode, 303)
  t.equal(answer.headers.location, `/orders/${order}`)
  t.match(textsByRole(await page(order, maria), 'status'), [`Step undone: order #${order}`])
  t.equal((await maria.post(`/orders/${order}/undo`, fields)).statusCode, 303, 'sent twice, done once')
  t.equal(historyOf(cabinet, order).filter(({ undoes_id }) => undoes_id).length, 1)
  t.equal(elementsOf((await page(order, maria)).body, '[name=step]').length, 0, 'what was undone is not undone again')
})

t.test('undoing a step restores status and fields, and stays in the history as what it is', async (t) => {
  const cabinet = await start(t as never)
  const { as, cast, db, order } = cabinet
  const maria = await as('maria')
  const came = Date.now() - 2 * 3600_000
  db.insert(orderHistory).values({ order_id: order, at: came, to_name: 'Awaiting payment', actor_name: 'X' }).run()
  const before = state(cabinet)
  await move(cabinet, maria)
  t.match(state(cabinet), { status_id: statusId('paid'), receiver: 'Anna', sn: '1', deferred_payment: true })
  const step = newestStep(cabinet, order)
  t.equal((await at(untilOf(cabinet) - 1, () => undo(maria, order, step))).statusCode, 303, 'until the last moment')
  t.same(state(cabinet), before, 'since when it is in its status, too')
  t.match(historyOf(cabinet, order)[0], {
    undoes_id: step,
    transition_id: null,
    from_name: 'Under review',
    to_name: 'Awaiting payment',
    actor_id: cast.maria,
    undo_until: null,
  })
  const texts = elementsOf((await page(order, maria)).body, '.timeline-change').map(textOf)
  t.ok(
    texts.some((text) => /reported payment Under review Undone (?!·)/.test(text)),
    texts.join('\n'),
  )
  t.ok(texts.some((text) => /undid a step Awaiting payment (?!·)/.test(text)))
  const card = await maria.get(`/orders/edit/${order}?tab=history`)
  t.match(textOf(card.body), /undid a step Under review → Awaiting payment/)
  t.match(
    textOf(card.body),
    /reported payment Awaiting payment → Under review Undone · [\d.]{10} \d\d:\d\d Filled in: Customer full name "Anna"/,
  )
  const current = elementsOf((await maria.get(`/orders/edit/${order}`)).body, '.current-status').map(textOf)
  t.same(current, [`Status Awaiting payment since ${formatDateTime(came)}`])
  t.equal(elementsOf((await page(order, maria)).body, '.order-progress .is-done').length, 0, 'it is no part of the way so far')
  const path = tagsOf((await maria.get(`/orders/${order}?workflow=1`)).body, '.workflow-path svg')[0]?.['aria-label']
  t.match(path, /^Now: Awaiting payment\. Next: .*Under review/)
  t.equal((await requestTransition(maria, order, cabinet.transition, { receiver: 'Berta' })).statusCode, 303, 'the step can be made again')
  t.match(state(cabinet), { receiver: 'Berta', sn: '1' })
})

t.test('a step shows in the inbox at once; email and Telegram wait ten seconds', async (t) => {
  const cabinet = await start(t as never)
  const { app, as, db, office, telegram } = cabinet
  await move(cabinet, await as('denis'))
  t.equal(elementsOf((await (await as('maria')).get('/notifications')).body, '[data-unread]').length, 1)
  const { undo_until } = historyOf(cabinet, cabinet.order)[0] ?? {}
  const waiting = db.select().from(deliveries).all()
  t.equal(waiting.length, 5)
  t.ok(waiting.every(({ next_at, state }) => next_at === undo_until && state === 'waiting'))
  callWorker({ app, db })
  await (await as('root')).post(`/outbox/${waiting[0]?.id}/retry`)
  t.equal(
    db
      .select()
      .from(deliveries)
      .where(eq(deliveries.id, waiting[0]?.id as number))
      .get()?.next_at,
    undo_until,
    'nobody sends it earlier',
  )
  t.same([office.letters, telegram.messages], [[], []])
  await later(ten, async () => {
    callWorker({ app, db })
    await until(() =>
      db
        .select()
        .from(deliveries)
        .all()
        .every(({ state }) => state === 'sent'),
    )
  })
  t.same(office.letters.map(({ to }) => to).sort(), ['root', 'admin', 'clerk', 'maria'].map((name) => emailOf(name as Name)).sort())
  t.match(telegram.messages, [{ chat_id: '42' }])
})

t.test('undoing a step withdraws what others were told, sends nothing and notifies nobody', async (t) => {
  const cabinet = await start(t as never)
  const { app, as, db, order, office, telegram } = cabinet
  const denis = await as('denis')
  const bells = await Promise.all((['root', 'admin', 'clerk', 'maria'] as const).map(async (name) => listen(t, cabinet, await as(name))))
  const rung = () => Promise.all(bells.map(({ next }) => next()))
  t.same(
    await rung(),
    bells.map(() => 'unread no unread notifications'),
  )
  await move(cabinet, denis)
  t.same(
    await rung(),
    bells.map(() => 'unread 1 1 unread notification'),
  )
  t.equal((await undo(denis, order, newestStep(cabinet, order))).statusCode, 303)
  t.same(
    await rung(),
    bells.map(() => 'unread no unread notifications'),
    'the open pages of everybody who was told hear of it',
  )
  t.same(db.select().from(notifications).all(), [])
  t.same(db.select().from(deliveries).all(), [])
  await later(ten, async () => {
    callWorker({ app, db })
    await (await as('maria')).post(`/orders/${order}/messages`, { text: 'And?' })
    await until(() => office.letters.length > 0)
  })
  t.same(
    office.letters.map(({ subject }) => subject),
    [`Order ${order}: message from Petrova Maria`],
  )
  t.same(telegram.messages, [])
})

t.test('a step can no longer be undone after ten seconds (422)', async (t) => {
  const cabinet = await start(t as never)
  const { as, order } = cabinet
  const maria = await as('maria')
  await move(cabinet, maria)
  const step = newestStep(cabinet, order)
  const answer = await at(untilOf(cabinet), () => undo(maria, order, step))
  t.equal(answer.statusCode, 422)
  t.match(textsByRole(answer, 'alert').join(), 'More than ten seconds have passed')
  t.equal(state(cabinet).status_id, statusId('paid'))
  t.equal(elementsOf((await later(ten, () => page(order, maria))).body, '[name=step]').length, 0)
})

t.test('a step sent once more offers its undoing until the last moment, and not after it', async (t) => {
  const cabinet = await start(t as never)
  const { as, order, transition } = cabinet
  const maria = await as('maria')
  const offered = async (moment?: number) => {
    const send = async () => {
      const fields = { transition_id: transition, receiver: 'Anna', once: 'sent-twice' }
      const { headers } = await maria.post(`/orders/${order}/transition`, fields)
      return undoFormOf(await maria.get(String(headers.location))).fields.step
    }
    return moment === undefined ? send() : at(moment, send)
  }
  const step = await offered()
  t.equal(Number(step), newestStep(cabinet, order))
  t.equal(await offered(untilOf(cabinet) - 1), step)
  t.equal(await offered(untilOf(cabinet)), undefined)
  t.equal(historyOf(cabinet, order).length, 1, 'all the same step')
})

t.test('a step is undone after a restart of the service, and nothing of it is sent', async (t) => {
  const cabinet = await start(t as never)
  const { app, as, db, office, telegram } = cabinet
  const denis = await as('denis')
  const { action, fields } = undoFormOf(await move(cabinet, denis))
  const restarted = await buildApp({ config: app.config, db })
  await restarted.ready()
  t.teardown(() => restarted.close())
  const cookie = [...denis.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
  t.same([office.letters, telegram.messages], [[], []], 'what was due later is not sent at the start')
  const answer = await restarted.inject({ method: 'POST', url: action, headers, payload: encode(fields) })
  t.equal(answer.statusCode, 303)
  t.equal(state(cabinet).status_id, statusId('payment'))
  t.same(db.select().from(deliveries).all(), [])
})

t.test('what others change of the company with the number of the order neither stops an undo nor is undone with it', async (t) => {
  const cabinet = await start(t as never)
  const { as, db, order } = cabinet
  const [maria, root] = [await as('maria'), await as('root')]
  const company = order
  const rename = async (org: string) => t.equal((await root.post(`/company/edit/${company}`, { org })).statusCode, 303)
  db.insert(companies).values({ id: company, org: 'Same number' }).onConflictDoNothing().run()
  const versionOf = () => db.select().from(companies).where(eq(companies.id, company)).get()?.version
  await rename('Before')
  await move(cabinet, maria)
  t.equal(versionOf(), historyOf(cabinet, order)[0]?.record_version, 'and the same version')
  await rename('After')
  t.equal((await undo(maria, order, newestStep(cabinet, order))).statusCode, 303)
  t.match(state(cabinet), { status_id: statusId('payment'), receiver: null, sn: null, deferred_payment: false })
  t.equal(db.select().from(companies).where(eq(companies.id, company)).get()?.org, 'After')
})

t.test('a step can no longer be undone once somebody else acted (409)', async (t) => {
  const cabinet = await start(t as never)
  const { as, cast, db } = cabinet
  const [maria, root] = [await as('maria'), await as('root')]
  const onward = transitionBetween(cabinet, 'paid', 'production')
  db.update(statusTransitions).set({ required_fields: [] }).where(eq(statusTransitions.id, onward.id)).run()
  const acts: [string, () => Promise<Answer>][] = [
    ['moved it', () => requestTransition(root, cabinet.order, onward.id)],
    ['saved a field', () => root.post(`/orders/edit/${cabinet.order}`, { comment: `Changed by Olga ${Math.random()}` })],
    [
      'saved a field in the name of whoever made the step',
      async () => {
        await root.get(`/impersonate/${cast.maria}`)
        const answer = await root.post(`/orders/edit/${cabinet.order}`, { comment: 'Changed by Olga as Maria' })
        await root.post('/impersonate/leave')
        return answer
      },
    ],
  ]
  for (const [what, act] of acts) {
    db.update(orders)
      .set({ status_id: statusId('payment') })
      .where(eq(orders.id, cabinet.order))
      .run()
    await move(cabinet, maria)
    const step = newestStep(cabinet, cabinet.order)
    t.equal((await act()).statusCode, 303, what)
    const before = orderOf(db, cabinet.order)
    const answer = await undo(maria, cabinet.order, step)
    t.equal(answer.statusCode, 409, what)
    t.match(textsByRole(answer, 'alert').join(), /(Root Olga|Petrova Maria) changed this order meanwhile/)
    t.same(orderOf(db, cabinet.order), before, `${what}: nothing was undone`)
  }
})

t.test('what the same person changed after a step stays when it is undone; a further step does not go under it (409)', async (t) => {
  const cabinet = await start(t as never)
  const { as, db, order } = cabinet
  const maria = await as('maria')
  db.update(users).set({ group_id: 1, superadmin: true }).where(eq(users.id, cabinet.cast.maria)).run()
  await move(cabinet, maria)
  const step = newestStep(cabinet, order)
  t.equal((await maria.post(`/orders/edit/${order}`, { comment: 'Kept', receiver: 'Corrected' })).statusCode, 303)
  t.equal((await undo(maria, order, step)).statusCode, 303)
  t.match(orderOf(db, order), { status_id: statusId('payment'), comment: 'Kept', receiver: 'Corrected', sn: null })
  await move(cabinet, maria)
  const first = newestStep(cabinet, order)
  const onward = transitionBetween(cabinet, 'paid', 'canceled')
  t.equal((await requestTransition(maria, order, onward.id)).statusCode, 303)
  t.equal((await undo(maria, order, first)).statusCode, 409)
  t.equal((await undo(maria, order, newestStep(cabinet, order))).statusCode, 303, 'the last one first')
  t.equal((await undo(maria, order, first)).statusCode, 409, 'what came between stays in the history')
})

t.test('only whoever made a step undoes it, in whose name ever (403)', async (t) => {
  const cabinet = await start(t as never)
  const { as, cast, db, order } = cabinet
  const [maria, root, denis] = [await as('maria'), await as('root'), await as('denis')]
  await move(cabinet, maria)
  const step = newestStep(cabinet, order)
  for (const other of [root, denis]) t.equal((await undo(other, order, step)).statusCode, 403)
  await root.get(`/impersonate/${cast.maria}`)
  t.equal((await undo(root, order, step)).statusCode, 403, 'not in the name of whoever made it')
  t.equal(state(cabinet).status_id, statusId('paid'))
  t.equal((await undo(maria, order, step)).statusCode, 303)
  await move(cabinet, root)
  const shown = newestStep(cabinet, order)
  t.equal((await undo(maria, order, shown)).statusCode, 403, 'nor what somebody else did in one’s own')
  t.equal((await undo(root, order, shown)).statusCode, 303)
  t.equal((await undo(await as('daria'), order, shown)).statusCode, 403, 'nor who does not see the order')
  t.equal(
    db
      .select()
      .from(orderHistory)
      .where(and(eq(orderHistory.order_id, order), eq(orderHistory.undoes_id, shown)))
      .all().length,
    1,
  )
})

t.test('only steps are undone: no creation, no undo, no step of many at once or of another order (422, 409)', async (t) => {
  const cabinet = await start(t as never)
  const { as, cast, db, order, transition } = cabinet
  const [maria, root] = [await as('maria'), await as('root')]
  const placed = Number(
    /\d+$/.exec(String((await root.post('/orders/add', { dealer_id: cast.denis, items: '', without_lines: 1 })).headers.location))?.[0],
  )
  t.equal((await undo(root, placed, newestStep(cabinet, placed))).statusCode, 422, 'a new order')
  await root.post('/orders/transitions', { transition_id: transition, id: order, receiver: 'Anna' })
  t.equal(state(cabinet).status_id, statusId('paid'))
  t.equal((await undo(root, order, newestStep(cabinet, order))).statusCode, 422, 'many at once')
  t.ok(
    db
      .select()
      .from(deliveries)
      .all()
      .every(({ next_at }) => next_at <= Date.now()),
    'which are sent at once',
  )
  db.update(orders)
    .set({ status_id: statusId('payment'), receiver: null })
    .where(eq(orders.id, order))
    .run()
  await move(cabinet, maria)
  const step = newestStep(cabinet, order)
  const other = insertOrder(cabinet, 'new', { dealer_id: cast.denis })
  t.equal((await undo(maria, other, step)).statusCode, 422, 'another order')
  for (const wrong of ['', 'word', -1, 999_999, `${step}.5`]) t.equal((await undo(maria, order, wrong)).statusCode, 422, `step ${wrong}`)
  t.equal((await undo(maria, order, step)).statusCode, 303)
  const twice = await undo(maria, order, step)
  t.equal(twice.statusCode, 409, 'twice')
  t.match(textsByRole(twice, 'alert').join(), 'This step was already undone.')
  t.equal((await undo(maria, order, newestStep(cabinet, order))).statusCode, 422, 'an undo')
})

t.test('a step whose former status was deleted meanwhile is not undone (409)', async (t) => {
  const cabinet = await start(t as never)
  const { as, db, order } = cabinet
  const maria = await as('maria')
  await move(cabinet, maria)
  const step = newestStep(cabinet, order)
  db.delete(statuses)
    .where(eq(statuses.id, statusId('payment')))
    .run()
  t.equal((await undo(maria, order, step)).statusCode, 409)
  t.equal(state(cabinet).status_id, statusId('paid'))
})

t.test('an order whose step was taken back twice has been in its status for as long as before', async (t) => {
  const cabinet = await start(t as never)
  const { as, db, order } = cabinet
  const maria = await as('maria')
  db.update(orders).set({ created_at: 1000, status_since: 1000 }).where(eq(orders.id, order)).run()
  for (const _ of ['once', 'again']) {
    await move(cabinet, maria)
    t.ok(state(cabinet).status_since > 1000)
    t.equal((await undo(maria, order, newestStep(cabinet, order))).statusCode, 303)
    t.equal(state(cabinet).status_since, 1000)
  }
})

t.test('several orders that are moved on the board at once are not undone, and their notifications do not wait', async (t) => {
  const cabinet = await start(t as never)
  const { as, db, order, transition } = cabinet
  const other = insertOrder(cabinet, 'payment', {})
  const root = await as('root')
  const body = { transition_id: transition, receiver: 'Anna', board: 1 }
  const answer = await root.post('/orders/transitions', { ...body, id: [order, other] })
  t.equal(answer.statusCode, 303, textOf(answer.body))
  for (const id of [order, other]) t.match(historyOf(cabinet, id), [{ to_status_id: statusId('paid'), undo_until: null }])
  const board = await root.get('/orders/board')
  t.match(textsByRole(board, 'status').join(), '2 orders moved')
  t.same(elementsOf(board.body, '.flash form'), [])
  const soon = Date.now()
  t.ok(
    db
      .select()
      .from(deliveries)
      .all()
      .every(({ next_at }) => next_at <= soon),
  )
})

t.test('steps on the card and on the board are undone there, too', async (t) => {
  const cabinet = await start(t as never)
  const { as, order, transition } = cabinet
  const root = await as('root')
  const body = { transition_id: transition, receiver: 'Anna' }
  const places: [string, () => Promise<Answer>, string][] = [
    ['card', () => root.post(`/orders/edit/${order}/transition`, body), `/orders/edit/${order}`],
    ['board', () => root.post('/orders/transitions', { ...body, id: order, board: 1 }), `/orders/board?moved=${order}`],
  ]
  for (const [place, step, back] of places) {
    t.equal((await step()).headers.location, back, place)
    const { action, fields } = undoFormOf(await root.get(back))
    const answer = await root.post(action, fields, { referer: `http://localhost${back}` })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, back)
    t.equal(state(cabinet).status_id, statusId('payment'))
  }
  const queue = '?status=3'
  const step = await root.post(`/orders/${order}/transition`, { ...body, back: queue })
  const { action, fields } = undoFormOf(await root.get(String(step.headers.location)))
  const undone = await root.post(action, fields)
  t.equal(undone.headers.location, `/orders/${order}?${new URLSearchParams({ back: queue })}`, 'to the order, and from there to its list')
  const fragment = await root.post(`/orders/edit/${order}/transition`, body, { 'hx-request': 'true', 'hx-request-type': 'partial' })
  t.equal(elementsOf(fragment.body, '.flash [name=step]').length, 1)
})
