import { eq } from 'drizzle-orm'
import t from 'tap'
import { payments, rateHits, statusTransitions } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { type Answer, type Browser, type Cabinet, type Fields, startCabinet } from '../support/cabinet.ts'
import { errorsOf, fieldOf, textOf, textsByRole } from '../support/html.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder, orderOf, requestTransition, setOrder, statusId, transitionBetween } from '../support/orders.ts'

const ofOrder = 'Up to 5 payments of an order can wait for confirmation.'
const ofCompany = 'Up to 20 payments of a company can wait for confirmation.'
const ofHour = /You can report up to 30 payments an hour\. Try again after (\d\d\.\d\d\.\d{4} )?\d\d:\d\d/

/** The step from `payment` to `paid` takes an amount instead of the file; Denis and Daria may take it. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast } = cabinet
  const { id: step } = transitionBetween(cabinet, 'payment', 'paid')
  const fields = { required_fields: ['payment_order'], forced_fields: [], dealer_can: true }
  db.update(statusTransitions).set(fields).where(eq(statusTransitions.id, step)).run()
  const { alpha, beta } = cast.companies
  const place = () => insertOrder(cabinet, 'payment', { dealer_id: cast.denis, company_id: alpha, cost: 100_000 })
  const placeAtBeta = () => insertOrder(cabinet, 'payment', { dealer_id: cast.daria, company_id: beta, cost: 100_000 })
  return { ...cabinet, step, place, placeAtBeta, order: setOrder(cabinet, 'payment', { cost: 100_000 }) }
}

const report = (browser: Browser, order: number, fields: Fields = {}) =>
  browser.post(`/orders/${order}/payments`, { amount: '400,50', ...fields })

const countOf = ({ db }: Pick<Cabinet, 'db'>) => db.select().from(payments).all().length

function insertPayments({ db }: Pick<Cabinet, 'db'>, order: number, count: number): number[] {
  return Array.from({ length: count }, () => insertPayment(db, order))
}

/** As if somebody had reported so many payments lately. */
function addHits({ db }: Pick<Cabinet, 'db'>, person: number, count: number): void {
  const hits = Array.from({ length: count }, () => ({ key: `payment of ${person}`, at: Date.now() }))
  db.insert(rateHits).values(hits).run()
}

function isKept(t: Tap, answer: Answer, status: number) {
  t.equal(answer.statusCode, status)
  t.same([fieldOf(answer, 'amount')?.value, fieldOf(answer, 'date')?.value], ['7,25', '2026-01-15'], 'what was typed stands there')
}

type Tap = Pick<typeof t, 'equal' | 'same'>
const typed = { amount: '7,25', date: '2026-01-15' }

t.test('a sixth unconfirmed payment of an order is refused at its form, in the API too, until one is decided about', async (t) => {
  const cabinet = await start(t)
  const { as, db, order, place } = cabinet
  const denis = await as('denis')
  const other = place()
  const [first] = insertPayments(cabinet, order, 4)
  insertPayment(db, order, { state: 'rejected' })
  insertPayment(db, order, { state: 'confirmed' })
  t.equal((await report(denis, order)).statusCode, 303, 'the fifth')
  const before = countOf(cabinet)
  const refused = await report(denis, order, { ...typed, note: 'One more' })
  isKept(t, refused, 422)
  t.match(errorsOf(refused).amount, ofOrder)
  t.match(fieldOf(refused, 'note')?.value, 'One more')
  isKept(t, await report(await as('roman'), order, typed), 422)
  const api = await clientOf(cabinet, 'denis').post(`/orders/${order}/payments`, { amount: 100, date: '2026-01-15', kind: 'card' })
  t.equal(api.statusCode, 422)
  t.match(api.headers['content-type'], 'application/problem+json')
  t.match(api.json().errors.amount, ofOrder)
  t.equal(countOf(cabinet), before, 'nothing is saved')
  t.equal((await report(denis, other)).statusCode, 303, 'of another order there is none yet')
  await (await as('admin')).post(`/payments/${first}/confirm`)
  t.equal((await report(denis, order)).statusCode, 303)
  isKept(t, await report(denis, order, typed), 422)
})

