import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { wrongBalances } from '../../src/database/ledger-balances.ts'
import { allocations, companies, orders, payments, settings } from '../../src/database/schema/index.ts'
import { allocationsOf } from '../../src/modules/ledger/allocations.ts'
import { companyBalance, lackOf } from '../../src/modules/ledger/balance.ts'
import { settleOrder } from '../../src/modules/ledger/book.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { insertDeputy } from '../support/deputies.ts'
import { parseHtml, textOf, textsByRole } from '../support/html.ts'
import { balanceOf, entriesOf, insertEntry, insertPayment } from '../support/ledger.ts'
import { insertOrder, statusId } from '../support/orders.ts'
import { dayIn } from '../support/products.ts'

/** Two orders of Alpha over 1000 and 500 rubles, and one of Beta. Maria manages Alpha and may confirm. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast } = cabinet
  const { alpha, beta } = cast.companies
  const place = (cost: number, of: 'alpha' | 'beta' = 'alpha') =>
    insertOrder(cabinet, 'apply', {
      ...(of === 'alpha' ? { dealer_id: cast.denis, company_id: alpha } : { dealer_id: cast.daria, company_id: beta }),
      cost,
    })
  const [first, second, foreign] = [place(100_000), place(50_000), place(70_000, 'beta')]
  for (const name of ['maria', 'mikhail'] as const) grant(db, cast[name], 'payment_can_confirm')
  const sheet = (parts: [order: number, amount: string][]) =>
    Object.fromEntries(
      parts.flatMap(([order, amount], at) => [
        [`allocations[${at}][order_id]`, order],
        [`allocations[${at}][amount]`, amount],
      ]),
    )
  const body = (amount: string, parts: [number, string][] = []) => ({
    company_id: alpha,
    amount,
    date: '2026-02-03',
    kind: 'transfer',
    note: 'Advance',
    allocations: '',
    ...sheet(parts),
  })
  const newest = () => db.select().from(payments).all().at(-1) as typeof payments.$inferSelect
  return { ...cabinet, alpha, beta, first, second, foreign, sheet, body, newest, place }
}

const lacks = ({ db }: Pick<Cabinet, 'db'>, ...ids: number[]) => ids.map((id) => lackOf(db, id))

t.test('one payment pays two orders, and what is left of it is credit of the company', async (t) => {
  const started = await start(t)
  const { as, db, alpha, first, second, body, newest } = started
  const answer = await (await as('admin')).post(
    '/payments/add',
    body('1200', [
      [first, '1000'],
      [second, '150,50'],
    ]),
  )
  t.equal(answer.statusCode, 303, textOf(answer.body))
  const { id, ...payment } = newest()
  t.equal(answer.headers.location, `/payments/${id}`)
  t.match(payment, { company_id: alpha, order_id: null, state: 'confirmed', amount: 120_000, allocated: 115_050, date: '2026-02-03' })
  t.same(lacks(started, first, second), [0, 34_950])
  t.same([balanceOf(db, alpha), companyBalance(db, alpha).credit], [120_000, 4950])
  t.same(
    db
      .select()
      .from(allocations)
      .all()
      .map(({ order_id, amount, date }) => [order_id, amount, date]),
    [
      [first, 100_000, '2026-02-03'],
      [second, 15_050, '2026-02-03'],
    ],
  )
  const page = parseHtml((await (await as('denis')).get(`/payments/${id}`)).body)
  t.same(
    page('[data-allocation]')
      .toArray()
      .map((one) => page(one).attr('data-allocation')),
    [String(first), String(second)],
  )
  t.equal(page('[data-credit]').attr('data-kopecks'), '4950')
  t.equal(wrongBalances(db.$client), 0)
})

t.test(
  'more than an order lacks stays credit; more than the payment, a foreign order and one named twice are refused at their rows',
  async (t) => {
    const started = await start(t)
    const { as, db, alpha, first, second, foreign, body } = started
    const admin = await as('admin')
    t.equal((await admin.post('/payments/add', body('700', [[second, '700']]))).statusCode, 303)
    t.same([...lacks(started, second), companyBalance(db, alpha).credit], [0, 20_000])
    const refused = async (parts: [number, string][], message: string | RegExp) => {
      const before = db.select().from(payments).all().length
      const answer = await admin.post('/payments/add', body('300', parts))
      t.equal(answer.statusCode, 422, String(message))
      t.match(textOf(answer.body), message)
      t.match(answer.body, '>Advance</textarea>', 'nothing typed is lost')
      t.equal(db.select().from(payments).all().length, before)
    }
    await refused([[first, '300,01']], 'This is more than the payment.')
    await refused([[foreign, '100']], 'This company has no such order.')
    await refused([[99_999, '100']], 'This company has no such order.')
    await refused(
      [
        [first, '100'],
        [first, '50'],
      ],
      'This order is named twice.',
    )
    await refused([[first, 'x']], /Enter an amount/)
  },
)

t.test('dealers report for their own company only, managers enter for theirs, and nobody else', async (t) => {
  const { as, db, alpha, beta, first, foreign, body, newest, cast } = await start(t)
  const denis = await as('denis')
  t.equal((await denis.post('/payments/add', { ...body('100', [[first, '100']]), company_id: beta })).statusCode, 303)
  t.match(newest(), { company_id: alpha, state: 'reported', allocated: 0, reporter_id: cast.denis }, 'of the own company, to be confirmed')
  t.equal(db.select().from(allocations).all().length, 0)
  const maria = await as('maria')
  t.equal((await maria.post('/payments/add', body('100', [[first, '100']]))).statusCode, 303)
  const other = await maria.post('/payments/add', { ...body('100', [[foreign, '100']]), company_id: beta })
  t.equal(other.statusCode, 422)
  t.match(textOf(other.body), 'Choose a value from the list.')
  t.equal((await (await as('pavel')).post('/payments/add', body('100'))).statusCode, 403)
  t.equal((await (await as('pavel')).get('/payments/add')).statusCode, 403)
})

t.test('what a payment pays is replaced: moved to another order, or taken back', async (t) => {
  const started = await start(t)
  const { as, db, alpha, first, second, foreign, body, newest, sheet } = started
  const admin = await as('admin')
  await admin.post('/payments/add', body('600', [[first, '600']]))
  const { id } = newest()
  const path = `/payments/${id}/allocations`
  t.equal(
    (
      await admin.post(path, {
        allocations: '',
        ...sheet([
          [second, '500'],
          [first, '100'],
        ]),
      })
    ).statusCode,
    303,
  )
  t.same(lacks(started, first, second), [90_000, 0])
  t.equal((await admin.post(path, { allocations: '' })).statusCode, 303)
  t.same([...lacks(started, first, second), companyBalance(db, alpha).credit], [100_000, 50_000, 60_000])
  t.equal((await admin.post(path, { allocations: '', ...sheet([[foreign, '1']]) })).statusCode, 422)
  t.equal((await admin.post(path, { allocations: '', ...sheet([[first, '600,01']]) })).statusCode, 422)
  for (const name of ['denis', 'clerk'] as const) {
    const answer = await (await as(name)).post(path, { allocations: '', ...sheet([[first, '1']]) })
    t.equal(answer.statusCode, name === 'clerk' ? 303 : 403, name)
  }
  const reported = insertPayment(db, first)
  t.equal((await admin.post(`/payments/${reported}/allocations`, { allocations: '', ...sheet([[first, '1']]) })).statusCode, 409)
  t.equal(wrongBalances(db.$client), 0)
})

t.test('a payment that was reported for one order and pays another does not stand at the first any more', async (t) => {
  const { as, db, first, second, newest, sheet } = await start(t)
  const [admin, denis] = [await as('admin'), await as('denis')]
  await denis.post(`/orders/${first}/payments`, { amount: '100', date: '2026-02-03', kind: 'cash' })
  const { id } = newest()
  await admin.post(`/payments/${id}/confirm`)
  const shown = async (order: number) => parseHtml((await denis.get(`/orders/${order}`)).body)(`#payments [data-payment="${id}"]`).length
  t.same([await shown(first), await shown(second)], [1, 0])
  await admin.post(`/payments/${id}/allocations`, { allocations: '', ...sheet([[second, '100']]) })
  t.same([await shown(first), await shown(second)], [0, 1])
  t.equal(db.select().from(payments).where(eq(payments.id, id)).get()?.order_id, null)
})

t.test('credit pays an order from its page: what it lacks, or an amount, never more than there is; dealers their own', async (t) => {
  const started = await start(t)
  const { as, db, alpha, first, second, foreign, body, cast } = started
  const admin = await as('admin')
  await admin.post('/payments/add', body('700'))
  const denis = await as('denis')
  const page = parseHtml((await denis.get(`/orders/${second}`)).body)
  t.equal(page('.order-steps [data-credit]').attr('data-kopecks'), '70000', 'beside the step')
  const pay = (order: number, amount?: string, name: 'denis' | 'daria' | 'admin' = 'denis') =>
    as(name).then((client) => client.post(`/orders/${order}/pay-from-balance`, amount === undefined ? {} : { amount }))
  t.equal((await pay(second)).statusCode, 303)
  t.same([...lacks(started, second), companyBalance(db, alpha).credit], [0, 20_000])
  const twice = await pay(second)
  t.equal(twice.statusCode, 422)
  t.match(textsByRole(twice, 'alert').join(), 'There is nothing to pay.')
  const beyond = await pay(first, '200,01')
  t.equal(beyond.statusCode, 422)
  t.match(textsByRole(beyond, 'alert').join().replaceAll(/\s/g, ' '), 'The credit of the company is 200,00 ₽.')
  for (const amount of ['0', '-5', 'x']) t.equal((await pay(first, amount)).statusCode, 422, amount)
  t.equal((await pay(first, '50')).statusCode, 303)
  t.same([...lacks(started, first), companyBalance(db, alpha).credit], [95_000, 15_000])
  t.equal((await pay(first, undefined, 'daria')).statusCode, 403, 'a stranger')
  t.equal((await pay(foreign, undefined, 'admin')).statusCode, 422, 'the other company has none')
  t.equal(parseHtml((await denis.get(`/orders/${second}`)).body)('[data-credit]').length, 0, 'an order that lacks nothing')
  t.ok(cast.denis)
})

t.test('who only reads an order is offered no credit for it, whoever looks after the company that is charged with it', async (t) => {
  const started = await start(t)
  const { as, db, cast, alpha, beta, body, foreign } = started
  insertEntry(db, alpha, { order_id: foreign, amount: -70_000 })
  await (await as('admin')).post('/payments/add', body('700'))
  const credits = async (name: 'maria' | 'admin') =>
    parseHtml((await (await as(name)).get(`/orders/${foreign}`)).body)('[data-credit]').length
  db.update(companies).set({ manager_id: cast.mikhail }).where(eq(companies.id, beta)).run()
  insertDeputy(db, cast.mikhail, cast.maria, { reading: true })
  t.same([await credits('admin'), await credits('maria')], [1, 0])
})

t.test('two people who allocate one credit at once get it once', async (t) => {
  const started = await start(t)
  const { as, db, alpha, first, second, body } = started
  const [admin, denis] = [await as('admin'), await as('denis')]
  await admin.post('/payments/add', body('500'))
  const answers = await Promise.all([
    admin.post(`/orders/${first}/pay-from-balance`, { amount: '500' }),
    denis.post(`/orders/${second}/pay-from-balance`, { amount: '500' }),
  ])
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [303, 422])
  t.equal(companyBalance(db, alpha).credit, 0)
})

t.test('a canceled order gives back what paid it, and takes it again when the step is undone; so does one that costs less', async (t) => {
  const started = await start(t)
  const { as, db, alpha, first, body } = started
  const admin = await as('admin')
  await admin.post('/payments/add', body('1000', [[first, '1000']]))
  const undo = await cancelOrder(t, started, first)
  t.equal(companyBalance(db, alpha).credit, 100_000)
  t.equal(lackOf(db, first), 0, 'nothing is owed for it')
  t.equal((await undo()).statusCode, 303)
  t.same([companyBalance(db, alpha).credit, ...lacks(started, first)], [0, 0])
  t.equal(wrongBalances(db.$client), 0)
})

t.test('what an order gave back returns to it only as far as it pays nothing else, and not once its payment is reversed', async (t) => {
  const started = await start(t)
  const { as, db, alpha, first, second, body, newest, sheet } = started
  const admin = await as('admin')
  await admin.post('/payments/add', body('1000', [[first, '1000']]))
  const { id } = newest()
  let undo = await cancelOrder(t, started, first)
  await admin.post(`/payments/${id}/allocations`, { allocations: '', ...sheet([[second, '300']]) })
  t.equal((await undo()).statusCode, 303)
  t.same([companyBalance(db, alpha).credit, ...lacks(started, first, second)], [0, 30_000, 20_000])
  undo = await cancelOrder(t, started, first)
  t.equal((await admin.post(`/payments/${id}/reverse`, { reason: 'Wrong', date: dayIn(0) })).statusCode, 303)
  t.equal((await undo()).statusCode, 303)
  t.same([companyBalance(db, alpha).credit, ...lacks(started, first, second)], [0, 100_000, 50_000])
  t.equal(wrongBalances(db.$client), 0)
})

t.test('a payment stays at the order that it names as long as it has not paid it, and leaves it with what it paid', async (t) => {
  const { as, first, second, newest, body, sheet } = await start(t)
  const admin = await as('admin')
  const { amount, date, kind } = body('1000')
  const enter = () => admin.post(`/orders/${first}/payments`, { amount, date, kind })
  const allocateTo = (split: Parameters<typeof sheet>[0]) =>
    admin.post(`/payments/${newest().id}/allocations`, { allocations: '', ...sheet(split) })
  await enter()
  await enter()
  t.match(newest(), { order_id: first, allocated: 0 }, 'the first has paid it already')
  await allocateTo([[second, '500']])
  t.match(newest(), { order_id: first, allocated: 50_000 })
  await admin.post(`/payments/${newest().id - 1}/allocations`, { allocations: '' })
  await allocateTo([[first, '500']])
  await allocateTo([[second, '500']])
  t.match(newest(), { order_id: null, allocated: 50_000 })
})

/** @returns what undoes the step */
async function cancelOrder(
  t: Parameters<typeof startCabinet>[0] & { equal: (found: unknown, wanted: unknown) => unknown },
  { db, as }: Cabinet,
  order: number,
) {
  const admin = await as('admin')
  const transition = db.$client.prepare('select id from status_transitions where parent_status_id = ? and child_status_id = ?').pluck()
  const transition_id = Number(transition.get(statusId('apply'), statusId('canceled')))
  t.equal((await admin.post(`/orders/${order}/transition`, { transition_id })).statusCode, 303)
  const step = Number(db.$client.prepare('select max(id) from order_history where order_id = ?').pluck().get(order))
  return () => admin.post(`/orders/${order}/undo`, { step })
}

