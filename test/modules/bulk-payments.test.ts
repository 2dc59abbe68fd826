import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, payments, statusTransitions } from '../../src/database/schema/index.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { submitForm } from '../support/files.ts'
import { elementsOf, errorsOf, fieldOf, parseHtml, textOf } from '../support/html.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder, orderOf, statusId, transitionBetween } from '../support/orders.ts'

/** The step from `payment` to `paid` needs the confirmation of the payment; Denis and Maria may take it, and Maria may not report payments. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast } = cabinet
  const { id: step } = transitionBetween(cabinet, 'payment', 'paid')
  const fields = { required_fields: ['payment_order'], forced_fields: [], dealer_can: true, manager_can: true }
  const change = (values: Partial<typeof statusTransitions.$inferInsert>) =>
    db.update(statusTransitions).set(values).where(eq(statusTransitions.id, step)).run()
  change(fields)
  const place = (cost: number) => insertOrder(cabinet, 'payment', { dealer_id: cast.denis, company_id: cast.companies.alpha, cost })
  const asking = (...ids: number[]) => `/orders/transitions?${ids.map((id) => `id=${id}`).join('&')}&transition_id=${step}`
  const paymentsOf = (order: number) => db.select().from(payments).where(eq(payments.order_id, order)).all()
  const isPaid = (id: number) => orderOf(db, id).status_id === statusId('paid')
  return { ...cabinet, step, change, place, asking, paymentsOf, isPaid }
}

const amountOf = (id: number) => `payments[${id}][amount]`
const fileOf = (id: number) => `files[${id}][payment_order]`

const resultsOf = ({ body }: Answer) =>
  Object.fromEntries(elementsOf(body, '[data-result]').map((row) => [Number(/data-result="(\d+)"/.exec(row)?.[1]), textOf(row)]))

/** What the question says about orders that it does not ask about, with where they are asked. */
const alone = ({ body }: Answer) => {
  const page = parseHtml(body)
  return page('[data-alone]')
    .toArray()
    .map((row) => [Number(page(row).attr('data-alone')), page(row).find('a').attr('href'), textOf(page(row).text())])
}

t.test('a step of many orders asks for the amount of each, and reports a payment with each that has one', async (t) => {
  const { as, place, asking, step, paymentsOf, isPaid, db } = await start(t)
  const denis = await as('denis')
  const [one, two, three] = [place(100_000), place(250_050), place(5_000)]
  insertPayment(db, three, { amount: 2_000, state: 'rejected' })
  const asked = await denis.get(asking(one, two, three))
  t.same(
    [one, two, three].map((id) => fieldOf(asked, amountOf(id))?.value),
    ['1000,00', '2500,50', '50,00'],
    'what is left of each',
  )
  t.equal(fieldOf(asked, 'date')?.value, new Date().toLocaleDateString('sv'), 'today at first, as in the dialog of one order')
  t.same(
    [amountOf(one), fileOf(one), 'date'].map((name) => fieldOf(asked, name)?.required),
    [true, false, true],
    'the amount is asked for, the file only helps',
  )
  t.equal(elementsOf(asked.body, 'main fieldset').length, 4, 'each order by itself, the day and the comment together')
  const answer = await submitForm(denis, '/orders/transitions', [
    ...[one, two, three].map((id): [string, string] => ['id', String(id)]),
    ['transition_id', String(step)],
    [amountOf(one), '400,50'],
    [amountOf(two), ''],
    [fileOf(two), new File(['Paid'], 'slip.txt')],
    [amountOf(three), '50'],
    ['date', '2026-01-15'],
  ])
  t.equal(answer.statusCode, 200)
  t.same([one, two, three].map(isPaid), [true, true, true])
  t.match(paymentsOf(one), [{ state: 'reported', amount: 40_050, date: '2026-01-15', kind: 'transfer', reporter_name: 'Denisov Denis' }])
  t.same(paymentsOf(two), [], 'a file stays a file')
  t.ok(orderOf(db, two).payment_order)
  t.match(
    paymentsOf(three).map(({ amount, state }) => [amount, state]),
    [
      [2_000, 'rejected'],
      [5_000, 'reported'],
    ],
  )
})

t.test('an order with neither amount nor file stays and says so; one with a payment that was not rejected is not asked', async (t) => {
  const { as, place, asking, step, paymentsOf, isPaid, db } = await start(t)
  const denis = await as('denis')
  const [empty, held] = [place(100_000), place(100_000)]
  insertPayment(db, held)
  const asked = await denis.get(asking(empty, held))
  t.ok(fieldOf(asked, amountOf(empty)))
  t.notOk(fieldOf(asked, amountOf(held)))
  const answer = await denis.post('/orders/transitions', {
    id: [empty, held],
    transition_id: step,
    [amountOf(empty)]: ' ',
    [amountOf(held)]: '7',
  })
  t.match(resultsOf(answer)[empty], 'Enter the amount or attach a file.')
  t.same([empty, held].map(isPaid), [false, true])
  t.same([paymentsOf(empty).length, paymentsOf(held).length], [0, 1], 'an amount that was not asked for is not read')
  const after = await denis.get(asking(held))
  t.notOk(fieldOf(after, 'date'), 'nothing is asked where nothing is lacking')
})

