import { eq } from 'drizzle-orm'
import t from 'tap'
import { orders, payments, statusTransitions } from '../../src/database/schema/index.ts'
import { type Browser, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { elementsOf, parseHtml, textOf } from '../support/html.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder, orderOf, setOrder, statusId, transitionBetween } from '../support/orders.ts'

const choices = (body: string) => elementsOf(body, '.bulk-choices > li:not(.is-tool) :is(button, a)').map(textOf)

const tools = (body: string) => elementsOf(body, '.bulk-choices > .is-tool a').map(textOf)

const ask = (browser: Browser, path: string) => browser.get(path, htmx)

/** An order that waits for its money to be confirmed. */
function waiting(cabinet: Cabinet) {
  const { denis, companies } = cabinet.cast
  const order = setOrder(cabinet, 'payment', { dealer_id: denis, company_id: companies.alpha, cost: 10_000 })
  cabinet.db.delete(payments).run()
  return { order, payment: insertPayment(cabinet.db, order, { amount: 4000 }) }
}

t.test('what can be done with an order is its steps, the likely one first, and what was done last', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  db.update(statusTransitions).set({ required_fields: [], issues: [] }).run()
  const order = setOrder(cabinet, 'new', { dealer_id: cast.denis })
  const denis = await as('denis')
  const path = `/orders/${order}/steps`
  t.same(choices((await ask(denis, path)).body), ['Send for signing Awaiting signing', 'Cancel order Canceled'])
  const { id } = transitionBetween(cabinet, 'new', 'apply')
  await denis.post(`/orders/${order}/transition`, { transition_id: id })
  t.match(choices((await ask(denis, path)).body).at(-1), /^Return to "New"$/)
  t.notMatch((await ask(await as('maria'), path)).body, /Return to/, 'nobody undoes the step of somebody else')

  const stepsOf = async (status: string) =>
    (await ask(denis, `/orders/${insertOrder(cabinet, status, { dealer_id: cast.denis, company_id: cast.companies.alpha })}/steps`)).body
  const others = await stepsOf('delivery')
  t.same(choices(others), [])
  t.match(textOf(others), /Next: /, 'who has to wait is told for what')
  t.match(textOf(await stepsOf('completed')), /nothing for you to do/)
  t.match(textOf((await denis.get(path)).body), /Skip to content/, 'without scripts it is a page')
})

t.test('an order is called off after everything else, and never by confirming what stands first', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as } = cabinet
  const order = setOrder(cabinet, 'production', { dealer_id: cast.denis, company_id: cast.companies.alpha })
  const { body } = await ask(await as('maria'), `/orders/${order}/steps`)
  const all = elementsOf(body, '.bulk-choices > li').map(textOf)
  t.match(all.at(-1), /^Cancel order/)
  t.equal(elementsOf(body, '.bulk-choices [autofocus]').map(textOf).join(), all[0])
})

t.test('after the steps stands what else the page of the order offers this person', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as } = cabinet
  const order = setOrder(cabinet, 'apply', { dealer_id: cast.denis, company_id: cast.companies.alpha, cost: 10_000 })
  const path = `/orders/${order}/steps`
  const pages = ['Order sheet', 'History', 'Show workflow']
  const staff = pages.toSpliced(1, 0, 'Work sheet')
  t.same(tools((await ask(await as('root'), path)).body), ['Enter payment', 'Edit Order lines', 'Order again', ...staff])
  const dealers = pages.toSpliced(1, 0, 'Offer for the customer')
  t.same(tools((await ask(await as('denis'), path)).body), ['Report payment', 'Edit Documents', 'Order again', ...dealers])
  const opened = (body: string) =>
    elementsOf(body, '.bulk-choices > .is-tool a[hx-get]').map((link) => String(parseHtml(link)('a').attr('href')))
  const root = await as('root')
  const [payment, lines] = [`/orders/${order}/payments`, `/orders/${order}/edit/lines`]
  t.same(opened((await ask(root, `${path}?back=%3F`)).body), [`${payment}?back=%3F`, `${lines}?back=%3F`])
  t.same(opened((await ask(root, `${path}?stays=1`)).body), [payment], 'over another page nothing is edited that it does not show')
  setOrder(cabinet, 'canceled', { dealer_id: cast.denis })
  t.notMatch(tools((await ask(root, path)).body).join(), /Edit|payment/)
})

t.test('the only step stands in the dialog, too: a second Enter does not send what it asks for', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, as, cast } = cabinet
  const { id } = transitionBetween(cabinet, 'new', 'apply')
  const order = setOrder(cabinet, 'new', { dealer_id: cast.denis })
  db.update(statusTransitions).set({ dealer_can: false }).run()
  db.$client.prepare('update status_transitions set dealer_can = 1, required_fields = ? where id = ?').run('["receiver"]', id)
  setOrder(cabinet, 'new', { receiver: null })
  const { body } = await ask(await as('denis'), `/orders/${order}/steps?stays=1`)
  t.equal(parseHtml(body)('[name=receiver]').length, 0)
  t.same(choices(body), ['Send for signing Awaiting signing'])
})