t.test(
  'a confirmed payment is reversed with a reason and a day: a counter-entry, its orders lack again, its dealer is told; twice is 409',
  async (t) => {
    const started = await start(t)
    const { as, db, cast, alpha, first, second, body, newest } = started
    const admin = await as('admin')
    await admin.post(
      '/payments/add',
      body('1100', [
        [first, '1000'],
        [second, '50'],
      ]),
    )
    const { id } = newest()
    const path = `/payments/${id}/reverse`
    for (const [sent, message] of [
      [{ reason: '', date: dayIn(0) }, /Give a reason/],
      [{ reason: 'Wrong company', date: '2026-02-02' }, 'This day is before that of the payment.'],
      [{ reason: 'Wrong company', date: dayIn(1) }, 'cannot be dated in the future'],
    ] as const) {
      const answer = await admin.post(path, sent)
      t.equal(answer.statusCode, 422)
      t.match(textOf(answer.body), message)
    }
    t.equal(newest().state, 'confirmed')
    for (const name of ['denis', 'mikhail', 'pavel'] as const)
      t.equal((await (await as(name)).post(path, { reason: 'x', date: dayIn(0) })).statusCode, 403, name)
    t.equal((await admin.post(path, { reason: 'Wrong company', date: '2026-02-10' })).statusCode, 303)
    t.match(newest(), { state: 'reversed', reason: 'Wrong company', reversed_on: '2026-02-10', allocated: 0, reverser_id: cast.admin })
    t.same(lacks(started, first, second), [100_000, 50_000])
    t.same([balanceOf(db, alpha), companyBalance(db, alpha).credit], [0, 0])
    const entries = db.$client.prepare('select kind, amount, date, note from ledger_entries order by id').raw().all()
    t.same(entries, [
      ['payment', 110_000, '2026-02-03', 'Advance'],
      ['payment', -110_000, '2026-02-10', 'Wrong company'],
    ])
    const again = await admin.post(path, { reason: 'Again', date: dayIn(0) })
    t.equal(again.statusCode, 409)
    t.match(textsByRole(again, 'alert').join(), 'Adminov Anton has reversed this payment.')
    const inbox = textOf((await (await as('denis')).get('/notifications')).body)
    t.match(inbox, /Payment reversed/)
    t.match(inbox, 'Wrong company')
    t.notMatch(textOf((await (await as('daria')).get('/notifications')).body), 'Payment reversed')
    t.equal(parseHtml((await admin.get('/payments?state=reversed')).body)(`[data-payment="${id}"]`).attr('data-state'), 'reversed')
    t.equal(wrongBalances(db.$client), 0)
  },
)

