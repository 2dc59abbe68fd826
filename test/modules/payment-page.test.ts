import { eq } from 'drizzle-orm'
import t from 'tap'
import { orders, payments } from '../../src/database/schema/index.ts'
import { companyBalance } from '../../src/modules/ledger/balance.ts'
import { startCabinet } from '../support/cabinet.ts'
import { insertDocument } from '../support/documents.ts'
import { elementById, parseHtml, textOf } from '../support/html.ts'
import { insertEntry, insertPayment, payOrder } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

const plain = (text: string) => text.replaceAll(/\s/g, ' ')

t.test('the page of a payment says what it is and leads to its order', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const ofAlpha = insertPayment(db, cast.order)
  const ofBeta = insertPayment(db, insertOrder(cabinet, 'payment', { dealer_id: cast.daria, company_id: cast.companies.beta }))
  const denis = await as('denis')
  const page = parseHtml((await denis.get(`/payments/${ofAlpha}`)).body)
  t.equal(page(`[data-payment="${ofAlpha}"]`).attr('data-state'), 'reported')
  t.equal(page('aside h2 a').attr('href'), `/orders/${cast.order}#payments`)
  t.equal((await denis.get(`/payments/${ofBeta}`)).statusCode, 403)
})

t.test('the page of a payment says all that is known of it, and of its order what it costs and lacks', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  db.update(orders).set({ cost: 1000_00, receiver: 'Anna' }).where(eq(orders.id, cast.order)).run()
  const admin = await as('admin')
  const factsOf = async (id: number) => {
    const page = parseHtml((await admin.get(`/payments/${id}`)).body)
    const facts = (part: string) =>
      page(`${part} > :is(div, li)`)
        .toArray()
        .map((fact) => textOf(page.html(fact)))
    return {
      state: textOf(page('p.record-lead').html() ?? ''),
      note: textOf(page('.payment-slip').html() ?? ''),
      balance: facts('#payer dl'),
      order: facts('#order-amounts'),
      history: facts('#history ol'),
    }
  }
  const paid = {
    reporter_name: 'Denisov Denis',
    decider_name: 'Adminov Anton',
    created_at: Date.parse('2026-01-15T09:00:00'),
    decided_at: Date.parse('2026-01-16T10:20:00'),
    note: 'In part',
  }
  const id = insertPayment(db, cast.order, { amount: 12_34, date: '2026-01-15', kind: 'cash', state: 'confirmed', ...paid })
  insertEntry(db, cast.companies.alpha, { amount: -7_00 })
  const history = ['Payment reported Denisov Denis, 15.01.2026 09:00', 'Payment confirmed Adminov Anton, 16.01.2026 10:20']
  t.same(await factsOf(id), {
    state: 'Confirmed Alpha Windows 15.01.2026 Cash',
    note: 'In part',
    balance: ['Balance −7,00 ₽'],
    order: ['Customer Anna', 'Left to pay 1 000,00 ₽'],
    history,
  })
  const reversed = {
    reverser_name: 'Petrova Maria',
    reversed_at: Date.parse('2026-02-04T11:30:00'),
    reversed_on: '2026-02-03',
    reason: 'Sent back',
  }
  db.update(payments)
    .set({ state: 'reversed', ...reversed })
    .where(eq(payments.id, id))
    .run()
  t.same((await factsOf(id)).history, [...history, 'Payment reversed Petrova Maria, 04.02.2026 11:30 Booked on 03.02.2026 Sent back'])
  const anew = insertPayment(db, cast.order, { state: 'confirmed', corrects_id: id })
  const corrects = parseHtml((await admin.get(`/payments/${anew}`)).body)(`[data-payment] a[href="/payments/${id}"]`)
  t.equal(corrects.text(), 'Reversed payment')
})

t.test('the page of a payment shows its slip, a picture at once, and what of it pays which order', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  db.update(orders).set({ cost: 4_00 }).where(eq(orders.id, cast.order)).run()
  const id = payOrder(db, cast.order, 5_00)
  const page = async (file: string | null) => {
    db.update(payments).set({ file }).where(eq(payments.id, id)).run()
    return parseHtml((await (await as('admin')).get(`/payments/${id}`)).body)
  }
  const paid = await page(null)
  t.same(
    ['[data-allocation] dd', '[data-credit]'].map((part) => plain(paid(part).text())),
    ['4,00 ₽', '1,00 ₽'],
  )
  const slip = async (file: string | null) => {
    const shown = await page(file)
    return ['[data-payment] a[download]', '[data-payment] img'].map((part) => shown(part).length > 0)
  }
  t.same(await slip(null), [false, false])
  t.same(await slip('a1.png'), [true, true])
  t.same(await slip('b2.pdf'), [true, false])
})