t.test('money that waits comes first for whoever may confirm it; others read who may', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, as } = cabinet
  const { order, payment } = waiting(cabinet)
  const root = await as('root')
  const shown = await ask(root, `/orders/${order}/steps?stays=1`)
  t.match(choices(shown.body).slice(0, 2), [/^Confirm payment 40,00 ₽$/, /^Reject payment 40,00 ₽$/])
  t.equal(parseHtml(shown.body)('[autofocus]').text().trim().slice(0, 15), 'Confirm payment')
  for (const name of ['maria', 'denis'] as const)
    for (const path of [`/orders/${order}/steps`, `/payments/${payment}/steps`])
      t.notMatch(choices((await ask(await as(name), path)).body).join(), /(Confirm|Reject) payment/, `${name} ${path}`)
  t.match(textOf((await ask(await as('maria'), `/payments/${payment}/steps`)).body), /Payment can be confirmed by: Adminov Anton/)
  const dealers = textOf((await ask(await as('denis'), `/payments/${payment}/steps`)).body)
  t.match(dealers, /We confirm it as soon as the money has arrived/)
  t.notMatch(dealers, /Adminov/)
  t.same(choices((await ask(root, `/payments/${payment}/steps`)).body), ['Confirm payment', 'Reject payment'])
  await root.post(`/payments/${payment}/confirm`, { stays: '1' })
  t.same(choices((await ask(root, `/payments/${payment}/steps`)).body), ['Correct', 'Reverse'])
  t.equal(db.select().from(payments).get()?.state, 'confirmed')
  t.match(textOf((await ask(await as('maria'), `/payments/${payment}/steps`)).body), /nothing for you to do/)
  t.equal((await ask(await as('daria'), `/payments/${payment}/steps`)).statusCode, 403)
  t.equal((await ask(await as('daria'), `/orders/${order}/steps`)).statusCode, 403)
})

t.test('what the balance is enough for is paid from it first, by whoever may, and leads back to where it was asked', async (t) => {
  const { db, cast, as, ...cabinet } = await startCabinet(t)
  const { alpha } = cast.companies
  const order = setOrder({ db, cast, as, ...cabinet }, 'payment', { dealer_id: cast.denis, company_id: alpha, cost: 10_000 })
  const root = await as('root')
  const path = `/orders/${order}/steps?stays=1`
  const first = async (name: 'denis' | 'root' | 'maria') => choices((await ask(await as(name), path)).body)[0] ?? ''
  const credit = (amount: string) =>
    root.post('/payments/add', { company_id: String(alpha), amount, date: '2026-02-05', kind: 'transfer', once: '' })
  await credit('99')
  t.notMatch(await first('denis'), /balance/, 'not while it is not enough')
  await credit('1')
  t.match(await first('denis'), /^Pay from balance 100,00 ₽$/)
  t.match(await first('root'), /^Pay from balance/)
  t.notMatch(await first('maria'), /balance/)
  const { body } = await ask(await as('denis'), path)
  const asks = parseHtml(body)('.bulk-choices form').first()
  t.equal(asks.attr('action'), `/orders/${order}/pay-from-balance`)
  t.equal(asks.find('[name=stays]').attr('value'), '1')
  const unsent = setOrder({ db, cast, as, ...cabinet }, 'new', { dealer_id: cast.denis, company_id: alpha, cost: 10_000 })
  const offered = choices((await ask(root, `/orders/${unsent}/steps?stays=1`)).body)
  t.match(offered.at(0), /^Send for signing/, 'where its step asks for no payment, that comes first')
  t.match(offered.at(-2), /^Pay from balance/)
})

t.test('whoever acts beside the page of an order stays where they are', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  db.update(statusTransitions).set({ required_fields: [], issues: [] }).run()
  const { id } = transitionBetween(cabinet, 'new', 'apply')
  const root = await as('root')
  const order = insertOrder(cabinet, 'new', { id: 77, dealer_id: cast.denis })
  const leadsTo = async (from: string, fields = {}) => {
    const answer = await root.post(`/orders/${order}/transition`, { transition_id: id, stays: '1', ...fields }, { referer: from })
    t.equal(orderOf(db, order).status_id, statusId('apply'))
    db.update(orders)
      .set({ status_id: statusId('new') })
      .where(eq(orders.id, order))
      .run()
    return String(answer.headers.location)
  }
  const here = 'http://127.0.0.1'
  t.equal(await leadsTo(`${here}/orders?sort=id&dir=asc`), '/orders?sort=id&dir=asc#orders-77')
  t.equal(await leadsTo(`${here}/orders/board?canceled=1&moved=7`), '/orders/board?canceled=1&moved=77')
  t.equal(await leadsTo(`${here}/`), '/')
  t.equal(await leadsTo(`${here}/companies/${cast.companies.alpha}`), `/companies/${cast.companies.alpha}`)
  t.equal(await leadsTo(`${here}/orders/77?back=%3F`, { back: '?', next: '9' }), '/orders/77?back=%3F&next=9')
  t.equal(await leadsTo(''), '/orders/77', 'without a page behind it, on that of the order')
  t.equal(await leadsTo('http://evil.example//evil.example/'), '/orders/77')

  const other = insertOrder(cabinet, 'payment', { dealer_id: cast.denis, company_id: cast.companies.alpha, cost: 10_000 })
  const confirm = async (from: string) => {
    const payment = insertPayment(db, other, { amount: 100 })
    const answer = await root.post(`/payments/${payment}/confirm`, { stays: '1' }, { referer: here + from })
    return String(answer.headers.location).replace(String(payment), 'N')
  }
  t.equal(await confirm('/payments?state=reported'), '/payments?state=reported#payments-N')
  t.equal(await confirm('/'), '/')
  t.equal(await confirm('/orders?q=a'), `/orders?q=a#orders-${other}`)
  t.equal(await confirm(`/orders/${other}`), `/orders/${other}#payments`)
})