const wrong: Record<string, [amount: string, date: string, field: 'amount' | 'date', message: RegExp]> = {
  zero: ['0', '', 'amount', /more than 0/],
  negative: ['-5', '', 'amount', /Enter an amount/],
  'three decimals': ['5,001', '', 'amount', /such as 12 500,50/],
  tomorrow: ['5', '2999-01-01', 'date', /future/],
}

t.test('a wrong amount or day is marked at its field, no order moves, and nothing typed is lost (422)', async (t) => {
  const { as, place, step, paymentsOf, isPaid } = await start(t)
  const denis = await as('denis')
  const [one, two] = [place(100_000), place(100_000)]
  for (const [what, [amount, date, field, message]] of Object.entries(wrong)) {
    const answer = await submitForm(denis, '/orders/transitions', [
      ['id', String(one)],
      ['id', String(two)],
      ['transition_id', String(step)],
      [amountOf(one), '123,45'],
      [amountOf(two), amount],
      [fileOf(one), new File(['Paid'], 'slip.txt')],
      ['date', date],
      ['note', 'Kept'],
    ])
    t.equal(answer.statusCode, 422, what)
    t.match(errorsOf(answer), { [field === 'date' ? 'date' : amountOf(two)]: message }, what)
    t.equal(fieldOf(answer, amountOf(one))?.value, '123,45', what)
    t.equal(fieldOf(answer, amountOf(two))?.value, amount, what)
    t.equal(fieldOf(answer, 'note')?.value, 'Kept', what)
    t.match(textOf(answer.body), 'slip.txt', what)
  }
  t.same([one, two].map(isPaid), [false, false])
  t.same([paymentsOf(one), paymentsOf(two)], [[], []])
})

t.test('a manager who may not confirm reports the payments of many; amounts of whoever sees no prices are not read', async (t) => {
  const { as, db, cast, place, asking, step, paymentsOf, isPaid } = await start(t)
  const maria = await as('maria')
  const [one, two] = [place(100_000), place(100_000)]
  const asked = await maria.get(asking(one, two))
  t.same(
    [Boolean(fieldOf(asked, fileOf(one))), Boolean(fieldOf(asked, amountOf(one))), Boolean(fieldOf(asked, 'date'))],
    [true, true, true],
  )
  const pay = (id: number) => maria.post('/orders/transitions', { id, transition_id: step, [amountOf(id)]: '5', date: '2026-01-15' })
  await pay(one)
  t.equal(isPaid(one), true)
  t.match(paymentsOf(one), [{ state: 'reported', amount: 500 }])
  revoke(db, cast.maria, 'order_can_view_prices')
  await pay(two)
  t.equal(isPaid(two), false)
  t.same(paymentsOf(two), [])
})

t.test('of more orders than are asked together each is named with the way to its own step', async (t) => {
  const { as, place, asking, step } = await start(t)
  const denis = await as('denis')
  const ids = Array.from({ length: 21 }, () => place(100_000))
  const free = place(100_000)
  t.same(alone(await denis.get(asking(...ids.slice(0, 20)))), [])
  const asked = await denis.get(asking(...ids))
  t.equal(elementsOf(asked.body, 'main [type=file]').length, 0)
  const named = alone(asked)
  t.equal(named.length, 21)
  t.match(named[0], [ids[0], `/orders/${ids[0]}?transition_id=${step}#step`, /Requires Payment confirmation$/])
  t.match(textOf(asked.body), '0 orders will move')
  t.equal(elementsOf(asked.body, 'main button[name=transition_id]').length, 0, 'nothing to confirm')
  t.ok(fieldOf(await denis.get(asking(free)), amountOf(free)))
})

t.test('what only the step of one order can answer is said beforehand, with the way there', async (t) => {
  const { as, place, asking, change, step, db, cast } = await start(t)
  const denis = await as('denis')
  const [short, paid] = [place(100_000), place(0)]
  change({ required_fields: [], min_paid: 50 })
  const asked = await denis.get(asking(short, paid))
  t.match(alone(asked), [[short, `/orders/${short}?transition_id=${step}#step`, /Requires 50% of the cost paid: 500,00/]])
  t.match(textOf(asked.body), /1 order will move\./)
  change({ min_paid: null, within_limit: true })
  db.update(companies).set({ credit_limit: 100 }).where(eq(companies.id, cast.companies.alpha)).run()
  for (const name of ['denis', 'root'] as const)
    t.match(
      alone(await (await as(name)).get(asking(short, paid))),
      [[short, /.*/, /Exceeds the credit limit of the company by 999,00/]],
      name,
    )
  revoke(db, cast.denis, 'order_can_view_prices')
  t.match(alone(await denis.get(asking(short))), [[short, /.*/, /payment terms of this step are not met$/]])
})
