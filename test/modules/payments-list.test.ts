import { eq } from 'drizzle-orm'
import t from 'tap'
import { ledgerEntries, payments } from '../../src/database/schema/index.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { elementsOf, hiddenOf, idsOf, parseHtml, rowsOf, textOf, textsByRole, totalOf } from '../support/html.ts'
import { amountsOf, insertPayment } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

const resultsOf = ({ body }: Answer) =>
  Object.fromEntries([...body.matchAll(/data-result="(\d+)" data-moved="([01])"/g)].map(([, id, moved]) => [id, moved === '1']))

/** One payment of Alpha's order waits, one of it is confirmed, one of Beta's waits. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast } = cabinet
  const betas = insertOrder(cabinet, 'payment', { dealer_id: cast.daria, company_id: cast.companies.beta })
  const confirmed = insertPayment(db, cast.order, { state: 'confirmed', amount: 5_00, date: '2026-02-01' })
  const ofAlpha = insertPayment(db, cast.order, { amount: 400_50, note: 'First half' })
  const ofBeta = insertPayment(db, betas, { amount: 7_00, kind: 'cash', reporter_name: 'Королёва Дарья' })
  const state = (id: number) => db.select().from(payments).where(eq(payments.id, id)).get()?.state
  return { ...cabinet, confirmed, ofAlpha, ofBeta, state }
}

t.test('payments that wait for a confirmation stand first, and each sees those of their orders', async (t) => {
  const { as, cast, confirmed, ofAlpha, ofBeta } = await start(t)
  const seen = async (name: Parameters<typeof as>[0], query = '') => idsOf(await (await as(name)).get(`/payments${query}`), 'payments')
  t.same(await seen('admin'), [ofBeta, ofAlpha, confirmed])
  const page = parseHtml((await (await as('admin')).get('/payments?cols=decider', { 'accept-language': 'ru' })).body)
  const people = ['reporter', 'decider'].map((name) => page(`th[data-col=${name}]`).text().trim())
  t.same(people, ['Кто сообщил', 'Кто решил'])
  t.same(await seen('maria'), [ofAlpha, confirmed], 'a manager sees those of their companies')
  t.same(await seen('roman'), [ofAlpha, confirmed], 'a dealer those of the company')
  t.same(await seen('daria'), [ofBeta])
  t.same(await seen('plain'), [])
  t.same(await seen('admin', '?state=confirmed'), [confirmed])
  t.same(await seen('admin', '?kind=cash'), [ofBeta])
  t.same(await seen('admin', '?date_from=2026-02-01'), [confirmed])
  t.same(await seen('admin', `?company=${cast.companies.alpha}`), [ofAlpha, confirmed])
  t.same(await seen('admin', '?q=first'), [ofAlpha], 'by its note')
  t.same(await seen('admin', '?q=ёлка'), [ofBeta], 'by the company')
  t.same(await seen('admin', '?q=королева'), [ofBeta], 'by who reported it')
})

t.test('who does not see prices sees no payments, no count and no export of them', async (t) => {
  const { as, db, cast } = await start(t)
  revoke(db, cast.maria, 'order_can_view_prices')
  const maria = await as('maria')
  for (const path of ['/payments', '/payments/export?format=csv', '/payments?state=reported'])
    t.equal((await maria.get(path)).statusCode, 403)
  t.same(elementsOf((await maria.get('/')).body, 'a[href^="/payments"]'), [])
  t.equal((await (await as('pavel')).get('/payments')).statusCode, 403)
})

t.test('the menu counts the payments that somebody may confirm, and leads to exactly those', async (t) => {
  const { as, db, cast, confirmed, ofAlpha, ofBeta } = await start(t)
  const countFor = async (name: Parameters<typeof as>[0]) =>
    elementsOf((await (await as(name)).get('/')).body, '.sidebar a[href="/payments?state=reported"]').map(textOf)
  t.match((await countFor('admin')).join(), '2')
  t.same(await countFor('maria'), [], 'who confirms nothing is not asked to')
  grant(db, cast.maria, 'payment_can_confirm')
  t.match((await countFor('maria')).join(), '1', 'of the companies of the manager')
  const list = await (await as('admin')).get('/payments?state=reported')
  t.same([totalOf(list, 'payments'), idsOf(list, 'payments')], [2, [ofBeta, ofAlpha]])
  t.notOk(idsOf(list, 'payments').includes(confirmed))
})

t.test('ticked payments are confirmed together after their sum was shown; a rejected one stays and says why', async (t) => {
  const { as, db, cast, ofAlpha, ofBeta, state } = await start(t)
  const rejected = insertPayment(db, cast.order, { state: 'rejected', decider_name: 'Clerkova Klara', reason: 'No' })
  const admin = await as('admin')
  const query = `id=${ofAlpha}&id=${ofBeta}&id=${rejected}`
  const question = await admin.get(`/payments/confirm?${query}`)
  t.match(textOf(question.body), /Confirm 3 payments.*407,50/s)
  t.equal(parseHtml(question.body)('.money').attr('data-kopecks'), '40750')
  t.equal(state(ofAlpha), 'reported', 'asking confirms nothing')
  const body = { id: [ofAlpha, ofBeta, rejected], once: hiddenOf(question, 'once')[0] as string }
  const report = await admin.post('/payments/confirm', body)
  t.equal(report.statusCode, 200)
  t.same(resultsOf(report), { [ofAlpha]: true, [ofBeta]: true, [rejected]: false })
  t.ok(
    parseHtml(report.body)(`[data-result=${ofAlpha}] a`).is(`[href="/payments/${ofAlpha}"]`),
    'the report leads to the pages of payments',
  )
  t.match(textOf(report.body), /2 payments confirmed.*Clerkova Klara has rejected this payment/s)
  t.same([state(ofAlpha), state(ofBeta), state(rejected)], ['confirmed', 'confirmed', 'rejected'])
  t.same(amountsOf(db, cast.order), [['payment', 400_50]])
  t.same(resultsOf(await admin.post('/payments/confirm', body)), resultsOf(report), 'sent twice, it is told once more')
  t.same(resultsOf(await admin.post('/payments/confirm', { id: ofAlpha })), { [ofAlpha]: true })
  t.equal(db.select().from(ledgerEntries).all().length, 2, 'and nothing is booked twice')
})

t.test('one payment of somebody else refuses the whole confirmation, an unknown one too', async (t) => {
  const { as, db, cast, ofAlpha, ofBeta, state } = await start(t)
  grant(db, cast.maria, 'payment_can_confirm')
  const maria = await as('maria')
  t.equal((await maria.post('/payments/confirm', { id: [ofAlpha, ofBeta] })).statusCode, 403)
  t.equal((await maria.post('/payments/confirm', { id: [ofAlpha, 987654] })).statusCode, 404)
  t.equal((await (await as('denis')).post('/payments/confirm', { id: ofAlpha })).statusCode, 403)
  t.same([state(ofAlpha), state(ofBeta)], ['reported', 'reported'])
  t.equal((await maria.post('/payments/confirm', { id: ofAlpha })).statusCode, 200)
  t.equal(state(ofAlpha), 'confirmed')
})

t.test('all payments that a list finds are confirmed, unless it has changed meanwhile (409)', async (t) => {
  const { as, db, cast, ofAlpha, ofBeta, state } = await start(t)
  const admin = await as('admin')
  const seen = hiddenOf(await admin.get('/payments/confirm?all=1&state=reported'), 'seen')
  const later = insertPayment(db, cast.order)
  const late = await admin.post('/payments/confirm', { all: 1, state: 'reported', seen })
  t.equal(late.statusCode, 409)
  t.match(textsByRole(late, 'alert').join(), 'The list has changed')
  t.equal(state(later), 'reported')
  const again = hiddenOf(late, 'seen')
  t.equal((await admin.post('/payments/confirm', { all: 1, state: 'reported', seen: again })).statusCode, 200)
  t.same([ofAlpha, ofBeta, later].map(state), ['confirmed', 'confirmed', 'confirmed'])
})

t.test('a payment that waits is confirmed in its row by those who may, and the list stays as it was', async (t) => {
  const { as, ofAlpha, confirmed, state } = await start(t)
  const buttonOf = async (name: 'denis' | 'clerk' | 'admin', id: number) =>
    parseHtml((await (await as(name)).get('/payments?sort=amount')).body)(`#payments-${id} .row-actions button[form]`)
  t.equal((await buttonOf('denis', ofAlpha)).length, 0)
  t.equal((await buttonOf('admin', confirmed)).length, 0, 'nothing is to be decided')
  const button = await buttonOf('admin', ofAlpha)
  t.same(
    ['form', 'formmethod', 'name'].map((name) => button.attr(name)),
    ['payments-bulk', 'post', 'list'],
  )
  t.match(button.attr('title'), /^Confirm: 400,50/)
  const done = await (await as('admin')).post(String(button.attr('formaction')), { list: 1, sort: 'amount', state: 'reported' })
  t.same([done.statusCode, state(ofAlpha)], [303, 'confirmed'])
  t.equal(done.headers.location, `/payments?state=reported&sort=amount&dir=asc#payments-${ofAlpha}`, 'where the row stands')
})

t.test('payments are found by the number of their order, with # or without; each state says how many of the list it has', async (t) => {
  const { as, cast, db, confirmed, ofAlpha, ofBeta } = await start(t)
  const admin = await as('admin')
  for (const q of [`${cast.order}`, `#${cast.order}`, `№${cast.order}`])
    t.same(idsOf(await admin.get(`/payments?q=${encodeURIComponent(q)}&kind=transfer`), 'payments'), [ofAlpha, confirmed], q)
  t.same(idsOf(await admin.get('/payments?date_until=2026-01-31'), 'payments'), [ofBeta, ofAlpha])
  t.same(
    idsOf(await admin.get('/payments?date_from=2026-01-15&date_until=2026-01-15'), 'payments'),
    [ofBeta, ofAlpha],
    'both days included',
  )
  const counts = async (query: string, browser = admin) =>
    elementsOf((await browser.get(`/payments${query}`)).body, '.list-tabs a').map((tab) => textOf(tab).replace(/\s+/g, ' '))
  const denis = await as('denis')
  t.match((await counts('')).join(), /Reported 2.*Confirmed 1/)
  t.match((await counts('?kind=cash')).join(), /Reported 1/, 'of what is filtered')
  t.match((await counts('', denis)).join(), /Reported 1/, 'of what is seen')
  insertPayment(db, cast.order, { amount: 500 })
  t.match((await counts('', denis)).join(), /Reported 2/, 'as soon as there is one more')
})

t.test('the question of a confirmation names ten payments and counts the others; Cancel leads back to the list as it was', async (t) => {
  const { as, db, cast } = await start(t)
  const many = Array.from({ length: 11 }, (_, at) => insertPayment(db, cast.order, { amount: (at + 1) * 100, note: 'Many' }))
  const admin = await as('admin')
  const asked = async (ids: number[], query = '') => {
    const page = parseHtml((await admin.get(`/payments/confirm?${ids.map((id) => `id=${id}`).join('&')}${query}`)).body)
    const names = page('.confirm-names li').toArray()
    return { names: names.map((name) => page(name).text().trim()), cancel: page('[data-close]').attr('href') }
  }
  const all = await asked(many, '&state=reported&kind=transfer')
  t.same([all.names.length, all.names.at(-1)], [11, 'and 1 more'])
  t.equal(all.cancel, '/payments?state=reported&kind=transfer')
  const ten = await asked(many.slice(1))
  t.match([ten.names.length, ten.names.at(-1)], [10, /^11,00/], 'of ten each is named')
  t.equal(ten.cancel, '/payments')
})

t.test('a row of the payments says for which company and how it was paid, and its tick which one it is', async (t) => {
  const cabinet = await start(t)
  const { as, db, cast, ofAlpha, ofBeta } = cabinet
  const nobodys = insertPayment(db, insertOrder(cabinet, 'payment', { cost: 1 }), { amount: 900 })
  const page = parseHtml((await (await as('admin')).get('/payments')).body)
  const row = (id: number) => {
    const cell = (column: string) => page(`#payments-${id} [data-col=${column}]`).text().trim()
    const tick = page(`#payments-${id} [name=id]`).attr('aria-label')?.replaceAll(/\s/g, ' ')
    return [cell('company'), cell('kind'), tick?.replace('Select: ', '')]
  }
  t.same(row(ofAlpha), ['Alpha Windows', 'Transfer', `400,50 ₽, 15.01.2026, Order #${cast.order}`])
  t.match(row(ofBeta), ['ООО «Бета Ёлка»', 'Cash', /^7,00 ₽, 15\.01\.2026, Order #\d+$/])
  t.match(row(nobodys), ['—', 'Transfer', /^9,00 ₽/])
  const leads = page(`#payments-${ofAlpha} a`).toArray()
  t.same(
    leads.map((link) => [page(link).attr('href'), page(link).hasClass('row-link')]),
    [
      [`/orders/${cast.order}#payments`, false],
      [`/payments/${ofAlpha}?back=%3F`, true],
    ],
    'the row leads to the payment, its number to the order',
  )
})

t.test('who decided about a payment is a column of its own, on the page and in the spreadsheet', async (t) => {
  const { as, db, cast, ofAlpha } = await start(t)
  const values = { state: 'confirmed', decider_name: 'Clerkova Klara', note: null } as const
  db.update(payments).set(values).where(eq(payments.id, ofAlpha)).run()
  const denis = await as('denis')
  const row = rowsOf(await denis.get('/payments?cols=decider,note'), 'payments').find(({ id }) => id === ofAlpha)
  t.match(row?.cells, { reporter: 'Denisov Denis', decider: 'Clerkova Klara', note: '—' })
  insertPayment(db, cast.order)
  t.match(rowsOf(await denis.get('/payments?cols=decider&status=reported'), 'payments')[0]?.cells, { decider: '—' }, 'nobody yet')
  const [header = '', ...lines] = (await denis.get('/payments/export?format=csv&cols=decider')).body.trim().split('\n')
  t.match(header, /Reported by,Decided by/)
  t.ok(
    lines.some((line) => /Denisov Denis,Clerkova Klara/.test(line)),
    lines.join(),
  )
  t.equal(parseHtml(row?.html ?? '')('a').attr('href'), `/orders/${cast.order}#payments`)
})

t.test('before many are confirmed it is said which they are, and how many were decided about already', async (t) => {
  const { as, db, cast, confirmed, ofAlpha, ofBeta } = await start(t)
  db.update(payments).set({ decider_name: 'Clerkova Klara' }).where(eq(payments.id, confirmed)).run()
  const rejected = insertPayment(db, cast.order, { state: 'rejected', decider_name: 'Clerkova Klara' })
  const admin = await as('admin')
  const text = textOf((await admin.get(`/payments/confirm?id=${ofAlpha}&id=${ofBeta}&id=${confirmed}&id=${rejected}`)).body)
  t.match(text.replaceAll(/\s/g, ' '), /400,50 ₽ · 15\.01\.2026 · Denisov Denis/)
  t.match(text, /2 of them were already decided/)
  t.match(textOf((await admin.get(`/payments/confirm?id=${ofAlpha}&id=${confirmed}`)).body), '1 of them was already decided')
  t.notMatch(textOf((await admin.get(`/payments/confirm?id=${ofAlpha}`)).body), 'already decided')
})