t.test('everybody who was told of a payment is told of its reversal', async (t) => {
  const { as, db, cast, first, newest } = await start(t)
  const admin = await as('admin')
  await (await as('denis')).post(`/orders/${first}/payments`, { amount: '10', date: '2026-02-03', kind: 'cash' })
  const { id } = newest()
  await admin.post(`/payments/${id}/confirm`)
  await admin.post(`/payments/${id}/reverse`, { reason: 'Not ours', date: '2026-02-03' })
  const told = db.$client.prepare("select user_id from notifications where payment_id = ? and event = 'payment-reversed'").pluck().all(id)
  for (const name of ['denis', 'maria', 'clerk'] as const) t.ok(told.includes(cast[name]), name)
  for (const name of ['daria', 'mikhail', 'pavel'] as const) t.notOk(told.includes(cast[name]), name)
})

t.test('a payment of a wrong amount is corrected in one step: reversed, entered anew, paying the same orders', async (t) => {
  const started = await start(t)
  const { as, db, alpha, first, second, body, newest } = started
  const admin = await as('admin')
  await admin.post(
    '/payments/add',
    body('1100', [
      [first, '1000'],
      [second, '100'],
    ]),
  )
  const wrong = newest().id
  const sent = { amount: '1050', date: '2026-02-04', reason: 'Typed wrongly' }
  t.equal((await admin.post(`/payments/${wrong}/correct`, { ...sent, amount: '0' })).statusCode, 422)
  const answer = await admin.post(`/payments/${wrong}/correct`, sent)
  t.equal(answer.statusCode, 303)
  const { id, ...anew } = newest()
  t.equal(answer.headers.location, `/payments/${id}`)
  t.match(anew, { state: 'confirmed', amount: 105_000, date: '2026-02-04', corrects_id: wrong, note: 'Advance', kind: 'transfer' })
  t.same(lacks(started, first, second), [0, 45_000])
  t.equal(balanceOf(db, alpha), 105_000)
  const reversed = db.select().from(payments).where(eq(payments.id, wrong)).get()
  t.match(reversed, { state: 'reversed', reversed_on: '2026-02-03' }, 'on its own day, so that no day in between is wrong')
  t.equal((await admin.post(`/payments/${wrong}/correct`, sent)).statusCode, 409)
  t.match((await admin.get(`/payments/${id}`)).body, `/payments/${wrong}`)
})

