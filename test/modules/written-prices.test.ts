import { eq, inArray } from 'drizzle-orm'
import t from 'tap'
import {
  changes,
  companies,
  orderItems,
  orders,
  productPrices,
  products,
  settings,
  statusTransitions,
  users,
} from '../../src/database/schema/index.ts'
import { type Answer, type Browser, type Fields, htmx } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { elementsOf, errorsOf, fieldOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import {
  historyOf,
  insertOrder,
  linesOf,
  orderOf,
  requestTransition,
  snapshotOrders,
  startWithDiscounts,
  statusId,
  transitionBetween,
} from '../support/orders.ts'
import { dayIn, insertProduct, useCatalog } from '../support/products.ts'

/** An order of two handles at 900, written so many days ago; a handle costs Alpha 1 080 today. A bolt costs what it did. */
async function start(test: Parameters<typeof startWithDiscounts>[0], days = 15) {
  const cabinet = await startWithDiscounts(test)
  const { db, cast, doors, alpha } = cabinet
  useCatalog(db, { vat: '20' })
  const handle = insertProduct(db, { article: 'H-1', name: 'Handle', category_id: doors }, [
    [dayIn(-60), 100_000],
    [dayIn(-1), 120_000],
  ])
  const bolt = insertProduct(db, { article: 'B-1', name: 'Bolt', category_id: doors }, [[dayIn(-60), 10_000]])
  const write = (status = 'new') => {
    const id = insertOrder(cabinet, status, { dealer_id: cast.denis, company_id: alpha, cost: 189_000 })
    const common = { order_id: id, category_id: doors, discount: 10, unit: 'pcs', basis: 'each', price_origin: 'base', vat: '10' } as const
    const priced_on = dayIn(-days)
    db.insert(orderItems)
      .values([
        { ...common, name: 'Handle', article: 'H-1', product_id: handle, quantity: 2, price: 100_000, piece_price: 90_000, priced_on },
        { ...common, name: 'Bolt', article: 'B-1', product_id: bolt, quantity: 1, price: 10_000, piece_price: 9000, priced_on },
      ])
      .run()
    return id
  }
  const step = transitionBetween(cabinet, 'new', 'apply').id
  return { ...cabinet, handle, bolt, write, step, order: write() }
}

const isAsked = (answer: Answer) => answer.statusCode === 422 && 'prices' in errorsOf(answer)
const answersOf = (answer: Answer) => elementsOf(answer.body, 'select[name="prices"] option').map((option) => textOf(option))

async function boardAsks(browser: Browser, { order, step }: { order: number; step: number }): Promise<boolean> {
  const button = parseHtml((await browser.get('/orders/board')).body)(`[data-order="${order}"] button[value="${step}"]`)
  t.equal(button.length, 1)
  return button.attr('formmethod') === 'get'
}

t.test('a written price holds for the days of the setting; a day later the step asks, with both sums', async (t) => {
  const fresh = await start(t, 14)
  const methodOf = (page: Answer, step: number) =>
    parseHtml(page.body)(':is(.order-steps, .order-rest) > form').has(`[value="${step}"]`).attr('method')
  t.equal(methodOf(await (await fresh.as('denis')).get(`/orders/${fresh.order}`), fresh.step), 'post', 'nothing to ask')
  t.notOk(await boardAsks(await fresh.as('denis'), fresh))
  t.equal((await requestTransition(await fresh.as('denis'), fresh.order, fresh.step)).statusCode, 303)
  t.match(linesOf(fresh.db, fresh.order), [{ piece_price: 90_000 }, { piece_price: 9000 }])
  const { as, db, order, step } = await start(t)
  const denis = await as('denis')
  t.equal(methodOf(await denis.get(`/orders/${order}`), step), 'get', 'the button leads to the question')
  t.ok(await boardAsks(denis, { order, step }), 'so does that of the board')
  const places: [string, Record<string, string>][] = [
    [`/orders/edit/${order}/transition`, {}],
    [`/orders/edit/${order}/transition`, htmx],
    [`/orders/${order}/transition`, {}],
    [`/orders/${order}/transition`, htmx],
  ]
  for (const [address, headers] of places) {
    const answer = await denis.post(address, { transition_id: step, note: 'as agreed' }, headers)
    t.ok(isAsked(answer), `${address} ${answer.statusCode}`)
    t.match(errorsOf(answer).prices?.replaceAll(/\s/g, ' '), /for 1 890.* costs 2 250/)
    t.same(answersOf(answer), ['Not selected', 'Prices of today'])
    t.equal(fieldOf(answer, 'note')?.value, 'as agreed')
  }
  t.match(orderOf(db, order), { status_id: statusId('new'), cost: 189_000 })
  const asked = await denis.get(`/orders/${order}?transition_id=${step}`)
  t.match(textOf(asked.body).replaceAll(/\s/g, ' '), /for 1 890.* costs 2 250/, 'asked before it is tried')
  t.same(answersOf(asked), ['Not selected', 'Prices of today'])
  db.update(settings).set({ price_days: 15 }).run()
  t.equal((await requestTransition(denis, order, step)).statusCode, 303, 'the setting decides')
})

t.test('prices that are the same today, another status, and an order without the catalog are not asked about', async (t) => {
  const { as, db, handle, order, step, write, ...cabinet } = await start(t)
  const denis = await as('denis')
  const later = write('apply')
  const cancel = transitionBetween({ ...cabinet, db, as } as Parameters<typeof transitionBetween>[0], 'apply', 'canceled').id
  t.equal((await requestTransition(await as('maria'), later, cancel)).statusCode, 303, 'another status')
  const off = write()
  db.update(settings).set({ catalog: false }).run()
  t.equal((await requestTransition(denis, off, step)).statusCode, 303, 'catalog off')
  db.update(settings).set({ catalog: true }).run()
  t.ok(isAsked(await requestTransition(denis, order, step)))
  db.delete(productPrices).where(eq(productPrices.price, 120_000)).run()
  t.equal((await requestTransition(denis, order, step)).statusCode, 303, 'the same price')
  const gone = write()
  db.update(products).set({ active: false }).where(eq(products.id, handle)).run()
  t.equal((await requestTransition(denis, gone, step)).statusCode, 303, 'no longer sold')
  t.match(linesOf(db, gone), [{ piece_price: 90_000 }, {}])
})

t.test('prices=renew writes the lines whose days are over at the prices of today, with history', async (t) => {
  const { as, db, order, step, handle, doors } = await start(t)
  const [, bolt] = linesOf(db, order)
  const recent = { order_id: order, category_id: doors, name: 'Late', quantity: 1, discount: 0, product_id: handle }
  db.insert(orderItems)
    .values({ ...recent, price: 500, piece_price: 500, unit: 'pcs', basis: 'each', priced_on: dayIn(-3) })
    .run()
  db.update(orders).set({ cost: 189_500 }).where(eq(orders.id, order)).run()
  const answer = await requestTransition(await as('denis'), order, step, { prices: 'renew' })
  t.equal(answer.statusCode, 303, String(textsByRole(answer, 'alert')))
  t.match(linesOf(db, order), [
    { price: 120_000, discount: 10, piece_price: 108_000, priced_on: dayIn(0), vat: '20', quantity: 2, name: 'Handle' },
    { id: bolt?.id, piece_price: 9000, priced_on: dayIn(0) },
    { name: 'Late', piece_price: 500, priced_on: dayIn(-3) },
  ])
  t.match(orderOf(db, order), { status_id: statusId('apply'), cost: 225_500 })
  const logged = db.select().from(changes).where(eq(changes.record_id, order)).all()
  const renewal = logged.find(({ entity, fields }) => entity === 'orders' && fields && 'items' in fields)
  t.match(renewal?.fields, { cost: [189_500, 225_500], items: [[{ piece_price: 90_000 }], [{ piece_price: 108_000 }]] })
  t.equal(historyOf({ db }, order).length, 1)
})

t.test('staff who may edit the lines keep the prices; nobody else does', async (t) => {
  const { as, db, order, step, write } = await start(t)
  const refused = await requestTransition(await as('denis'), order, step, { prices: 'keep' })
  t.equal(refused.statusCode, 403)
  t.match(orderOf(db, order), { status_id: statusId('new'), cost: 189_000 })
  const root = await as('root')
  const asked = await requestTransition(root, order, step)
  t.ok(isAsked(asked))
  t.same(answersOf(asked), ['Not selected', 'Prices of today', 'Prices as written'])
  t.equal((await requestTransition(root, order, step, { prices: 'other' })).statusCode, 422)
  t.equal((await requestTransition(root, order, step, { prices: 'keep' })).statusCode, 303)
  t.match(linesOf(db, order), [{ piece_price: 90_000, priced_on: dayIn(-15) }, { piece_price: 9000 }])
  t.match(orderOf(db, order), { status_id: statusId('apply'), cost: 189_000 })
  const others = write()
  t.equal((await requestTransition(await as('maria'), others, step, { prices: 'keep' })).statusCode, 303, 'their manager')
})

t.test('the test of the workflow says that a step asks, and which lines wait for their prices, and goes on', async (t) => {
  const cabinet = await start(t)
  const { as, db, cast, order, step } = cabinet
  const waiting = transitionBetween(cabinet, 'apply', 'payment')
  db.update(statusTransitions)
    .set({ required_fields: ['prices'] })
    .where(inArray(statusTransitions.id, [waiting.id, transitionBetween(cabinet, 'payment', 'paid').id]))
    .run()
  db.insert(orderItems).values({ order_id: order, name: 'Arch', quantity: 1, price: null, discount: 0 }).run()
  const before = snapshotOrders(db)
  const steps = async (...way: number[]) => {
    const answer = await (await as('root')).get(`/orders/try?order=${order}&role=administrator${way.map((id) => `&way=${id}`).join('')}`)
    t.equal(answer.statusCode, 200)
    return elementsOf(answer.body, '.timeline-event').map((one) => textOf(one).replaceAll(/\s/g, ' '))
  }
  const [first, second, third] = await steps(step, waiting.id, transitionBetween(cabinet, 'payment', 'paid').id)
  t.match(first, /for 1 890.* costs 2 250.* Choose which prices apply/)
  t.match(second, 'Required fields: Prices of all lines')
  t.notMatch(second, 'Choose which prices apply')
  t.match(third, 'Required fields: —', 'they have them by then')
  grant(db, cast.clerk, 'order_can_view', 'status_can_view')
  revoke(db, cast.clerk, 'order_can_view_prices')
  const blind = await (await as('clerk')).get(`/orders/try?order=${order}&role=administrator&way=${step}`)
  t.match(textOf(blind.body), 'Somebody who sees them has to confirm them')
  t.notMatch(textOf(blind.body).replaceAll(/\s/g, ' '), /1 890|2 250/)
  t.equal(snapshotOrders(db), before)
})

t.test('what is not sold like that any more stays as written, and so does the category that was chosen', async (t) => {
  const { as, db, doors, windows, handle, order, step } = await start(t)
  const window = insertProduct(db, { article: 'W-1', name: 'Window', category_id: doors, unit: 'm2', basis: 'area' }, [
    [dayIn(-60), 50_000],
  ])
  const size = { width: 1000, height: 2000, unit: 'm2', basis: 'area' } as const
  const price = { quantity: 1, price: 40_000, discount: 10, piece_price: 72_000, price_origin: 'base', priced_on: dayIn(-15) } as const
  db.insert(orderItems)
    .values({ order_id: order, category_id: doors, name: 'Window', article: 'W-1', product_id: window, ...size, ...price })
    .run()
  db.update(products).set({ basis: 'each', unit: 'pcs' }).where(eq(products.id, window)).run()
  db.update(orderItems).set({ category_id: windows }).where(eq(orderItems.product_id, handle)).run()
  t.equal((await requestTransition(await as('denis'), order, step, { prices: 'renew' })).statusCode, 303)
  t.match(linesOf(db, order), [
    { category_id: windows, price: 120_000, discount: 15, price_origin: 'category', piece_price: 102_000 },
    { piece_price: 9000 },
    { price: 40_000, piece_price: 72_000, priced_on: dayIn(-15) },
  ])
})

t.test('many at once leave it where it is and say why', async (t) => {
  const { as, db, order, step, bolt, write } = await start(t)
  const same = write()
  db.delete(orderItems).where(eq(orderItems.order_id, same)).run()
  t.ok(bolt)
  for (const fields of [{}, { prices: 'renew' }, { board: 1 }] as Fields[]) {
    const answer = await (await as('root')).post('/orders/transitions', { id: order, transition_id: step, ...fields })
    t.equal(answer.statusCode, 200)
    t.match(textOf(answer.body).replaceAll(/\s/g, ' '), /for 1 890.* costs 2 250/)
  }
  const both = await (await as('root')).post('/orders/transitions', { id: [order, same], transition_id: step })
  t.match(both.body, `data-result="${order}" data-moved="0"`)
  t.match(both.body, `data-result="${same}" data-moved="1"`)
  t.equal(orderOf(db, order).status_id, statusId('new'))
})

t.test('a step that is undone leaves the renewed prices: cost and lines agree', async (t) => {
  const { as, db, order, step } = await start(t)
  const denis = await as('denis')
  t.equal((await requestTransition(denis, order, step, { prices: 'renew' })).statusCode, 303)
  const [latest] = historyOf({ db }, order)
  t.equal((await denis.post(`/orders/${order}/undo`, { step: Number(latest?.id) })).statusCode, 303)
  t.match(orderOf(db, order), { status_id: statusId('new'), cost: 225_000 })
  t.match(linesOf(db, order), [{ piece_price: 108_000 }, { piece_price: 9000 }])
})

t.test('whoever sees no prices is refused without the sums', async (t) => {
  const { as, db, cast, order, step } = await start(t)
  revoke(db, cast.maria, 'order_can_view_prices')
  const maria = await as('maria')
  for (const fields of [{}, { prices: 'renew' }, { prices: 'keep' }] as Fields[]) {
    const answer = await requestTransition(maria, order, step, fields)
    t.equal(answer.statusCode, 422)
    t.match(textOf(answer.body), 'Somebody who sees them has to confirm them')
    t.notMatch(textOf(answer.body).replaceAll(/\s/g, ' '), /1 890|2 250/)
  }
  t.match(orderOf(db, order), { status_id: statusId('new'), cost: 189_000 })
})

t.test(
  'whoever may exceed the credit limit says why where the prices of today exceed it, and need not where those written do not',
  async (t) => {
    const { as, db, cast, alpha, order, step, write } = await start(t)
    grant(db, cast.maria, 'order_can_exceed_limit')
    db.update(companies).set({ credit_limit: 200_000 }).where(eq(companies.id, alpha)).run()
    db.update(statusTransitions).set({ within_limit: true }).where(eq(statusTransitions.id, step)).run()
    const maria = await as('maria')
    t.ok(fieldOf(await maria.get(`/orders/${order}?transition_id=${step}`), 'exceed_reason'), 'asked beforehand')
    const refused = await requestTransition(maria, order, step, { prices: 'renew' })
    t.equal(refused.statusCode, 422)
    t.equal(errorsOf(refused).exceed_reason?.replaceAll(/\s/g, ' '), 'Exceeds the credit limit of the company by 250,00 ₽')
    t.match(orderOf(db, order), { status_id: statusId('new'), cost: 189_000 })
    const kept = write()
    t.equal((await requestTransition(maria, kept, step, { prices: 'keep', exceed_reason: 'For nothing' })).statusCode, 303)
    t.match([orderOf(db, kept).cost, historyOf({ db }, kept)[0]?.exceed_reason], [189_000, null])
    t.equal((await requestTransition(maria, order, step, { prices: 'renew', exceed_reason: 'Pays tomorrow' })).statusCode, 303)
    t.match([orderOf(db, order).cost, historyOf({ db }, order)[0]?.exceed_reason], [225_000, 'Pays tomorrow'])
  },
)

t.test('prices as written are kept by those only who may edit the lines of the order (403)', async (t) => {
  const { as, db, cast, order, step } = await start(t)
  const clerk = await as('clerk')
  const offered = async () => answersOf(await clerk.get(`/orders/${order}?transition_id=${step}`))
  grant(db, cast.clerk, 'order_can_view_prices', 'order_can_edit')
  t.same(await offered(), ['Not selected', 'Prices of today', 'Prices as written'])
  revoke(db, cast.clerk, 'order_can_edit')
  t.same(await offered(), ['Not selected', 'Prices of today'])
  t.equal((await requestTransition(clerk, order, step, { prices: 'keep' })).statusCode, 403)
  t.equal(orderOf(db, order).status_id, statusId('new'))
})

t.test('prices are renewed by the terms of the company that the order belongs to now', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, order, step, handle } = cabinet
  const { alpha, beta } = cast.companies
  db.update(companies).set({ discount: 50 }).where(eq(companies.id, beta)).run()
  db.update(users).set({ company_id: beta }).where(eq(users.id, cast.denis)).run()
  t.match(orderOf(db, order), { company_id: alpha, owner_company_id: beta })
  const [mikhail, denis] = [await as('mikhail'), await as('denis')]
  const wide = { items: '', 'items[0][id]': Number(linesOf(db, order)[0]?.id), 'items[0][product_id]': handle, 'items[0][quantity]': 2 }
  const priced = await denis.post(
    `/orders/add/price?order=${order}`,
    { ...wide, 'items[1][product_id]': handle, 'items[1][quantity]': 1 },
    htmx,
  )
  t.match(priced.body, /id="items.1.piece" data-kopecks="60000"/, 'and so is what is added')
  t.match(errorsOf(await requestTransition(mikhail, order, step)).prices, /1 250,00/, 'as the question says')
  t.equal((await requestTransition(denis, order, step, { prices: 'renew' })).statusCode, 303)
  t.match(linesOf(db, order), [
    { price: 120_000, discount: 50, piece_price: 60_000 },
    { discount: 50, piece_price: 5000 },
  ])
})
