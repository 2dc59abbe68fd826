import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { creditOf, excessWith, lackingFor } from '../../src/core/credit.ts'
import {
  categories,
  categoryCompany,
  companies,
  ledgerEntries,
  orders,
  settings,
  statusTransitions,
  users,
} from '../../src/database/schema/index.ts'
import { settleOrder } from '../../src/modules/ledger/book.ts'
import { type Answer, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { elementsOf, errorsOf, fieldOf, parseHtml, rowsOf, textOf, textsByRole } from '../support/html.ts'
import { balanceOf, entriesOf, payOrder } from '../support/ledger.ts'
import { historyOf, insertOrder, orderOf, requestTransition, statusId, transitionBetween } from '../support/orders.ts'
import { dayIn } from '../support/products.ts'

const system = { id: null, name: 'System' }

/** Orders of Alpha; Maria manages it, Denis orders for it. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast } = cabinet
  const alpha = cast.companies.alpha
  const place = (cost: number, due_since: string | null = null, status = due_since ? 'payment' : 'apply') => {
    const id = insertOrder(cabinet, status, { dealer_id: cast.denis, company_id: alpha, cost, due_since })
    settleOrder(db, id, system)
    return id
  }
  const pay = (order_id: number, amount: number) => payOrder(db, order_id, amount, dayIn(0))
  const terms = (values: Partial<typeof companies.$inferInsert>) => db.update(companies).set(values).where(eq(companies.id, alpha)).run()
  const step = transitionBetween(cabinet, 'apply', 'payment').id
  const conditions = (values: Partial<typeof statusTransitions.$inferInsert>) =>
    db
      .update(statusTransitions)
      .set({ required_fields: [], issues: [], ...values })
      .where(eq(statusTransitions.id, step))
      .run()
  return { ...cabinet, alpha, place, pay, terms, conditions, step }
}

const amount = (answer: Answer, name: string) => {
  const shown = parseHtml(answer.body)(`[data-${name}]`).first().attr('data-kopecks')
  return shown === undefined ? undefined : Number(shown)
}

const alerts = (answer: Answer) => textsByRole(answer, 'alert').join(' ').replaceAll(/\s/g, ' ')

t.test('what is overdue is never more than what is owed, and of the limit is left what is not owed', (t) => {
  t.same(creditOf({ balance: -500, lacking: 700, limit: 300 }), { owed: 500, overdue: 500, left: -200 })
  t.same(creditOf({ balance: -500, lacking: 200, limit: null }), { owed: 500, overdue: 200, left: null })
  t.same(creditOf({ balance: 100, lacking: 700, limit: 0 }), { owed: 0, overdue: 0, left: 100 })
  t.same([lackingFor(50, 101, 50), lackingFor(50, 101, 51), lackingFor(100, 0, 0), lackingFor(1, 1, 0)], [1, 0, 0, 1])
  const account = { charged: 0, paid: 0, balance: -400, credit_limit: 1000 }
  t.same([excessWith(600, account), excessWith(601, account)], [0, 1])
  t.equal(excessWith(601, { ...account, charged: 601 }), 0, 'what was charged already is in the balance')
  t.equal(excessWith(1_000_000, { ...account, credit_limit: null }), 0)
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.maxSafeNat(), (percent, cost) => {
      const least = lackingFor(percent, cost, 0)
      return BigInt(least) * 100n >= BigInt(cost) * BigInt(percent) && BigInt(least - 1) * 100n < BigInt(cost) * BigInt(percent)
    }),
  )
  t.end()
})

t.test('company page, ledger and dashboard show balance, debt, what is overdue and what is left of the limit', async (t) => {
  const { as, alpha, place, pay, terms } = await start(t)
  terms({ credit_limit: 500_000, payment_days: 7 })
  const late = place(300_000, dayIn(-8))
  place(200_000, dayIn(-7))
  pay(late, 50_000)
  const [maria, denis] = [await as('maria'), await as('denis')]
  const pages = [await maria.get(`/company/edit/${alpha}?tab=overview`), await maria.get(`/company/edit/${alpha}?tab=ledger`)] as const
  for (const answer of pages) {
    t.equal(answer.statusCode, 200)
    const shown = ['balance', 'owed', 'overdue', 'left'].map((name) => amount(answer, name))
    t.same(shown, [-450_000, undefined, 250_000, 50_000], 'each number once')
    t.equal(parseHtml(answer.body)('[data-kopecks="-450000"]').closest('dl').length, 1)
  }
  const home = await denis.get('/')
  t.same(
    ['balance', 'owed', 'overdue', 'left'].map((name) => amount(home, name)),
    [-450_000, undefined, 250_000, 50_000],
    'the dealer reads one number of what is owed',
  )
  t.equal((await maria.get(`/company/edit/${alpha}?tab=overview`)).body.includes('Days to pay'), true)
  terms({ credit_limit: null, payment_days: null })
  const free = await maria.get(`/company/edit/${alpha}?tab=overview`)
  t.same(
    ['balance', 'overdue', 'left'].map((name) => amount(free, name)),
    [-450_000, undefined, undefined],
  )
  pay(late, 600_000)
  const credit = await maria.get(`/company/edit/${alpha}?tab=overview`)
  t.same(
    ['balance', 'owed'].map((name) => amount(credit, name)),
    [150_000, 200_000],
    'money that pays no order pays no debt',
  )
})

t.test('what is paid of an order before it is charged leaves the limit as it is, and serves that order', async (t) => {
  const cabinet = await start(t)
  const { as, cast, alpha, place, pay, terms, conditions, step } = cabinet
  terms({ credit_limit: 500_000, payment_days: 7 })
  conditions({ within_limit: true })
  place(300_000, dayIn(0))
  const prepaid = place(800_000)
  pay(prepaid, 800_000)
  pay(insertOrder(cabinet, 'apply', { dealer_id: cast.daria, company_id: cast.companies.beta, cost: 100_000 }), 100_000)
  const maria = await as('maria')
  const overview = await maria.get(`/company/edit/${alpha}?tab=overview`)
  t.same(
    ['balance', 'owed', 'left'].map((name) => amount(overview, name)),
    [500_000, 300_000, 200_000],
  )
  const home = await (await as('denis')).get('/')
  const parts = ['prepaid', 'owed', 'balance', 'left'].map((name) => amount(home, name))
  t.same(parts, [800_000, 300_000, 500_000, undefined], 'what a dealer reads adds up')
  const list = await maria.get('/companies?cols=limit_left')
  t.equal(parseHtml(list.body)(`#companies-${alpha} td[data-col=limit_left]`).attr('data-kopecks'), '200000')
  const ask = async (cost: number) => (await requestTransition(maria, place(cost), step)).statusCode
  t.same([await ask(200_001), await ask(200_000)], [422, 303], 'another order goes as far as is left')
  t.equal((await requestTransition(maria, prepaid, step)).statusCode, 303, 'the order itself has its money')
  const charged = await maria.get(`/company/edit/${alpha}?tab=overview`)
  t.same(
    ['balance', 'left'].map((name) => amount(charged, name)),
    [-500_000, 0],
    'charging it changes nothing of that',
  )
})

t.test('what an order was charged already counts once against the limit', async (t) => {
  const cabinet = await start(t)
  const { as, db, place, terms } = cabinet
  terms({ credit_limit: 500_000, payment_days: 7 })
  const next = transitionBetween(cabinet, 'payment', 'paid').id
  const within_limit = { required_fields: [], issues: [], min_paid: null, within_limit: true }
  db.update(statusTransitions).set(within_limit).where(eq(statusTransitions.id, next)).run()
  const order = place(500_000, dayIn(0))
  t.equal((await requestTransition(await as('root'), order, next)).statusCode, 303, 'the limit is just reached')
})

t.test('the ledger lists the entries of its company, newest first, with filters and a spreadsheet', async (t) => {
  const cabinet = await start(t)
  const { as, db, alpha, cast, place, pay } = cabinet
  grant(db, cast.maria, 'company_can_view')
  const first = place(1000, dayIn(0))
  const second = place(2000, dayIn(0))
  pay(first, 700)
  const foreign = insertOrder(cabinet, 'payment', { dealer_id: cast.daria, company_id: cast.companies.beta, cost: 5, due_since: dayIn(0) })
  settleOrder(db, foreign, system)
  const maria = await as('maria')
  const tab = `/company/edit/${alpha}?tab=ledger`
  const rows = async (address: string, browser = maria) =>
    elementsOf((await browser.get(address)).body, 'tbody tr').map((row) =>
      Number(parseHtml(`<table>${row}</table>`)('td[data-col=amount]').attr('data-kopecks')),
    )
  t.same(await rows(tab), [700, -2000, -1000])
  const [newest] = entriesOf(db, first).slice(-1)
  t.equal(elementsOf((await maria.get(tab)).body, `#ledger-${newest?.id}`).length, 1)
  t.same(await rows(`${tab}&kind=charge`), [-2000, -1000])
  t.same(await rows(`${tab}&order=${second}`), [-2000])
  t.same(await rows(`${tab}&from=${dayIn(1)}`), [])
  t.same(await rows('/ledger'), [-5, 700, -2000, -1000])
  const charges = parseHtml((await maria.get('/ledger?kind=charge')).body)
  const named = charges('td[data-col=company] a')
  const ofBeta = named.first().attr('href')
  t.equal(ofBeta, `/ledger?kind=charge&company=${cast.companies.beta}`, 'a name leads to the entries of that company')
  t.same(
    named.toArray().map(({ attribs }) => attribs.title),
    ['Show only ООО «Бета Ёлка»', 'Show only Alpha Windows', 'Show only Alpha Windows'],
    'each link says whose entries it shows',
  )
  t.same(await rows(ofBeta as string), [-5])
  const sheet = await maria.get(`/ledger/export?format=csv&company=${alpha}`)
  t.match(sheet.body, /Payment,\d+,7,/)
  t.notMatch(sheet.body, /,-0[.,]05|Beta/)
  t.same(await rows('/ledger', await as('denis')), [700, -2000, -1000], 'dealers: their own company')
  t.same(await rows(`/ledger?company=${cast.companies.beta}`, await as('denis')), [])
  revoke(db, cast.maria, 'company_can_view')
  t.same(await rows('/ledger'), [700, -2000, -1000], 'managers: their companies')
  t.equal((await maria.get(`/company/edit/${cast.companies.beta}?tab=ledger`)).statusCode, 403)
})

t.test('nobody sees any of it without the right to see prices', async (t) => {
  const { as, db, alpha, cast, place, terms } = await start(t)
  terms({ credit_limit: 777_777, payment_days: 7 })
  place(333_333, dayIn(-8))
  grant(db, cast.maria, 'company_can_edit_limit')
  revoke(db, cast.maria, 'order_can_view_prices')
  revoke(db, cast.denis, 'order_can_view_prices')
  const [maria, denis] = [await as('maria'), await as('denis')]
  t.equal((await maria.get(`/company/edit/${alpha}?tab=ledger`)).statusCode, 403)
  for (const browser of [maria, denis, await as('pavel')])
    for (const address of ['/ledger', '/ledger/export?format=csv', `/company/${alpha}/ledger`])
      t.equal((await browser.get(address)).statusCode, 403, address)
  for (const answer of [
    await maria.get(`/company/edit/${alpha}?tab=overview`),
    await maria.get(`/company/edit/${alpha}`),
    await denis.get('/'),
  ])
    t.notMatch(answer.body.replaceAll(/[\s&nbsp;]/g, ''), /3333[.,]33|7777[.,]77|4444|Ledger|Creditlimit/)
})

t.test('limit and days are set by those who may; for everybody else they are 403', async (t) => {
  const { as, db, alpha, cast } = await start(t)
  grant(db, cast.maria, 'company_manager_can_edit')
  const maria = await as('maria')
  const address = `/company/edit/${alpha}`
  for (const fields of [{ credit_limit: '5000' }, { payment_days: 3 }] as Fields[])
    t.equal((await maria.post(address, { org: 'Alpha', ...fields })).statusCode, 403)
  grant(db, cast.maria, 'company_can_edit_limit')
  t.equal((await maria.post(address, { credit_limit: '5 000,50', payment_days: 3 })).statusCode, 303)
  const stored = () => db.select().from(companies).where(eq(companies.id, alpha)).get()
  t.match(stored(), { credit_limit: 500_050, payment_days: 3 })
  for (const fields of [{ credit_limit: '-1' }, { credit_limit: '1,005' }, { payment_days: -1 }, { payment_days: '1.5' }] as Fields[])
    t.equal((await maria.post(address, fields)).statusCode, 422, JSON.stringify(fields))
  t.equal((await maria.post(address, { credit_limit: '0', payment_days: '' })).statusCode, 303)
  t.match(stored(), { credit_limit: 0, payment_days: null })
})

t.test('a correction or a refund is one entry more; what was booked stays', async (t) => {
  const cabinet = await start(t)
  const { as, db, alpha, cast, place } = cabinet
  const order = place(1000, dayIn(0))
  const foreign = insertOrder(cabinet, 'apply', { dealer_id: cast.daria, company_id: cast.companies.beta, cost: 5 })
  const before = db.select().from(ledgerEntries).all()
  const address = `/company/${alpha}/ledger`
  const maria = await as('maria')
  t.equal((await maria.get(address)).statusCode, 403)
  t.equal((await maria.post(address, { kind: 'correction', amount: '5' })).statusCode, 403)
  t.equal((await (await as('denis')).post(address, { kind: 'correction', amount: '5' })).statusCode, 403)
  const root = await as('root')
  t.equal((await root.get(address)).statusCode, 200)
  const wrong: [Fields, string][] = [
    [{ amount: '0' }, 'amount'],
    [{ amount: '' }, 'amount'],
    [{ amount: '1,005' }, 'amount'],
    [{ amount: 'ten' }, 'amount'],
    [{ amount: '999999999999999999' }, 'amount'],
    [{ kind: 'refund', amount: '-0,01' }, 'amount'],
    [{ kind: 'charge', amount: '5' }, 'kind'],
    [{ kind: 'payment', amount: '5' }, 'kind'],
    [{ amount: '5', order_id: foreign }, 'order_id'],
    [{ amount: '5', order_id: 99_999 }, 'order_id'],
  ]
  for (const [fields, field] of wrong) {
    const answer = await root.post(address, { kind: 'correction', note: 'typed', ...fields })
    t.equal(answer.statusCode, 422, JSON.stringify(fields))
    t.ok(errorsOf(answer)[field], JSON.stringify(fields))
    t.equal(fieldOf(answer, 'note')?.value, 'typed')
  }
  t.same(db.select().from(ledgerEntries).all(), before)
  t.equal((await root.post('/company/99999/ledger', { kind: 'correction', amount: '5' })).statusCode, 404)
  const once = { once: crypto.randomUUID() }
  for (const _ of [1, 2]) {
    const saved = await root.post(address, { kind: 'correction', amount: '-12,50', order_id: order, note: 'Opening balance', ...once })
    t.equal(saved.statusCode, 303)
    t.equal(saved.headers.location, `/company/edit/${alpha}?tab=ledger`)
  }
  t.equal((await root.post(address, { kind: 'refund', amount: '3' })).statusCode, 303)
  const entries = db.select().from(ledgerEntries).where(eq(ledgerEntries.company_id, alpha)).all()
  t.same(entries.slice(0, before.length), before)
  t.match(entries.slice(before.length), [
    { kind: 'correction', amount: -1250, order_id: order, note: 'Opening balance', actor_id: cast.root },
    { kind: 'refund', amount: -300, order_id: null },
  ])
  t.equal(balanceOf(db, alpha), -1000 - 1250 - 300)
})

t.test('a step can require that so much of the cost is paid', async (t) => {
  const { as, db, place, pay, conditions, step } = await start(t)
  conditions({ min_paid: 50 })
  const order = place(100_001)
  const maria = await as('maria')
  for (const address of [`/orders/edit/${order}/transition`, `/orders/${order}/transition`])
    for (const headers of [{}, htmx]) {
      const answer = await maria.post(address, { transition_id: step, note: 'as agreed' }, headers)
      t.equal(answer.statusCode, 422)
      t.match(alerts(answer), /Requires 50% of the cost paid: 500,01 ₽ lacking/)
      t.equal(fieldOf(answer, 'note')?.value, 'as agreed')
    }
  pay(order, 50_000)
  t.match(textOf((await maria.get(`/orders/${order}`)).body).replaceAll(/\s/g, ' '), /0,01 ₽ lacking/, 'the button says why')
  t.equal((await requestTransition(maria, order, step)).statusCode, 422)
  pay(order, 1)
  t.equal((await requestTransition(maria, order, step)).statusCode, 303)
  const free = place(0)
  t.equal((await requestTransition(maria, free, step)).statusCode, 303, 'nothing is paid of nothing')
  t.equal(orderOf(db, order).status_id, statusId('payment'))
})

t.test('a step can require that the company stays within its limit, this order counted', async (t) => {
  const { as, db, cast, place, pay, terms, conditions, step } = await start(t)
  conditions({ within_limit: true })
  const other = place(400_000, dayIn(0))
  const order = place(100_001)
  const maria = await as('maria')
  const move = (fields: Fields = {}, browser = maria) => requestTransition(browser, order, step, fields)
  terms({ credit_limit: 500_000 })
  const refused = await move({ note: 'as agreed' })
  t.equal(refused.statusCode, 422)
  t.match(alerts(refused), /Exceeds the credit limit of the company by 0,01 ₽/)
  t.equal(fieldOf(refused, 'exceed_reason'), undefined)
  t.equal((await move({ exceed_reason: 'Please' })).statusCode, 403, 'who may not exceed it gives no reason')
  revoke(db, cast.maria, 'order_can_view_prices')
  const blind = await move()
  t.equal(blind.statusCode, 422)
  t.match(alerts(blind), 'The payment terms of this step are not met')
  t.notMatch(textOf(blind.body).replaceAll(/\s/g, ' '), /limit of the company|0,01/)
  grant(db, cast.maria, 'order_can_view_prices')
  terms({ credit_limit: 0 })
  t.match(alerts(await move()), /by 5 000,01 ₽/, 'paid in advance')
  pay(other, 500_001)
  t.match(alerts(await move()), /by 1 000,01 ₽/, 'money that pays no order leaves the limit as it is')
  t.equal((await (await as('admin')).post(`/orders/${order}/pay-from-balance`)).statusCode, 303)
  t.equal((await move()).statusCode, 303)
  t.equal(balanceOf(db, cast.companies.alpha), 0)
  const next = place(1)
  terms({ credit_limit: null })
  t.equal((await requestTransition(maria, next, step)).statusCode, 303, 'without a limit nothing is checked')
})

t.test('whoever may exceed the limit says why, which the history keeps', async (t) => {
  const { as, db, place, terms, conditions, step, cast } = await start(t)
  conditions({ within_limit: true, min_paid: null })
  terms({ credit_limit: 0 })
  const order = place(100_000)
  const root = await as('root')
  const asked = await requestTransition(root, order, step, { note: 'as agreed' })
  t.equal(asked.statusCode, 422)
  t.match(errorsOf(asked).exceed_reason?.replaceAll(/\s/g, ' '), /by 1 000,00 ₽/)
  t.equal(fieldOf(asked, 'note')?.value, 'as agreed')
  t.ok(fieldOf(await root.get(`/orders/${order}?transition_id=${step}`), 'exceed_reason'), 'asked before it is tried')
  t.equal((await requestTransition(root, order, step, { exceed_reason: '  ' })).statusCode, 422)
  t.equal((await requestTransition(root, order, step, { exceed_reason: 'An old customer' })).statusCode, 303)
  t.match(historyOf({ db }, order)[0], { exceed_reason: 'An old customer' })
  for (const address of [`/orders/${order}`, `/orders/edit/${order}?tab=history`])
    t.match(textOf((await root.get(address)).body), 'An old customer', address)
  revoke(db, cast.maria, 'order_can_view_prices')
  t.notMatch((await (await as('maria')).get(`/orders/${order}`)).body, 'An old customer')
  terms({ credit_limit: null })
  const other = place(5)
  t.equal((await requestTransition(root, other, step, { exceed_reason: 'Not needed' })).statusCode, 303)
  t.match(historyOf({ db }, other)[0], { exceed_reason: null }, 'a reason for nothing is not kept')
  conditions({ within_limit: false, min_paid: 10 })
  const unpaid = place(100)
  t.equal((await requestTransition(root, unpaid, step, { exceed_reason: 'Trust' })).statusCode, 422, 'only the limit can be exceeded')
  conditions({ within_limit: true, min_paid: 10 })
  terms({ credit_limit: 0 })
  const both = await requestTransition(root, unpaid, step, { exceed_reason: 'Trust' })
  t.equal(both.statusCode, 422)
  t.match(alerts(both), /Requires 10% of the cost paid/)
  t.equal(fieldOf(both, 'exceed_reason')?.value, 'Trust')
})

t.test('many at once: those that meet the conditions move, the others say why', async (t) => {
  const { as, db, place, pay, terms, conditions, step } = await start(t)
  conditions({ min_paid: 50, within_limit: true })
  terms({ credit_limit: 0 })
  const [paid, half, none] = [place(1000), place(1000), place(1000)] as [number, number, number]
  pay(paid, 1000)
  pay(half, 500)
  const answer = await (await as('root')).post('/orders/transitions', { transition_id: step, id: [paid, half, none] })
  t.equal(answer.statusCode, 200)
  const reasonOf = (order: number) => textOf(elementsOf(answer.body, `[data-result="${order}"]`).join()).replaceAll(/\s/g, ' ')
  t.match(reasonOf(half), `#${half} : Exceeds the credit limit of the company by 5,00 ₽`)
  t.match(reasonOf(none), `#${none} : Requires 50% of the cost paid: 5,00 ₽ lacking`)
  t.same(
    [paid, half, none].map((order) => new RegExp(`data-result="${order}" data-moved="(\\d)"`).exec(answer.body)?.[1]),
    ['1', '0', '0'],
  )
  t.equal(orderOf(db, paid).status_id, statusId('payment'))
})

t.test('table and diagram, preview and check of the workflow, and the dry run name the conditions', async (t) => {
  const { as, db, place, terms, step } = await start(t)
  const root = await as('root')
  const [row] = db.select().from(statusTransitions).where(eq(statusTransitions.id, step)).all()
  const form = await root.get('/status/edit/apply?tab=transitions')
  t.ok(fieldOf(form, 'transitions[0][min_paid]'))
  const sent = (more: Fields): Fields => ({
    transitions: '',
    'transitions[0][id]': step,
    'transitions[0][child_status_id]': Number(row?.child_status_id),
    'transitions[0][required_fields]': '',
    'transitions[0][manager_can]': 1,
    ...more,
  })
  const rules = { 'transitions[0][min_paid]': 30, 'transitions[0][within_limit]': 1 }
  const preview = await root.post('/status/edit/apply', sent({ ...rules, _preview: 1 }))
  t.match(textOf(preview.body), /would also require .*30% paid, within the credit limit/)
  for (const wrong of ['0', '101', '5.5', 'x'])
    t.equal((await root.post('/status/edit/apply', sent({ 'transitions[0][min_paid]': wrong }))).statusCode, 422, wrong)
  t.equal((await root.post('/status/edit/apply', sent(rules))).statusCode, 303)
  t.match(db.select().from(statusTransitions).where(eq(statusTransitions.id, step)).get(), { min_paid: 30, within_limit: true })
  const page = (await root.get('/statuses')).body
  t.match(textOf(page), /30% paid, within the credit limit/)
  t.match(page, /<title>[^<]*; 30% paid, within the credit limit<\/title>/)
  t.notMatch(textOf(page), 'no active user may confirm payments')
  terms({ credit_limit: 0 })
  const order = place(100_000)
  const tried = textOf((await root.get(`/orders/try?order=${order}&role=manager&way=${step}`)).body).replaceAll(/\s/g, ' ')
  t.match(tried, /Requires 30% of the cost paid: 300,00 ₽ lacking/)
  t.match(tried, /Exceeds the credit limit of the company by 1 000,00 ₽/)
  t.equal(historyOf({ db }, order).length, 0)
})

t.test('an order that is overpaid does not make up for one that is overdue, and its last day is in time', async (t) => {
  const { as, alpha, place, pay, terms } = await start(t)
  terms({ payment_days: 7 })
  place(10_000, dayIn(-8))
  pay(place(10_000, dayIn(-9)), 15_000)
  place(50_000, dayIn(-7))
  const page = await (await as('maria')).get(`/company/edit/${alpha}?tab=overview`)
  t.same(
    ['balance', 'owed', 'overdue', 'left'].map((name) => amount(page, name)),
    [-55_000, 60_000, 10_000, undefined],
  )
})

t.test('a limit that is used up exactly is not exceeded; the dashboard shows a limit of which nothing is used', async (t) => {
  const { as, alpha, place, terms } = await start(t)
  const denis = await as('denis')
  const dashboard = async () => elementsOf((await denis.get('/')).body, '[aria-labelledby="your-payments"]')
  t.same(await dashboard(), [], 'neither entries nor a limit')
  terms({ credit_limit: 10_000 })
  t.match(textOf((await dashboard())[0] ?? ''), /Left of the credit limit of 100,00 ₽ 100,00/)
  place(10_000, dayIn(0))
  const late = async () => {
    const page = await (await as('maria')).get(`/company/edit/${alpha}?tab=overview`)
    return [amount(page, 'left'), elementsOf(page.body, '.record-facts .is-late').length]
  }
  t.same(await late(), [0, 0])
  terms({ credit_limit: 9_999 })
  t.same(await late(), [-1, 1])
  terms({ credit_limit: 0 })
  t.match(
    textOf((await (await as('maria')).get(`/company/edit/${alpha}?tab=overview`)).body),
    /Credit limit 0,00/,
    'paid in advance is filled in',
  )
})

t.test('an entry leads to its order only where that may be seen, and says who made it for whom', async (t) => {
  const cabinet = await start(t)
  const { as, db, alpha, cast, place } = cabinet
  const [kept, moved] = [place(1000, dayIn(0)), place(2000, dayIn(0))]
  db.update(orders).set({ dealer_id: cast.daria }).where(eq(orders.id, moved)).run()
  const root = await as('root')
  await root.get(`/impersonate/${cast.admin}`)
  grant(db, cast.admin, 'company_can_edit_limit')
  const fields = { kind: 'correction', amount: '3', order_id: kept, note: 'Found later' }
  t.equal((await root.post(`/company/${alpha}/ledger`, fields)).statusCode, 303)
  const roman = await as('roman')
  const rows = async (query = '') => rowsOf(await roman.get(`/ledger${query}`), 'ledger')
  const [newest, ofMoved, ofKept] = await rows()
  const linkIn = (html = '') => parseHtml(`<table>${html}</table>`)('td[data-col=order] a').attr('href')
  t.same([linkIn(newest?.html), linkIn(ofMoved?.html), linkIn(ofKept?.html)], [`/orders/${kept}`, undefined, `/orders/${kept}`])
  t.match(ofMoved?.cells.order, `#${moved}`, 'its number stays')
  t.match(newest?.cells, { note: 'Found later', actor: 'Adminov Anton impersonated by Root Olga' })
  t.same(
    (await rows('?q=adminov')).map(({ id }) => id),
    [newest?.id],
    'by who made it',
  )
  t.same(
    (await rows('?q=found')).map(({ id }) => id),
    [newest?.id],
    'by its note',
  )
  const [header, line] = (await roman.get('/ledger/export?format=csv&q=found')).body.trim().split(/\r?\n/)
  t.match(header, /^\W?Date,Company,Entry,Order,Amount,Note,Who,Impersonation,Entered$/)
  t.match(line, `,Alpha Windows,Correction,${kept},3,Found later,Adminov Anton,Root Olga`)
})

t.test('the form of a ledger entry names its company, and leads back to its ledger', async (t) => {
  const { as, alpha } = await start(t)
  const form = await (await as('root')).get(`/company/${alpha}/ledger`)
  t.match(textOf(elementsOf(form.body, '#dialog-title')[0] ?? ''), 'Ledger entry: Alpha Windows')
  t.equal(parseHtml(form.body)('[data-close]').attr('href'), `/company/edit/${alpha}?tab=ledger`)
})

t.test('the tab of a company exports what it shows of that company, and offers a correction only to those who may', async (t) => {
  const { as, alpha, cast, db } = await start(t)
  const root = await as('root')
  const enter = (company: number, note: string) => root.post(`/company/${company}/ledger`, { kind: 'correction', amount: '1', note })
  for (const note of ['Opening balance', 'Found later']) await enter(alpha, note)
  await enter(cast.companies.beta, 'Found later')
  const links = async (name: Name, place: string, query = '') =>
    elementsOf((await (await as(name)).get(`/company/edit/${alpha}?tab=ledger${query}`)).body, place).map(
      (link) => parseHtml(link)('a').attr('href') as string,
    )
  const exports = (more: string) => ['xlsx', 'csv'].map((format) => `/ledger/export?format=${format}&company=${alpha}${more}`)
  t.same(await links('maria', '#ledger-export a'), exports(''))
  const [, narrowed = ''] = await links('maria', '#ledger-export a', '&q=later&kind=correction')
  t.same([narrowed], exports('&q=later&kind=correction').slice(1))
  t.same((await (await as('maria')).get(narrowed)).body.match(/Opening balance|Found later/g), ['Found later'])
  const act = `/company/${alpha}/reconciliation`
  t.same(await links('maria', '.ledger-account a'), [act])
  grant(db, cast.maria, 'company_can_edit_limit')
  t.same(await links('maria', '.ledger-account a'), [act, `/company/${alpha}/ledger`])
})

t.test(
  'the dashboard of a dealer names the manager of the company while they are there, and its discounts in the order of their names',
  async (t) => {
    const { as, db, alpha, cast, terms } = await start(t)
    const doors = Number(db.insert(categories).values({ name: 'Doors', search: 'doors' }).run().lastInsertRowid)
    terms({ discount: 12 })
    db.insert(categoryCompany)
      .values([
        { company_id: alpha, category_id: cast.category, discount: 15 },
        { company_id: alpha, category_id: doors, discount: 0 },
        { company_id: cast.companies.beta, category_id: doors, discount: 44 },
      ])
      .run()
    const denis = await as('denis')
    const part = async (id: string) => textOf(elementsOf((await denis.get('/')).body, `[aria-labelledby="your-${id}"]`)[0] ?? '')
    t.match((await part('discounts')).replaceAll(/\s/g, ' '), /Base discount 12% By category: 2 Doors 0% Windows 15%$/)
    t.match(await part('contact'), /^Your manager MP Petrova Maria Ivanovna maria@example\.com$/)
    t.match(await part('discounts'), /^Your discounts Base/)
    db.update(users).set({ active: false }).where(eq(users.id, cast.maria)).run()
    t.equal(await part('contact'), '', 'nobody is asked to write to who is gone')
    db.update(settings).set({ contact_phone: '+7 (495) 111-22-33' }).run()
    t.match(await part('contact'), /^Contacts Dealer cabinet \+7 \(495\) 111-22-33$/)
    db.update(settings).set({ name: 'Windows and Gates', contact_email: 'sales@example.com' }).run()
    t.match(await part('contact'), /^Contacts Windows and Gates .*33 sales@example\.com$/)
    db.update(users).set({ manager_id: cast.mikhail }).where(eq(users.id, cast.denis)).run()
    t.notMatch(await part('contact'), /manager/, 'their own manager decides only where the company has none')
    db.update(companies).set({ manager_id: null }).where(eq(companies.id, alpha)).run()
    t.match(await part('contact'), /^Your manager/)
    db.update(users).set({ manager_id: cast.root }).where(eq(users.id, cast.denis)).run()
    t.notMatch(await part('contact'), /manager/, 'an administrator who added them is none')
  },
)