t.test('the page of a payment shows a PDF where the browser can, and frames nothing else', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const denis = await as('denis')
  const shown = async (file: string) => {
    const { body, headers } = await denis.get(`/payments/${insertPayment(db, cast.order, { file })}`)
    const { type, data } = parseHtml(body)('object').attr() ?? {}
    return { type, data, policy: String(headers['content-security-policy']).match(/(?:object|frame)-src [^;]*/g) }
  }
  const policy = ["object-src 'self'", "frame-src 'self'"]
  t.match(await shown('b2.pdf'), { type: 'application/pdf', data: /^\/files\/b2\.pdf\/preview#/, policy })
  t.match(await shown('c3.docx'), { type: undefined, policy: null })
})

t.test('the page of a payment leads staff to its company, whose balance it says, and to the invoice', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const ofAlpha = insertPayment(db, cast.order)
  const pageFor = async (name: 'denis' | 'maria' | 'admin') => parseHtml((await (await as(name)).get(`/payments/${ofAlpha}`)).body)
  const alpha = `/company/edit/${cast.companies.alpha}?tab=overview`
  const balance = companyBalance(db, cast.companies.alpha).balance
  for (const name of ['maria', 'admin'] as const) {
    const page = await pageFor(name)
    t.same([page('#payer a').attr('href'), page('#payer dd').attr('data-kopecks')], [alpha, String(balance)], name)
    t.equal(page('#invoice').length, 0, 'there is none')
  }
  t.same([(await pageFor('denis'))('#payer').length, (await pageFor('denis'))('.record-lead a').length], [0, 0])
  insertDocument(cabinet, { number: '7' })
  for (const name of ['denis', 'maria', 'admin'] as const) {
    const link = (await pageFor(name))('#invoice a')
    t.match([link.text(), link.attr('href')], ['No. 7', /^\/documents\/\d+\/file$/], name)
  }
})

t.test('the page of a payment says what becomes of the money of a canceled order, and to whoever decides what can be done', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha, cost: 100_00 }
  const [canceled, other] = [insertOrder(cabinet, 'canceled', of), insertOrder(cabinet, 'payment', of)]
  const asked = async (name: 'denis' | 'admin', id: number) => {
    const page = parseHtml((await (await as(name)).get(`/payments/${id}`)).body)
    const texts = (part: string) =>
      page(part)
        .toArray()
        .map((one) => page(one).text().trim())
    return { money: page('#canceled').text(), todo: texts('.payment-todo .btn'), menu: texts('.page-actions .dropdown-item') }
  }
  const [reported, confirmed] = [insertPayment(db, canceled), insertPayment(db, canceled, { state: 'confirmed' })]
  const rejected = insertPayment(db, canceled, { state: 'rejected', reason: 'Not there' })
  t.same(await asked('denis', confirmed), {
    money: 'The order was canceled. What was paid was moved to the balance of the company.',
    todo: [],
    menu: [],
  })
  const waits = 'The order was canceled. Once the payment is confirmed, it is moved to the balance of the company.'
  t.same(await asked('denis', reported), { money: waits, todo: [], menu: [] })
  t.same(await asked('admin', reported), { money: waits, todo: ['Confirm', 'Reject'], menu: [] })
  t.same(await asked('admin', rejected), { money: 'The order was canceled.', todo: [], menu: [] })
  t.same(await asked('admin', payOrder(db, other, 100_00)), { money: '', todo: [], menu: ['Correct', 'Reverse'] })
})

t.test('who waits for the decision about a payment reads who can take it: staff by name, dealers that it will be taken', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const [reported, confirmed] = [insertPayment(db, cast.order), insertPayment(db, cast.order, { state: 'confirmed' })]
  const awaited = async (name: 'denis' | 'maria' | 'admin', id: number) =>
    textOf(elementById(await (await as(name)).get(`/payments/${id}`), 'awaits') ?? '')
  t.match(await awaited('maria', reported), /^Next step Payment can be confirmed by: .*Adminov Anton/)
  t.notMatch(await awaited('maria', reported), /Petrova/, 'of those who may decide')
  t.equal(await awaited('denis', reported), 'Next step We confirm it as soon as the money has arrived.')
  for (const name of ['denis', 'maria'] as const) t.equal(await awaited(name, confirmed), '', name)
  t.equal(await awaited('admin', reported), '', 'whoever decides has buttons')
})