t.test('a refund is money out: of what its order was paid with, then of the credit; its reversal brings both back', async (t) => {
  const started = await start(t)
  const { as, db, alpha, first, foreign, body, newest } = started
  const admin = await as('admin')
  await admin.post('/payments/add', body('1100', [[first, '1000']]))
  const asked = parseHtml((await admin.get(`/company/${alpha}/refund`)).body)
  t.match(textOf(asked('#amount-hint').html() ?? '').replaceAll(/\s/g, ' '), 'Credit of the company: 100,00 ₽ Fill in')
  t.same([asked('[data-into=amount]').attr('data-fill'), asked('[data-above]').attr('data-above')], ['100,00', '10000'])
  const refund = { amount: '300', date: '2026-02-05', kind: 'transfer', order_id: first, note: 'Back' }
  t.equal((await admin.post(`/company/${alpha}/refund`, { ...refund, order_id: foreign })).statusCode, 422)
  t.equal((await admin.post(`/company/${alpha}/refund`, { ...refund, amount: '0' })).statusCode, 422)
  for (const name of ['denis', 'mikhail'] as const)
    t.equal((await (await as(name)).post(`/company/${alpha}/refund`, refund)).statusCode, 403, name)
  t.equal((await admin.post(`/company/${alpha}/refund`, refund)).statusCode, 303)
  t.match(newest(), { direction: 'refund', state: 'confirmed', amount: 30_000, order_id: first, kind: 'transfer' })
  t.same([balanceOf(db, alpha), companyBalance(db, alpha).credit, ...lacks(started, first)], [80_000, 10_000, 30_000])
  const { id } = newest()
  const listed = async (query: string) =>
    parseHtml((await admin.get(`/payments?${query}`)).body)(`#payments-${id} [data-col=kind]`)
      .text()
      .trim()
  t.same(
    [await listed(''), await listed('direction=refund'), await listed('direction=incoming')],
    ['Transfer Refund', 'Transfer Refund', ''],
  )
  t.equal((await admin.post(`/company/${alpha}/refund`, { ...refund, order_id: '', amount: '50' })).statusCode, 303)
  t.equal(companyBalance(db, alpha).credit, 5000)
  t.equal((await admin.post(`/payments/${id}/reverse`, { reason: 'Not sent', date: '2026-02-06' })).statusCode, 303)
  t.same([balanceOf(db, alpha), companyBalance(db, alpha).credit], [105_000, 35_000])
  t.same(
    entriesOf(db, first).map(({ kind, amount }) => [kind, amount]),
    [
      ['refund', -30_000],
      ['refund', 30_000],
    ],
  )
  t.equal(wrongBalances(db.$client), 0)
})