t.test('a company has at most twenty unconfirmed payments, whoever of it reports; a step and steps of many orders say so', async (t) => {
  const cabinet = await start(t)
  const { as, db, order, place, placeAtBeta, step } = cabinet
  const denis = await as('denis')
  for (let more = 0; more < 4; more++) insertPayments(cabinet, place(), 4)
  insertPayments(cabinet, placeAtBeta(), 5)
  insertPayments(cabinet, order, 3)
  const [last, extra] = [place(), place()]
  t.equal((await requestTransition(denis, last, step, typed)).statusCode, 303, 'the twentieth')
  const before = countOf(cabinet)
  const refused = await report(await as('roman'), order, typed)
  isKept(t, refused, 422)
  t.match(errorsOf(refused).amount, ofCompany)
  const stepped = await denis.post(`/orders/${extra}/transition`, { transition_id: step, ...typed })
  isKept(t, stepped, 422)
  t.match(textsByRole(stepped, 'alert').join(), ofCompany)
  const api = await clientOf(cabinet, 'denis').post(`/orders/${extra}/transitions`, {
    transition_id: step,
    amount: 725,
    date: '2026-01-15',
  })
  t.equal(api.statusCode, 422)
  t.match(api.json().detail, ofCompany)
  const many = await denis.post('/orders/transitions', { id: [extra], transition_id: step, [`payments[${extra}][amount]`]: '7' })
  t.match(textOf(many.body), ofCompany)
  t.equal(orderOf(db, extra).status_id, statusId('payment'), 'the order stays')
  t.equal(countOf(cabinet), before)
  t.equal((await report(await as('daria'), placeAtBeta())).statusCode, 303, 'another company')
})

t.test('whoever may confirm payments is not limited', async (t) => {
  const cabinet = await start(t)
  const { as, order, place, step } = cabinet
  const admin = await as('admin')
  const last = place()
  for (let more = 0; more < 4; more++) insertPayments(cabinet, place(), 5)
  insertPayments(cabinet, order, 5)
  addHits(cabinet, cabinet.cast.admin, 30)
  t.equal((await report(admin, order)).statusCode, 303)
  t.equal((await requestTransition(admin, last, step, typed)).statusCode, 303)
})

t.test('a person reports at most thirty payments an hour, also as somebody else, and is told when to go on (429)', async (t) => {
  const cabinet = await start(t)
  const { as, db, cast, order, place, step } = cabinet
  const denis = await as('denis')
  addHits(cabinet, cast.denis, 29)
  const [last, extra] = [place(), place()]
  t.equal((await requestTransition(denis, last, step, typed)).statusCode, 303, 'the thirtieth')
  const refused = await report(denis, order, typed)
  isKept(t, refused, 429)
  t.match(textsByRole(refused, 'alert').join(), ofHour)
  const stepped = await denis.post(`/orders/${extra}/transition`, { transition_id: step, ...typed })
  isKept(t, stepped, 429)
  t.match(textsByRole(stepped, 'alert').join(), ofHour)
  const client = clientOf(cabinet, 'denis')
  const answers = [
    await client.post(`/orders/${order}/payments`, { amount: 100, date: '2026-01-15', kind: 'card' }),
    await client.post(`/orders/${extra}/transitions`, { transition_id: step, amount: 725, date: '2026-01-15' }),
  ]
  for (const answer of answers) {
    t.equal(answer.statusCode, 429)
    t.match(answer.json().detail, ofHour)
  }
  for (const { headers } of [refused, stepped, ...answers]) t.ok(Number(headers['retry-after']) > 3500)
  t.equal(orderOf(db, extra).status_id, statusId('payment'))
  t.equal(countOf(cabinet), 1)
  t.equal((await report(await as('roman'), order)).statusCode, 303, 'a colleague has reported none')
  const root = await as('root')
  await root.post(`/impersonate/${cast.roman}`)
  addHits(cabinet, cast.root, 29)
  t.equal((await report(root, order)).statusCode, 303)
  isKept(t, await report(root, order, typed), 429)
  t.equal((await report(await as('roman'), order)).statusCode, 303, 'that was not Roman')
})
