import { eq } from 'drizzle-orm'
import t from 'tap'
import { ledgerEntries, orders, payments, statusTransitions } from '../../src/database/schema/index.ts'
import { today } from '../../src/i18n/format.ts'
import { companyBalance } from '../../src/modules/ledger/balance.ts'
import { type Browser, type Cabinet, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { submitForm } from '../support/files.ts'
import { attributesOf, elementsOf, errorsOf, fieldOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { amountsOf, balanceOf, insertPayment } from '../support/ledger.ts'
import { historyOf, orderOf, requestTransition, setOrder, statusId, transitionBetween } from '../support/orders.ts'
import { dayIn } from '../support/products.ts'

/** The order of Denis costs 1000 rubles; the accountant is Anton, who is an administrator. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  return { ...cabinet, alpha: cabinet.cast.companies.alpha, order: setOrder(cabinet, 'payment', { cost: 100_000 }) }
}

const report = (browser: Browser, order: number, fields: Fields = {}) =>
  browser.post(`/orders/${order}/payments`, { amount: '400,50', ...fields })

const paymentsOf = ({ db }: Pick<Cabinet, 'db'>) => db.select().from(payments).orderBy(payments.id).all()

async function reported(cabinet: Awaited<ReturnType<typeof start>>, amount = '400,50'): Promise<number> {
  await report(await cabinet.as('denis'), cabinet.order, { amount })
  return paymentsOf(cabinet).at(-1)?.id as number
}

/** Payments on the page of an order, by their hooks. */
function shownOn(body: string) {
  const page = parseHtml(body)
  return page('[data-payment]')
    .toArray()
    .map((element) => [Number(page(element).attr('data-payment')), page(element).attr('data-state')])
}

const sumsOn = (body: string) =>
  Object.fromEntries(['paid', 'reported', 'left'].map((id) => [id, Number(parseHtml(body)(`#${id}`).attr('data-kopecks') ?? 0)]))

t.test('a dealer reports a payment, and it counts once somebody who may has confirmed it', async (t) => {
  const cabinet = await start(t)
  const { as, order, db, alpha } = cabinet
  const denis = await as('denis')
  const form = await denis.get(`/orders/${order}/payments`)
  t.match([fieldOf(form, 'amount')?.value, fieldOf(form, 'date')?.value], ['1000,00', today()], 'what is left, and today')
  const answer = await report(denis, order, { date: '2026-01-15', kind: 'card', note: 'First half' })
  t.equal(answer.statusCode, 303)
  t.equal(answer.headers.location, `/orders/${order}#payments`)
  const [payment] = paymentsOf(cabinet)
  t.match(payment, { order_id: order, state: 'reported', amount: 40_050, date: '2026-01-15', kind: 'card', note: 'First half' })
  t.match(payment, { reporter_id: cabinet.cast.denis, reporter_name: 'Denisov Denis', decided_at: null })
  t.same(amountsOf(db, order), [], 'nothing is booked')
  const page = await (await as('admin')).get(`/orders/${order}`)
  t.same(shownOn(page.body), [[payment?.id, 'reported']])
  t.same(sumsOn(page.body), { paid: 0, reported: 40_050, left: 100_000 })
  const confirmed = await (await as('admin')).post(`/payments/${payment?.id}/confirm`)
  t.equal(confirmed.statusCode, 303)
  t.equal(confirmed.headers.location, `/orders/${order}#payments`)
  t.same(amountsOf(db, order), [['payment', 40_050]])
  t.equal(balanceOf(db, alpha), 40_050)
  t.match(paymentsOf(cabinet), [{ state: 'confirmed', decider_name: 'Adminov Anton' }])
  const after = (await denis.get(`/orders/${order}`)).body
  t.same([shownOn(after), sumsOn(after)], [[[payment?.id, 'confirmed']], { paid: 40_050, reported: 0, left: 59_950 }])
  t.equal((await (await as('admin')).post(`/payments/${payment?.id}/confirm`)).statusCode, 303, 'again')
  t.equal(amountsOf(db, order).length, 1, 'books nothing')
})

t.test('whoever may confirm enters a payment that is confirmed at once', async (t) => {
  const cabinet = await start(t)
  const { as, order, db } = cabinet
  t.equal((await report(await as('clerk'), order, { kind: 'cash' })).statusCode, 303)
  t.match(paymentsOf(cabinet), [{ state: 'confirmed', kind: 'cash', reporter_name: 'Clerkova Klara', decider_name: 'Clerkova Klara' }])
  t.same(amountsOf(db, order), [['payment', 40_050]])
})

t.test('a payment is rejected with a reason, which its dealer reads, and is then neither confirmed nor counted', async (t) => {
  const cabinet = await start(t)
  const { as, order } = cabinet
  const admin = await as('admin')
  const id = await reported(cabinet)
  t.match(errorsOf(await admin.post(`/payments/${id}/reject`, { reason: ' ' })), { reason: 'Give a reason.' })
  t.match(paymentsOf(cabinet), [{ state: 'reported' }])
  t.equal((await admin.post(`/payments/${id}/reject`, { reason: 'Not on the account' })).statusCode, 303)
  t.match(paymentsOf(cabinet), [{ state: 'rejected', reason: 'Not on the account', decider_name: 'Adminov Anton' }])
  const page = await (await as('denis')).get(`/orders/${order}`)
  t.match(textOf(elementsOf(page.body, '[data-payment]')[0] ?? ''), /Rejected/)
  t.equal(textOf(page.body).split('Not on the account').length, 2, 'the reason is said once, beside the step')
  t.same(sumsOn(page.body), { paid: 0, reported: 0, left: 100_000 })
  const late = await admin.post(`/payments/${id}/confirm`)
  t.equal(late.statusCode, 409)
  t.match(textsByRole(late, 'alert').join(), 'Adminov Anton has rejected this payment.')
  t.same(amountsOf(cabinet.db, order), [])
})

t.test('of two people who decide at once the first one counts', async (t) => {
  const cabinet = await start(t)
  const { as, order, db } = cabinet
  const [admin, clerk] = [await as('admin'), await as('clerk')]
  const id = await reported(cabinet)
  const both = await Promise.all([admin, clerk].map((browser) => browser.post(`/payments/${id}/confirm`)))
  t.same(
    both.map(({ statusCode }) => statusCode),
    [303, 303],
  )
  t.same(amountsOf(db, order), [['payment', 40_050]])
  const late = await clerk.post(`/payments/${id}/reject`, { reason: 'No' })
  t.equal(late.statusCode, 409)
  t.match(textsByRole(late, 'alert').join(), 'has confirmed this payment.')
  t.match(paymentsOf(cabinet), [{ state: 'confirmed', reason: null }])
})

t.test('a payment is reported, confirmed, rejected and read by those who may, and by nobody else', async (t) => {
  const cabinet = await start(t)
  const { as, order, cast, db } = cabinet
  const id = await reported(cabinet)
  const codes = async (name: Name) => {
    const browser = await as(name)
    const form = (await browser.get(`/orders/${order}/payments`)).statusCode
    const entered = (await report(browser, order)).statusCode
    const confirmed = (await browser.post(`/payments/${id}/confirm`)).statusCode
    const asked = (await browser.get(`/payments/${id}/reject`)).statusCode
    const rejected = (await browser.post(`/payments/${id}/reject`, { reason: 'No' })).statusCode
    return [form, entered, confirmed, asked, rejected]
  }
  t.same(await codes('roman'), [200, 303, 403, 403, 403], 'a colleague of the dealer')
  t.same(await codes('maria'), [200, 303, 403, 403, 403], 'the manager of the company')
  for (const name of ['mikhail', 'daria', 'pavel', 'plain'] as const) t.same(await codes(name), [403, 403, 403, 403, 403], name)
  grant(db, cast.maria, 'payment_can_confirm')
  grant(db, cast.mikhail, 'payment_can_confirm')
  t.same((await codes('mikhail')).slice(2), [403, 403, 403], 'of a company of somebody else')
  revoke(db, cast.admin, 'order_can_view_prices')
  t.same(await codes('admin'), [403, 403, 403, 403, 403], 'without prices')
  t.match(paymentsOf(cabinet)[0], { state: 'reported' })
  t.same(await codes('maria'), [200, 303, 303, 200, 409])
})

t.test('the page of an order offers to add and to decide about payments to those who may, and shows them to the others', async (t) => {
  const cabinet = await start(t)
  const { as, order } = cabinet
  const id = await reported(cabinet)
  const offered = async (name: Name) => {
    const page = parseHtml((await (await as(name)).get(`/orders/${order}`)).body)
    const addresses = page('#payments a[href*="/payments"], #payments form').toArray()
    return addresses
      .map(({ attribs }) => attribs.href ?? attribs.action)
      .filter((address) => !/^\/files|^\/payments\/\d+$/.test(address ?? ''))
  }
  const deciding = [`/payments/${id}/confirm`, `/payments/${id}/reject`]
  t.same(await offered('denis'), [`/orders/${order}/payments`])
  t.same(await offered('maria'), [`/orders/${order}/payments`])
  t.same(await offered('pavel'), [])
  t.same(shownOn((await (await as('maria')).get(`/orders/${order}`)).body), [[id, 'reported']])
  t.same(await offered('admin'), [`/orders/${order}/payments`, ...deciding])
  for (const state of ['rejected', 'confirmed'] as const)
    insertPayment(cabinet.db, order, { state, decider_name: 'Clerkova Klara', decided_at: 1 })
  t.same(await offered('admin'), [`/orders/${order}/payments`, ...deciding], 'what is decided is not decided again')
})

t.test('the form of a payment says what is left to pay; more than that is warned of and taken', async (t) => {
  const cabinet = await start(t)
  const { as, order } = cabinet
  const denis = await as('denis')
  const hint = async () => parseHtml((await denis.get(`/orders/${order}/payments`)).body)('#amount-hint')
  t.match((await hint()).text(), /Left to pay: 1\s000,00\s₽/)
  t.equal((await hint()).find('[data-fill]').attr('data-fill'), '1000,00')
  t.match(parseHtml((await report(denis, order, { amount: '-1' })).body)('#amount-hint').text(), 'Left to pay', 'where it is wrong, too')
  await report(denis, order, { amount: '400' })
  t.notMatch(textOf((await denis.get(`/orders/${order}`)).body), 'more than is left to pay')
  t.match((await hint()).text(), /Left to pay: 600,00\s₽/, 'without what is reported')
  t.equal((await report(denis, order, { amount: '700' })).statusCode, 303)
  t.match(textsByRole(await denis.get(`/orders/${order}`), 'status').join(), /100,00\s₽ more than is left to pay/)
  t.match((await hint()).text(), 'Nothing is left to pay.')
})

const wrong: Record<string, [fields: Fields, error: Record<string, RegExp>]> = {
  'no amount': [{ amount: '' }, { amount: /Enter an amount/ }],
  zero: [{ amount: '0' }, { amount: /more than 0/ }],
  negative: [{ amount: '-5' }, { amount: /^Enter an amount of more than 0\.$/ }],
  'three decimals': [{ amount: '5,001' }, { amount: /such as 12 500,50/ }],
  'a text': [{ amount: 'ten' }, { amount: /Enter an amount/ }],
  'more than can be typed': [{ amount: '1000000000000' }, { amount: /Enter an amount/ }],
  tomorrow: [{ date: '2999-01-01' }, { date: /future/ }],
  'no day': [{ date: '2026-02-30' }, { date: /valid date/ }],
  'another kind': [{ kind: 'barter' }, { kind: /Choose/ }],
  'a file that nobody sent': [{ 'file[stored]': 'a'.repeat(64) }, { file: /Choose it again/ }],
  'too long a note': [{ note: 'a'.repeat(501) }, { note: /500/ }],
}

t.test('a wrong payment is marked at its field, nothing is saved and nothing typed is lost (422)', async (t) => {
  const cabinet = await start(t)
  const { as, order } = cabinet
  const denis = await as('denis')
  for (const [what, [fields, error]] of Object.entries(wrong)) {
    const answer = await report(denis, order, { note: 'Kept', ...fields })
    t.equal(answer.statusCode, 422, what)
    t.match(errorsOf(answer), error, what)
    if (!('note' in fields)) t.match(answer.body, 'Kept', what)
  }
  t.same(paymentsOf(cabinet), [])
})

t.test('sums that a number does not hold exactly are refused at the amount, reported or confirmed', async (t) => {
  const cabinet = await start(t)
  const { as, order, db } = cabinet
  const reportedBefore = { order_id: order, state: 'reported' as const, date: '2026-01-01', kind: 'cash' as const, reporter_name: '' }
  const most = db
    .insert(payments)
    .values({ ...reportedBefore, amount: Number.MAX_SAFE_INTEGER })
    .returning()
    .get()
  t.match(errorsOf(await report(await as('denis'), order, { amount: '0,01' })), { amount: 'The amount is too large.' })
  t.match(errorsOf(await report(await as('admin'), order, { amount: '0,01' })), { amount: 'The amount is too large.' })
  const { id } = db
    .insert(payments)
    .values({ ...reportedBefore, amount: 5 })
    .returning()
    .get()
  t.equal((await (await as('admin')).post(`/payments/${id}/confirm`)).statusCode, 303)
  const answer = await (await as('admin')).post(`/payments/${most.id}/confirm`)
  t.equal(answer.statusCode, 422)
  t.match(textsByRole(answer, 'alert').join(), 'The amount is too large.')
  t.same(amountsOf(db, order), [['payment', 5]])
  t.equal(paymentsOf(cabinet)[0]?.state, 'reported')
  const decide = (state: 'confirmed' | 'rejected') => db.update(payments).set({ state }).where(eq(payments.id, most.id)).run()
  const denis = await as('denis')
  decide('confirmed')
  t.match(errorsOf(await report(denis, order, { amount: '0,01' })), { amount: 'The amount is too large.' }, 'what was paid counts')
  decide('rejected')
  t.equal((await report(denis, order, { amount: '0,01' })).statusCode, 303, 'what was rejected does not')
})

t.test('a form that is sent twice reports one payment', async (t) => {
  const cabinet = await start(t)
  const denis = await cabinet.as('denis')
  for (let time = 0; time < 2; time += 1) t.equal((await report(denis, cabinet.order, { once: 'same' })).statusCode, 303)
  t.equal(paymentsOf(cabinet).length, 1)
})

t.test('the file of a payment is downloaded by whoever may see the payments of its order, under its name', async (t) => {
  const cabinet = await start(t)
  const { as, order } = cabinet
  const denis = await as('denis')
  const answer = await submitForm(denis, `/orders/${order}/payments`, [
    ['amount', '10'],
    ['file', new File(['Paid'], 'slip.txt')],
  ])
  t.equal(answer.statusCode, 303)
  const { file } = paymentsOf(cabinet)[0] as { file: string }
  t.match(textOf((await denis.get(`/orders/${order}`)).body), 'slip.txt')
  for (const name of ['denis', 'roman', 'maria', 'admin'] as const) {
    const sent = await (await as(name)).get(`/files/${file}`)
    t.equal(sent.statusCode, 200, name)
    t.match(sent.headers['content-disposition'], 'slip.txt', name)
  }
  for (const name of ['daria', 'mikhail', 'pavel'] as const) t.equal((await (await as(name)).get(`/files/${file}`)).statusCode, 403, name)
  revoke(cabinet.db, cabinet.cast.maria, 'order_can_view_prices')
  t.equal((await (await as('maria')).get(`/files/${file}`)).statusCode, 403, 'without prices')
})

t.test('an overpayment becomes a credit of the company', async (t) => {
  const cabinet = await start(t)
  const { as, order, db, alpha } = cabinet
  await report(await as('admin'), order, { amount: '1500' })
  const page = await (await as('denis')).get(`/orders/${order}`)
  t.match(textOf(elementsOf(page.body, '#left')[0] ?? ''), 'Paid in full')
  t.same(sumsOn(page.body), { paid: 0, reported: 0, left: 0 }, 'one line says it')
  t.same([balanceOf(db, alpha), companyBalance(db, alpha).credit], [150_000, 50_000])
})

/** The step from `payment` to `paid` is Denis's and needs the confirmation of the payment. */
async function startStep(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await start(test)
  const { id } = transitionBetween(cabinet, 'payment', 'paid')
  const fields = { required_fields: ['payment_order'], forced_fields: [], dealer_can: true, manager_can: true }
  cabinet.db.update(statusTransitions).set(fields).where(eq(statusTransitions.id, id)).run()
  return { ...cabinet, step: id }
}

t.test('a step that needs the confirmation of a payment takes its file, an amount that reports one, or a payment there is', async (t) => {
  const cabinet = await startStep(t)
  const { as, order, db, step } = cabinet
  const denis = await as('denis')
  const asked = await denis.get(`/orders/${order}?transition_id=${step}`, htmx)
  t.same([fieldOf(asked, 'amount')?.value, fieldOf(asked, 'date')?.value], ['1000,00', dayIn(0)], 'filled in')
  const ways = elementsOf(asked.body, 'fieldset').find((one) => textOf(one).startsWith('Amount or document'))
  t.same(
    elementsOf(ways ?? '', '[name]').map((one) => attributesOf(one).name),
    ['amount', 'date', 'payment_order[stored]', 'payment_order'],
    'one choice',
  )
  t.same(elementsOf(ways ?? '', '[required], .required-mark'), [], 'neither is required by itself')
  t.match(errorsOf(await requestTransition(denis, order, step)), { payment_order: 'Choose a file.' })
  t.match(errorsOf(await requestTransition(denis, order, step, { amount: '0' })), { amount: /more than 0/ })
  t.match(errorsOf(await requestTransition(denis, order, step, { amount: '5', date: '2999-01-01' })), { date: /future/ })
  const wrong = async (fields: Fields) => {
    const answer = await requestTransition(denis, order, step, fields)
    const focused = ['amount', 'payment_order'].filter((name) => elementsOf(answer.body, `[name=${name}][autofocus]`).length > 0)
    return { ...errorsOf(answer), focused }
  }
  const date = dayIn(0)
  t.match(await wrong({ amount: 'abc', date }), { amount: /number|amount/i, payment_order: undefined, focused: ['amount'] })
  const neither = { amount: 'Enter the amount or attach a file.', payment_order: undefined, focused: ['amount'] }
  t.match(await wrong({ amount: '', date }), neither)
  t.match(await wrong({ amount: '', date: '' }), neither)
  t.match(await wrong({ amount: '5', date: '2999-01-01' }), { amount: undefined, payment_order: undefined })
  t.same(paymentsOf(cabinet), [])
  t.equal((await requestTransition(denis, order, step, { amount: '400,50', date: '2026-01-15' })).statusCode, 303)
  t.match(paymentsOf(cabinet), [{ order_id: order, state: 'reported', amount: 40_050, date: '2026-01-15', kind: 'transfer' }])
  t.match(orderOf(db, order), { status_id: statusId('paid'), payment_order: null })
  setOrder(cabinet, 'payment')
  t.equal(elementsOf((await denis.get(`/orders/${order}?transition_id=${step}`)).body, '#step [name=amount]').length, 0, 'not asked again')
  t.equal((await requestTransition(denis, order, step)).statusCode, 303, 'the payment is enough')
  setOrder(cabinet, 'payment')
  db.update(payments).set({ state: 'rejected' }).run()
  t.equal((await requestTransition(denis, order, step)).statusCode, 422, 'a rejected one is not')
  const sent = await submitForm(denis, `/orders/${order}/transition`, [
    ['transition_id', String(step)],
    ['payment_order', new File(['Paid'], 'slip.txt')],
  ])
  t.equal(sent.statusCode, 303)
  t.ok(orderOf(db, order).payment_order, 'a file stays a file')
  t.equal(paymentsOf(cabinet).length, 1)
})

t.test('a dealer reports a payment in one dialog: that of the step that asks for it, while there is one', async (t) => {
  const cabinet = await startStep(t)
  const { as, order, db, step } = cabinet
  const entry = async (name: Name, query = '') =>
    attributesOf(elementsOf((await (await as(name)).get(`/orders/${order}${query}`)).body, '#payments .card-header a')[0] ?? '')['hx-get']
  const steps = async () =>
    elementsOf((await (await as('denis')).get(`/orders/${order}`)).body, `.order-steps .btn-primary[value="${step}"]`).length
  t.same([await entry('denis'), await steps()], [undefined, 1], 'the step is the only way')
  t.equal(await entry('clerk'), `/orders/${order}/payments`, 'whoever confirms enters it without the step')
  const change = (values: object) => db.update(statusTransitions).set(values).where(eq(statusTransitions.id, step)).run()
  change({ min_paid: 50 })
  t.equal(await entry('denis'), `/orders/${order}/payments`, 'a step that cannot be taken yet is no way')
  change({ min_paid: null, dealer_can: false })
  t.equal(await entry('denis'), `/orders/${order}/payments`, 'nor that of somebody else')
  change({ dealer_can: true, required_fields: ['payment_order', 'payment'] })
  const denis = await as('denis')
  t.equal(fieldOf(await denis.get(`/orders/${order}?transition_id=${step}`), 'payment')?.value, 'transfer')
  db.update(orders).set({ payment: 'card' }).where(eq(orders.id, order)).run()
  t.equal((await requestTransition(denis, order, step, { amount: '5' })).statusCode, 303)
  t.match(paymentsOf(cabinet), [{ kind: 'card', amount: 500 }], 'it is paid as the order says')
  t.equal(await entry('denis'), `/orders/${order}/payments`, 'one was reported')
  setOrder(cabinet, 'payment', { payment: null })
  db.delete(payments).run()
  t.equal((await requestTransition(denis, order, step, { amount: '5', payment: 'cash' })).statusCode, 303)
  t.match(paymentsOf(cabinet), [{ kind: 'cash' }], 'or as was said with it')
})

t.test('a manager who may not confirm reports a payment with the step as dealers do; whoever sees no prices reports none', async (t) => {
  const cabinet = await startStep(t)
  const { as, order, step, cast, db } = cabinet
  const maria = await as('maria')
  const asked = async () => {
    const { body } = await maria.get(`/orders/${order}?transition_id=${step}`)
    return ['payment_order', 'amount', 'date'].map((name) => elementsOf(body, `#step [name=${name}]`).length)
  }
  t.same(await asked(), [1, 1, 1])
  revoke(db, cast.maria, 'order_can_view_prices')
  t.same((await asked()).slice(1), [0, 0])
  t.equal((await requestTransition(maria, order, step, { amount: '5' })).statusCode, 422, 'and what they send is not read')
  t.same(paymentsOf(cabinet), [])
  grant(db, cast.maria, 'order_can_view_prices')
  t.equal((await requestTransition(maria, order, step, { amount: '5', date: '2026-01-15' })).statusCode, 303)
  t.match(paymentsOf(cabinet), [{ order_id: order, state: 'reported', amount: 500, date: '2026-01-15', reporter_name: 'Petrova Maria' }])
  t.same(amountsOf(db, order), [], 'it counts once somebody has confirmed it')
})

t.test('an undone step takes its payment back, unless somebody has decided about it', async (t) => {
  const cabinet = await startStep(t)
  const { as, order, db, step } = cabinet
  const denis = await as('denis')
  const move = () => requestTransition(denis, order, step, { amount: '5' })
  const undo = () => denis.post(`/orders/${order}/undo`, { step: historyOf(cabinet, order)[0]?.id as number, once: crypto.randomUUID() })
  t.equal((await move()).statusCode, 303)
  t.equal((await undo()).statusCode, 303)
  t.same(paymentsOf(cabinet), [])
  t.equal((await move()).statusCode, 303)
  const id = paymentsOf(cabinet)[0]?.id as number
  await (await as('admin')).post(`/payments/${id}/confirm`)
  const late = await undo()
  t.equal(late.statusCode, 409)
  t.match(textsByRole(late, 'alert').join(), 'Adminov Anton changed this order meanwhile.')
  t.match(orderOf(db, order), { status_id: statusId('paid') })
  t.equal(db.select().from(ledgerEntries).all().length, 1)
})

t.test('the form suggests what is neither paid nor reported, and nothing once that is all', async (t) => {
  const cabinet = await start(t)
  const denis = await cabinet.as('denis')
  const suggested = async () => fieldOf(await denis.get(`/orders/${cabinet.order}/payments`), 'amount')?.value
  await reported(cabinet, '400,50')
  t.equal(await suggested(), '599,50')
  await (await cabinet.as('admin')).post(`/payments/${await reported(cabinet, '500')}/confirm`)
  t.equal(await suggested(), '99,50', 'what was confirmed counts once')
  await reported(cabinet, '99,50')
  t.equal(await suggested(), '')
  await reported(cabinet, '0,01')
  t.equal(await suggested(), '', 'never less than nothing')
})

t.test('a dealer is told that a payment counts later, whoever may confirm that it is entered', async (t) => {
  const { as, order } = await start(t)
  const told = async (name: Name) => {
    const browser = await as(name)
    const form = await browser.get(`/orders/${order}/payments`)
    await report(browser, order)
    const [title, button] = ['#dialog-title', '.record-form .btn-primary'].map((one) => textOf(elementsOf(form.body, one)[0] ?? ''))
    return [title, button, textsByRole(await browser.get(`/orders/${order}`), 'status').join()]
  }
  t.match(await told('denis'), ['Report payment', 'Report payment', 'Payment reported. It counts once it is confirmed.'])
  t.match(await told('maria'), ['Report payment', 'Report payment', 'Payment reported. It counts once it is confirmed.'])
  t.match(await told('clerk'), ['Enter payment', 'Enter payment', 'Payment entered'])
})

t.test('whoever rejects a payment sees which one, and comes back to where they were; rejected twice, it keeps its reason', async (t) => {
  const cabinet = await start(t)
  const { as, order } = cabinet
  const id = await reported(cabinet)
  await reported(cabinet, '7')
  const admin = await as('admin')
  const asked = await admin.get(`/payments/${id}/reject?back=%3Fstatus%3D2`)
  t.match(textOf(asked.body).replaceAll(/\s/g, ' '), /Reject payment .*400,50 ₽ · \d\d\.\d\d\.\d{4} · Bank transfer · Denisov Denis/)
  t.equal(parseHtml(asked.body)('form.record-form').attr('action'), `/payments/${id}/reject?back=%3Fstatus%3D2`)
  const rejected = await admin.post(`/payments/${id}/reject?back=%3Fstatus%3D2`, { reason: 'Not on the account' })
  t.equal(rejected.headers.location, `/orders/${order}?back=%3Fstatus%3D2#payments`)
  const again = await (await as('clerk')).post(`/payments/${id}/reject`, { reason: 'Another reason' })
  t.equal(again.statusCode, 303)
  t.match(paymentsOf(cabinet)[0], { reason: 'Not on the account', decider_name: 'Adminov Anton' })
})

t.test('the page of an order says of each payment its day, who reported it, its note, and who decided about it', async (t) => {
  const cabinet = await start(t)
  const { as, order, db } = cabinet
  const common = { order_id: order, kind: 'card' as const, reporter_name: 'Denisov Denis' }
  const decided = { decider_name: 'Clerkova Klara', decided_at: new Date(2026, 1, 5, 23, 40).getTime() }
  const own = { decider_name: 'Denisov Denis', decided_at: decided.decided_at }
  db.insert(payments)
    .values([
      { ...common, amount: 300, date: '2026-01-02', state: 'rejected', reason: 'A mistake', ...own },
      { ...common, amount: 100, date: '2026-01-04', state: 'confirmed', note: 'First half', ...decided },
      { ...common, amount: 200, date: '2026-01-03', state: 'confirmed', ...own },
    ])
    .run()
  const page = (await (await as('maria')).get(`/orders/${order}`)).body
  const shown = elementsOf(page, '[data-payment]').map((one) => textOf(one).replaceAll(/\s/g, ' '))
  t.match(
    shown[0],
    '04.01.2026 · Bank card · Denisov Denis Not counted toward this order First half Confirmed: Clerkova Klara, 05.02.2026 23:40',
  )
  t.match(shown[1], /03\.01\.2026 · Bank card · Denisov Denis Not counted toward this order$/, 'confirmed by whoever entered it: said once')
  t.match(shown[2], '02.01.2026 · Bank card · Denisov Denis Rejected: Denisov Denis, 05.02.2026 23:40 A mistake')
  t.notMatch(shown.slice(1).join(), 'First half')
  t.same(elementsOf(page, '.order-payment-tools'), [], 'nothing is left to decide')
})

t.test('an order that is paid to the kopeck lacks nothing, and one kopeck more is credit', async (t) => {
  const { as, order, db, alpha } = await start(t)
  const admin = await as('admin')
  const left = async () => textOf(elementsOf((await admin.get(`/orders/${order}`)).body, '.order-amount')[0] ?? '')
  await report(admin, order, { amount: '1000' })
  t.match(await left(), /^Cost 1 000,00 ₽ Left to pay Paid in full$/)
  await report(admin, order, { amount: '0,01' })
  t.match(await left(), /^Cost 1 000,00 ₽ Left to pay Paid in full$/)
  t.equal(companyBalance(db, alpha).credit, 1)
})

t.test('who reports and who confirms in the name of somebody else is named with them', async (t) => {
  const cabinet = await start(t)
  const { as, order, cast, db } = cabinet
  grant(db, cast.maria, 'payment_can_confirm')
  const root = await as('root')
  await root.get(`/impersonate/${cast.denis}`)
  await report(root, order)
  t.match(paymentsOf(cabinet), [{ reporter_id: cast.denis, reporter_name: 'Denisov Denis (Root Olga)', decider_name: null }])
  await root.post('/impersonate/leave')
  await root.get(`/impersonate/${cast.maria}`)
  await root.post(`/payments/${paymentsOf(cabinet)[0]?.id}/confirm`)
  t.match(paymentsOf(cabinet), [{ decider_id: cast.maria, decider_name: /^Petrova Maria( Ivanovna)? \(Root Olga\)$/ }])
})

t.test(
  'a rejected payment says why at the top, and whoever reported it does so again; beside it stands what its order lacks',
  async (t) => {
    const cabinet = await start(t)
    const { as, order, db } = cabinet
    const id = await reported(cabinet)
    const page = async (name: Name) => parseHtml((await (await as(name)).get(`/payments/${id}`)).body)
    t.equal((await page('denis'))('#rejected').length, 0)
    await (await as('admin')).post(`/payments/${id}/reject`, { reason: 'Not there' })
    const shown = await page('denis')
    t.match(shown('#rejected').text(), /Not there\s+Report again/)
    t.equal(shown('main').text().split('Adminov Anton').length, 2, 'who did so is said once')
    const { id: step } = transitionBetween(cabinet, 'payment', 'paid')
    t.equal(shown('#rejected a').attr('href'), `/orders/${order}?transition_id=${step}`, 'in the one dialog for it')
    t.same(
      shown('#order-amounts [data-kopecks]')
        .toArray()
        .map(({ attribs }) => attribs['data-kopecks']),
      ['100000'],
    )
    t.equal((await page('admin'))('#rejected a').length, 0, 'whoever decides reports nothing')
    setOrder(cabinet, 'canceled', { cost: 100_000 })
    t.equal((await page('denis'))('#rejected a').length, 0, 'nothing is owed')
    t.ok(db)
  },
)