t.test('a correction below zero that names no order takes the credit, as a refund does; one above zero gives it back', async (t) => {
  const started = await start(t)
  const { as, db, alpha, first, second, body, newest, sheet } = started
  db.update(orders).set({ due_since: '2026-01-01' }).where(eq(orders.id, first)).run()
  settleOrder(db, first, { id: null, name: 'The test' })
  const [admin, denis] = [await as('admin'), await as('denis')]
  const correct = async (amount: string, date = '2026-02-05', order: number | '' = '') => {
    const answer = await admin.post(`/company/${alpha}/ledger`, { kind: 'correction', amount, date, order_id: order, note: 'Chargeback' })
    t.equal(answer.statusCode, 303, amount)
  }
  const credit = () => companyBalance(db, alpha).credit
  await admin.post('/payments/add', body('200', [[second, '50']]))
  await admin.post('/payments/add', body('100'))
  t.equal(credit(), 25_000)
  await correct('-180')
  t.same([balanceOf(db, alpha), credit(), ...lacks(started, first, second)], [-88_000, 7_000, 100_000, 45_000], 'the oldest payments first')
  t.match(db.select().from(allocations).all().at(-1), { amount: 3_000, date: '2026-02-05', order_id: null, refund_id: null }, 'on its day')
  const page = parseHtml((await admin.get(`/company/edit/${alpha}?tab=ledger`)).body)
  t.equal(
    page('.record-facts [data-owed]').attr('data-kopecks'),
    '100000',
    'what is owed holds nothing twice, nor what pays the other order ahead',
  )
  t.equal(parseHtml((await denis.get(`/payments/${newest().id}`)).body)('[data-credit]').attr('data-kopecks'), '7000')
  const beyond = await denis.post(`/orders/${first}/pay-from-balance`, { amount: '70,01' })
  t.match(textsByRole(beyond, 'alert').join().replaceAll(/\s/g, ' '), 'The credit of the company is 70,00 ₽.')
  const more = { allocations: '', ...sheet([[first, '70,01']]) }
  t.match(textOf((await admin.post(`/payments/${newest().id}/allocations`, more)).body), 'This is more than the payment.')
  await correct('-200')
  t.equal(credit(), 0, 'what is more than the credit is owed')
  t.equal((await denis.post(`/orders/${first}/pay-from-balance`, {})).statusCode, 422)
  await correct('100', '2026-02-04')
  await correct('-30', '2026-02-06', first)
  t.equal(credit(), 10_000, 'one that names an order leaves the credit as it is')
  await correct('900')
  t.equal(credit(), 25_000, 'no more than was taken')
  t.same(lacks(started, second), [45_000])
  const days = db.$client.prepare(
    'select min(total) from (select sum(amount) over (partition by payment_id, order_id, refund_id order by date, amount desc) as total from allocations)',
  )
  t.equal(days.pluck().get(), 0, 'on no day less than nothing is taken')
  await correct('-10')
  await admin.post(`/payments/${newest().id - 1}/reverse`, { reason: 'Wrong', date: dayIn(0) })
  t.same([newest().state, credit()], ['confirmed', 10_000], 'a reversal ends what was taken of its payment')
  t.equal(wrongBalances(db.$client), 0)
})

t.test('what a correction of one company takes is of its own payments', async (t) => {
  const { as, db, alpha, beta, body } = await start(t)
  const admin = await as('admin')
  await admin.post('/payments/add', body('100'))
  await admin.post('/payments/add', { ...body('100'), company_id: beta })
  for (const [company, amount] of [
    [alpha, '-60'],
    [beta, '-30'],
    [beta, '70'],
  ] as const)
    await admin.post(`/company/${company}/ledger`, { kind: 'correction', amount, date: '2026-02-05' })
  t.same([companyBalance(db, alpha).credit, companyBalance(db, beta).credit], [4_000, 10_000])
})

t.test(
  'nothing is booked, reversed or corrected on a day up to the one until which the books are closed: 422 names it, nothing typed is lost',
  async (t) => {
    const { as, db, alpha, first, body, newest } = await start(t)
    const admin = await as('admin')
    await admin.post('/payments/add', body('100'))
    const { id } = newest()
    db.update(settings).set({ closed_until: '2026-02-28' }).run()
    const refused = async (path: string, sent: Record<string, string | number>) => {
      const answer = await admin.post(path, sent)
      t.equal(answer.statusCode, 422, path)
      t.match(textOf(answer.body), 'The books are closed until 28.02.2026.', path)
    }
    await refused('/payments/add', { ...body('100'), date: '2026-02-28' })
    await refused(`/orders/${first}/payments`, { amount: '100', date: '2026-02-28', kind: 'cash' })
    await refused(`/payments/${id}/reverse`, { reason: 'x', date: '2026-02-28' })
    await refused(`/payments/${id}/correct`, { reason: 'x', date: '2026-02-27', amount: '5' })
    await refused(`/company/${alpha}/refund`, { amount: '5', date: '2026-02-01', kind: 'cash' })
    await refused(`/company/${alpha}/ledger`, { kind: 'correction', amount: '5', date: '2026-02-28', note: 'x' })
    t.equal((await admin.post('/payments/add', { ...body('100'), date: '2026-03-01' })).statusCode, 303, 'the day after')
    t.equal((await admin.post(`/payments/${id}/correct`, { reason: 'x', date: '2026-03-01', amount: '90' })).statusCode, 303)
    t.equal(db.select().from(payments).where(eq(payments.id, id)).get()?.reversed_on, dayIn(0), 'its own day is closed: today')
  },
)

t.test('the form proposes the oldest orders first, and adds up what is typed', async (t) => {
  const { as, alpha, first, second, db, body } = await start(t)
  db.update(orders).set({ due_since: '2026-01-01' }).where(eq(orders.id, second)).run()
  const admin = await as('admin')
  const proposed = parseHtml((await admin.post('/payments/add', { ...body('1200'), _find: 'allocations' })).body)
  const rows = proposed('.split-rows li')
    .toArray()
    .map((one) => [proposed(one).attr('data-order'), proposed(one).find('input[id$="amount"]').attr('value')])
  t.same(
    rows.slice(0, 2),
    [
      [String(second), '500,00'],
      [String(first), '700,00'],
    ],
    'what has been due the longest stands first',
  )
  const sums = await admin.post('/payments/add', {
    ...body('1200', [
      [first, '1000'],
      [second, '300'],
    ]),
    _find: 'sums',
  })
  t.match(textOf(sums.body).replaceAll(/\s/g, ' '), '100,00 ₽ more than the payment')
  const named = parseHtml((await admin.get(`/payments/add?order=${second}`)).body)
  t.equal(named('#company_id option[selected]').attr('value'), String(alpha))
  t.equal(db.select().from(payments).all().length, 0)
})

t.test('whatever is paid, split, moved, reversed and paid back: sums of allocations hold, and the credit is what is left', async (t) => {
  const started = await start(t)
  const { as, db, alpha, first, second, body, sheet, newest, place } = started
  const admin = await as('admin')
  const third = place(30_000)
  const all = [first, second, third]
  const amount = fc.integer({ min: 1, max: 90_000 })
  const act = fc.oneof(
    fc.record({ do: fc.constant('pay' as const), amount, order: fc.constantFrom(...all) }),
    fc.record({ do: fc.constant('split' as const), amount, order: fc.constantFrom(...all) }),
    fc.record({ do: fc.constant('reverse' as const), amount, order: fc.constantFrom(...all) }),
    fc.record({ do: fc.constant('refund' as const), amount, order: fc.constantFrom(...all) }),
    fc.record({ do: fc.constant('balance' as const), amount, order: fc.constantFrom(...all) }),
    fc.record({ do: fc.constant('cost' as const), amount, order: fc.constantFrom(...all) }),
    fc.record({ do: fc.constantFrom('take' as const, 'give' as const), amount, order: fc.constantFrom(...all) }),
  )
  const rubles = (kopecks: number) => (kopecks / 100).toFixed(2).replace('.', ',')
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 8 }), async (acts) => {
      for (const { do: what, amount, order } of acts) {
        const { id } = newest() ?? {}
        if (what === 'pay') await admin.post('/payments/add', body(rubles(amount), [[order, rubles(Math.ceil(amount / 2))]]))
        if (what === 'split' && id)
          await admin.post(`/payments/${id}/allocations`, { allocations: '', ...sheet([[order, rubles(amount)]]) })
        if (what === 'reverse' && id) await admin.post(`/payments/${id}/reverse`, { reason: 'x', date: dayIn(0) })
        if (what === 'refund')
          await admin.post(`/company/${alpha}/refund`, { amount: rubles(amount), date: '2026-03-01', kind: 'cash', order_id: order })
        if (what === 'balance') await admin.post(`/orders/${order}/pay-from-balance`, {})
        if (what === 'take' || what === 'give')
          await admin.post(`/company/${alpha}/ledger`, { kind: 'correction', amount: `${what === 'take' ? '-' : ''}${rubles(amount)}` })
        if (what === 'cost') await admin.post(`/orders/edit/${order}`, {})
      }
      const rows = db.select().from(payments).all()
      for (const payment of rows) {
        const given = db
          .select()
          .from(allocations)
          .all()
          .filter(({ payment_id }) => payment_id === payment.id)
        const sum = given.reduce((total, one) => total + one.amount, 0)
        if (sum < 0 || sum > (payment.state === 'confirmed' ? payment.amount : 0)) throw new Error(`payment ${payment.id}: ${sum}`)
        if (allocationsOf(db, payment.id).some((one) => one.amount < 0)) throw new Error('below zero')
      }
      for (const id of all) {
        const order = db.select().from(orders).where(eq(orders.id, id)).get()
        const given = db
          .select()
          .from(allocations)
          .all()
          .filter(({ order_id }) => order_id === id)
          .reduce((total, one) => total + one.amount, 0)
        if (given > (order?.cost ?? 0) || lackOf(db, id) !== (order?.cost ?? 0) - given) throw new Error(`order ${id}: ${given}`)
      }
      if (wrongBalances(db.$client) !== 0) throw new Error('sums differ')
      if (companyBalance(db, alpha).credit < 0) throw new Error('credit below zero')
    }),
    { numRuns: 12 },
  )
})

t.test('a manager sees nothing of orders and credit of another company, whatever the address or the form names', async (t) => {
  const { as, beta, foreign, body } = await start(t)
  const admin = await as('admin')
  await admin.post('/payments/add', { ...body('123.45'), company_id: beta })
  t.match((await admin.get(`/payments/add?company=${beta}`)).body, `data-order="${foreign}"`, 'whoever may is shown them')
  const maria = await as('maria')
  const asked = [
    await maria.get(`/payments/add?company=${beta}`),
    await maria.get(`/payments/add?order=${foreign}`),
    await maria.post('/payments/add', { ...body('1'), company_id: beta, _find: 'allocations' }),
    await maria.post('/payments/add', { ...body('1'), company_id: beta }),
  ]
  for (const [at, { body }] of asked.entries()) {
    t.notMatch(body, `data-order="${foreign}"`, String(at))
    t.notMatch(body, 'Бета', String(at))
  }
})

t.test(
  'an order that moved to another company is not paid from the credit of the one that it was charged to, but by its people',
  async (t) => {
    const { as, db, alpha, beta, first, body, cast } = await start(t)
    const admin = await as('admin')
    await admin.post('/payments/add', body('300', [[first, '100']]))
    db.update(orders).set({ dealer_id: cast.daria, company_id: beta }).where(eq(orders.id, first)).run()
    const daria = await as('daria')
    const page = await daria.get(`/orders/${first}`)
    t.equal(page.statusCode, 200)
    t.equal(parseHtml(page.body)('[data-credit]').length, 0)
    t.equal((await daria.post(`/orders/${first}/pay-from-balance`, {})).statusCode, 403)
    t.equal(companyBalance(db, alpha).credit, 20_000)
    t.equal((await admin.post(`/orders/${first}/pay-from-balance`, {})).statusCode, 303)
    t.equal(companyBalance(db, alpha).credit, 0)
  },
)

t.test(
  'on no day less than nothing is allocated: what was given later than a reversal or refund counts is taken back when it was given',
  async (t) => {
    const { as, db, alpha, first, second, body, newest, sheet } = await start(t)
    const admin = await as('admin')
    await admin.post('/payments/add', body('100', [[first, '60']]))
    const { id } = newest()
    await admin.post(`/payments/${id}/allocations`, { allocations: '', ...sheet([[first, '100']]) })
    await admin.post(`/payments/${id}/reverse`, { reason: 'Wrong', date: '2026-02-10' })
    await admin.post('/payments/add', body('50'))
    await admin.post(`/payments/${newest().id}/allocations`, { allocations: '', ...sheet([[second, '50']]) })
    await admin.post(`/company/${alpha}/refund`, { amount: '20', date: '2026-02-10', kind: 'cash', order_id: second })
    const days = db.$client.prepare(
      'select min(total) from (select sum(amount) over (partition by payment_id, order_id order by date, amount desc) as total from allocations where order_id is not null)',
    )
    t.equal(days.pluck().get(), 0)
    const given = db
      .select()
      .from(allocations)
      .all()
      .map(({ amount, date }) => [amount, date])
    t.same(given, [
      [6000, '2026-02-03'],
      [4000, dayIn(0)],
      [-10_000, dayIn(0)],
      [5000, dayIn(0)],
      [-2000, dayIn(0)],
      [2000, '2026-02-10'],
    ])
  },
)

t.test('money that pays no order leaves debt and limit of its company as they are, on its card and in the list', async (t) => {
  const { as, db, alpha, first, body } = await start(t)
  db.update(companies).set({ credit_limit: 150_000 }).where(eq(companies.id, alpha)).run()
  db.update(orders).set({ due_since: '2026-01-01' }).where(eq(orders.id, first)).run()
  settleOrder(db, first, { id: null, name: 'The test' })
  const root = await as('root')
  await root.post('/payments/add', body('400'))
  const shown = async () => {
    const page = parseHtml((await root.get(`/company/edit/${alpha}?tab=ledger`)).body)
    const list = parseHtml((await root.get('/companies?cols=limit_left')).body)
    const figures = ['balance', 'owed', 'left', 'credit'].map((name) => page(`.record-facts [data-${name}]`).attr('data-kopecks'))
    return [...figures, list(`#companies-${alpha} [data-col=limit_left]`).attr('data-kopecks')]
  }
  t.same(await shown(), ['-60000', '100000', '50000', '40000', '50000'])
  await root.post(`/orders/${first}/pay-from-balance`, {})
  t.same(await shown(), ['-60000', undefined, '90000', undefined, '90000'])
})
