import { eq } from 'drizzle-orm'
import t from 'tap'
import { orders, payments } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { type Answer, type Browser, htmx, startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { attributesOf, elementsOf, errorsOf, fieldOf, hiddenOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { insertEntry, insertPayment } from '../support/ledger.ts'
import { insertOrder, setOrder, statusId, transitionBetween } from '../support/orders.ts'
import { dayIn } from '../support/products.ts'

const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
const decidedAt = Date.parse('2026-02-03T10:20:00')

/** An order of 1000 rubles, of which 400.50 are confirmed, 100 reported and 50 rejected. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast } = cabinet
  db.update(orders).set({ cost: 100_000 }).where(eq(orders.id, cast.order)).run()
  const admin = await cabinet.as('admin')
  const confirmed = insertPayment(db, cast.order, { amount: 40_050, date: '2026-01-15', note: 'First half' })
  await admin.post('/payments/confirm', { id: confirmed })
  const decided = { decider_name: 'Adminov Anton', decided_at: decidedAt }
  insertPayment(db, cast.order, {
    amount: 5000,
    date: '2026-01-16',
    kind: 'cash',
    state: 'rejected',
    reason: 'Not there',
    ...decided,
  })
  const waiting = insertPayment(db, cast.order, { amount: 10_000, date: '2026-01-17', kind: 'card' })
  return { ...cabinet, waiting, admin, address: `/orders/${cast.order}` }
}

/** What the page of an order says of its payments: sums, and each payment with what may be done about it. */
function sectionOf({ body }: Answer) {
  const page = parseHtml(body)
  const texts = (selector: string) =>
    page(selector)
      .toArray()
      .map((one) => plain(textOf(page.html(one))))
  return { add: texts('#payments .card-header a'), sums: texts('.order-amount > div'), payments: texts('#payments [data-payment]') }
}

t.test('beside the next step stands what of the money is not confirmed yet, until it is', async (t) => {
  const { admin, as, address, waiting } = await start(t)
  const unconfirmed = async (browser: Browser) => elementsOf((await browser.get(address)).body, '#unconfirmed').map(textOf)
  const root = await as('root')
  t.same(await unconfirmed(root), ['Not confirmed yet: 100,00 ₽'])
  await admin.post('/payments/confirm', { id: waiting })
  t.same(await unconfirmed(root), [])
})

t.test('above what a step asks for stands what of the money is not confirmed yet, for those who may not wait for it', async (t) => {
  const cabinet = await start(t)
  const { admin, as, db, cast, waiting } = cabinet
  const id = insertOrder(cabinet, 'paid', { dealer_id: cast.denis, company_id: cast.companies.alpha })
  db.update(payments).set({ order_id: id }).where(eq(payments.id, waiting)).run()
  const step = transitionBetween(cabinet, 'paid', 'production').id
  const said = async (name: 'maria' | 'root', path: string, headers = {}) => {
    const page = parseHtml((await (await as(name)).get(path, headers)).body)
    return [...page('[data-unconfirmed], #unconfirmed')].map((one) => textOf(page.html(one)))
  }
  const notYet = ['Not confirmed yet: 100,00 ₽']
  const address = `/orders/${id}?transition_id=${step}`
  t.same(await said('maria', address, htmx), notYet, 'in the dialog')
  t.same(await said('maria', address), notYet, 'on the page, once')
  t.same(await said('maria', `/orders/transitions?id=${id}&transition_id=${step}`), notYet, 'from list and board')
  const onCard = await (await as('maria')).post(`/orders/edit/${id}/transition`, { transition_id: step })
  t.same(elementsOf(onCard.body, '[data-unconfirmed]').map(textOf), notYet, 'on the form of the order')
  const cancels = transitionBetween(cabinet, 'paid', 'canceled').id
  t.same(await said('root', `/orders/${id}?transition_id=${cancels}`, htmx), [], 'a cancellation says what becomes of it')
  revoke(db, cast.maria, 'order_can_view_prices')
  t.same(await said('maria', address, htmx), [], 'nothing for who sees no prices')
  await admin.post('/payments/confirm', { id: waiting })
  t.same(await said('root', address, htmx), [])
})

t.test('the file of a payment stands with it alone, any other among the documents', async (t) => {
  const { as, db, cast, address, waiting } = await start(t)
  const slip = 'a1.pdf'
  db.update(payments).set({ file: slip }).where(eq(payments.id, waiting)).run()
  db.update(orders).set({ payment_order: slip, invoice: 'b2.pdf' }).where(eq(orders.id, cast.order)).run()
  const filesIn = async (part: string) => {
    const { body } = await (await as('maria')).get(address)
    return [...new Set(elementsOf(body, `${part} a[download]`).map((link) => attributesOf(link).href?.replace(/\?.*/, '')))]
  }
  t.same([await filesIn('#payments'), await filesIn('#documents')], [['/files/a1.pdf'], ['/files/b2.pdf']])
  db.update(payments).set({ file: null }).where(eq(payments.id, waiting)).run()
  t.same([await filesIn('#payments'), await filesIn('#documents')], [[], ['/files/b2.pdf', '/files/a1.pdf']])
})

t.test('what is reported says how much more it is than what is left to pay, to the kopeck', async (t) => {
  const { admin, as, db, cast, address, waiting } = await start(t)
  const over = async (browser: Browser) => elementsOf((await browser.get(address)).body, '[data-over]').map(textOf)
  t.same(await over(admin), [])
  const exact = insertPayment(db, cast.order, { amount: 59_950, date: '2026-01-18' })
  t.same(await over(admin), [], 'all that is left is not more than that')
  insertPayment(db, cast.order, { amount: 59_951, date: '2026-01-19' })
  t.same(await over(await as('denis')), ['0,01 ₽ more than is left to pay'])
  await admin.post('/payments/confirm', { id: [exact, waiting] })
  t.same(await over(admin), ['599,51 ₽ more than is left to pay'], 'only of what waits')
})

t.test('an order says what it costs, what was paid, reported and is left, and of each payment what became of it', async (t) => {
  const { admin, as, db, cast, address, waiting } = await start(t)
  const page = await admin.get(address)
  const section = sectionOf(page)
  t.same(section.sums, ['Cost 1 000,00 ₽', 'Paid 400,50 ₽', 'Reported 100,00 ₽', 'Left to pay 599,50 ₽'])
  t.match(section.payments, [
    '100,00 ₽ Reported 17.01.2026 · Bank card · Denisov Denis Confirm 100,00 ₽, 17.01.2026, Denisov Denis Reject 100,00 ₽, 17.01.2026, Denisov Denis',
    `50,00 ₽ Rejected 16.01.2026 · Cash · Denisov Denis Rejected: Adminov Anton, ${formatDateTime(decidedAt)} Not there`,
    /^400,50 ₽ Confirmed 15\.01\.2026 · Bank transfer · Denisov Denis First half Confirmed: Adminov Anton, \d\d\.\d\d\.\d{4} \d\d:\d\d$/,
  ])
  const colors = parseHtml(page.body)('#payments [data-payment]')
    .toArray()
    .map((one) => /#[\da-f]{6}/.exec(parseHtml(page.body).html(one))?.[0])
  t.same(colors, ['#f59f00', '#e03131', '#2f9e44'])
  const links = parseHtml((await admin.get(`${address}?back=%3Fq%3Da`)).body)('#payments a.btn')
  t.same(
    links.toArray().map(({ attribs }) => [attribs.href, attribs['hx-get'], attribs['hx-target'], attribs['hx-swap']]),
    [`${address}/payments`, `/payments/${waiting}/reject`].map((path) => {
      const whole = `${path}?back=${encodeURIComponent('?q=a')}`
      return [whole, whole, '#dialog', 'innerHTML']
    }),
  )
  const denis = sectionOf(await (await as('denis')).get(address))
  t.same([denis.add, denis.payments[0]], [['Report payment'], '100,00 ₽ Reported 17.01.2026 · Bank card · Denisov Denis'])
  t.same(sectionOf(await (await as('maria')).get(address)).add, ['Report payment'])
  t.same(sectionOf(await (await as('pavel')).get(address)).add, [], 'who neither reports nor confirms adds none')
  const own = { reporter_name: 'Adminov Anton', decider_name: 'Adminov Anton', decided_at: decidedAt, date: '2026-01-18' }
  insertPayment(db, cast.order, { ...own, amount: 100, state: 'confirmed' })
  insertPayment(db, cast.order, { ...own, amount: 200, state: 'rejected', reason: 'Twice' })
  t.same(
    sectionOf(await admin.get(address)).payments.slice(0, 2),
    [
      `2,00 ₽ Rejected 18.01.2026 · Bank transfer · Adminov Anton Rejected: Adminov Anton, ${formatDateTime(decidedAt)}`,
      '1,00 ₽ Confirmed 18.01.2026 · Bank transfer · Adminov Anton Not counted toward this order',
    ],
    'whoever entered a payment need not be named twice',
  )
  db.update(orders).set({ cost: 40_050 }).where(eq(orders.id, cast.order)).run()
  const settled = await admin.get(address)
  t.same(sectionOf(settled).sums, ['Cost 400,50 ₽', 'Reported 100,00 ₽', 'Left to pay Paid in full'], 'one line says it all')
  t.equal(parseHtml(settled.body)('#left').attr('data-kopecks'), '0')
  t.same(sectionOf(settled).add, [], 'nothing is left to pay')
  db.update(orders).set({ cost: 40_049 }).where(eq(orders.id, cast.order)).run()
  t.equal(sectionOf(await admin.get(address)).sums[3], 'Overpaid 0,01 ₽')
})

t.test('whoever is about to cancel an order reads what becomes of its money, if they see prices', async (t) => {
  const cabinet = await start(t)
  const { as, db, cast, address } = cabinet
  setOrder(cabinet, 'payment', { cost: 100_000 })
  insertEntry(db, cast.companies.alpha, { order_id: cast.order, amount: -100_000 })
  const maria = await as('maria')
  const moneyIn = async (status: string, from = 'payment') => {
    const { body } = await maria.get(`${address}?transition_id=${transitionBetween(cabinet, from, status).id}`)
    t.ok(elementsOf(body, '#step').length, status)
    return elementsOf(body, '#step [data-money]').map((one) => plain(textOf(one)))
  }
  t.same(await moneyIn('canceled'), [
    'A payment of 100,00 ₽ waits to be confirmed.',
    'What was paid (400,50 ₽) will be moved to the balance of the company.',
    'The charge of 1 000,00 ₽ will be taken back.',
  ])
  t.same(await moneyIn('paid'), [])
  setOrder(cabinet, 'install')
  t.same(await moneyIn('completed', 'install'), [], 'it is not the end that decides')
  setOrder(cabinet, 'payment')
  revoke(db, cast.maria, 'order_can_view_prices')
  t.same(await moneyIn('canceled'), [])
})

t.test('a canceled order owes nothing and asks for no payment; what was paid for it is too much', async (t) => {
  const cabinet = await start(t)
  const { as, db, cast, address } = cabinet
  const denis = await as('denis')
  setOrder(cabinet, 'canceled')
  const canceled = sectionOf(await denis.get(address))
  t.same(canceled.sums, ['Cost 1 000,00 ₽', 'Paid 400,50 ₽', 'Reported 100,00 ₽', 'Overpaid 400,50 ₽'])
  t.same(canceled.add, [])
  t.equal(fieldOf(await denis.get(`${address}/payments`), 'amount')?.value, '')
  const other = insertOrder(cabinet, 'canceled', { dealer_id: cast.denis, company_id: cast.companies.alpha, cost: 5000 })
  t.same(sectionOf(await denis.get(`/orders/${other}`)).sums, ['Cost 50,00 ₽'], 'no word of what nobody pays')
  t.equal(parseHtml((await denis.get(`/orders/${other}`)).body)('#payments').length, 0, 'nothing to add')
  db.update(orders)
    .set({ status_id: statusId('completed') })
    .where(eq(orders.id, other))
    .run()
  t.same(sectionOf(await denis.get(`/orders/${other}`)).sums, ['Left to pay 50,00 ₽'], 'another final status is no reason')
})

/** The question in a dialog: its heading, what it is about, its fields with what stands in them, and buttons. */
function questionOf(answer: Answer) {
  const page = parseHtml(answer.body)
  const form = page('form.record-form')
  const focused = form.find('[autofocus]').attr('name')
  return {
    title: plain(page('#dialog-title').text()),
    about: page('#dialog-title')
      .nextUntil('form')
      .toArray()
      .map((one) => plain(page(one).text())),
    action: form.attr('action'),
    fields: form
      .find('.field :is(input, select, textarea):not([type=hidden], [type=file])')
      .toArray()
      .map(({ attribs: { name = '' } }) => `${name}: ${fieldOf(answer, name)?.value}`),
    hints: form
      .find('.form-hint')
      .toArray()
      .map((one) => plain(page(one).text())),
    focused,
    buttons: form
      .find('.btn-list > *')
      .toArray()
      .map((one) => plain(page(one).text())),
    back: form.find('[data-close]').attr('href'),
  }
}

t.test('a payment is reported by dealers and entered by those who may confirm it, with what is left and today at first', async (t) => {
  const { admin, as, db, cast, address } = await start(t)
  const denis = await as('denis')
  const asked = {
    title: 'Report payment',
    about: [/#1\b/],
    action: `${address}/payments`,
    fields: ['amount: 499,50', `date: ${dayIn(0)}`, 'kind: transfer', 'note: '],
    focused: 'amount',
    buttons: ['Cancel', 'Report payment'],
    back: address,
  }
  t.match(questionOf(await denis.get(`${address}/payments`)), asked)
  t.match(questionOf(await admin.get(`${address}/payments`)), {
    ...asked,
    title: 'Enter payment',
    buttons: ['Cancel', 'Enter payment'],
  })
  const hints = async (browser: Browser) => elementsOf((await browser.get(`${address}/payments`)).body, '.form-hint').map(textOf)
  const left = 'Left to pay: 499,50 ₽ Fill in'
  t.same([await hints(denis), await hints(admin)], [[left, 'Speeds up the check'], [left]], 'whoever enters one checks it')
  const waits = async (browser: Browser) => elementsOf((await browser.get(`${address}/payments`)).body, '[data-unconfirmed]').map(textOf)
  t.same(await waits(denis), ['Not confirmed yet: 100,00 ₽'], 'nobody reports a payment twice for not knowing')
  db.update(payments).set({ state: 'rejected' }).where(eq(payments.state, 'reported')).run()
  t.same(await waits(denis), [])
  const send = (fields: object, browser = denis) =>
    browser.post(`${address}/payments`, { amount: '1', date: dayIn(0), kind: 'cash', ...fields } as never)
  t.equal(errorsOf(await send({ amount: '0' })).amount, 'Enter an amount of more than 0.')
  t.equal(errorsOf(await send({ date: dayIn(1) })).date, 'A payment cannot be dated in the future.')
  t.equal(errorsOf(await send({ date: '1999-12-31' })).date, 'A payment cannot be dated before 2000.')
  t.equal(errorsOf(await send({ date: '0001-01-01' }, admin)).date, 'A payment cannot be dated before 2000.')
  t.equal((await send({ date: '2000-01-01' })).statusCode, 303)
  db.delete(payments).where(eq(payments.date, '2000-01-01')).run()
  const said = async (browser = denis) => textsByRole(await browser.get(address), 'status').join()
  t.equal((await send({})).headers.location, `${address}#payments`)
  t.match(await said(), 'Payment reported. It counts once it is confirmed.')
  await send({}, admin)
  t.match(await said(admin), 'Payment entered')
  db.update(orders).set({ cost: 0 }).where(eq(orders.id, cast.order)).run()
  t.equal(fieldOf(await denis.get(`${address}/payments`), 'amount')?.value, '', 'where nothing is left nothing is proposed')
  t.equal(hiddenOf(await denis.get(`${address}/payments`), 'once').length, 1)
})

t.test('whoever rejects a payment is shown which, and says why to whoever reported it', async (t) => {
  const { admin, address, waiting } = await start(t)
  const asked = await admin.get(`/payments/${waiting}/reject`)
  t.match(questionOf(asked), {
    title: 'Reject payment',
    about: [/#1\b/, '100,00 ₽ · 17.01.2026 · Bank card · Denisov Denis'],
    action: `/payments/${waiting}/reject`,
    fields: ['reason: '],
    hints: ['Whoever reported the payment reads it.'],
    focused: 'reason',
    buttons: ['Cancel', 'Reject payment'],
    back: `${address}#payments`,
  })
  const none = await admin.post(`/payments/${waiting}/reject`, { reason: ' ' })
  t.equal(none.statusCode, 422)
  t.ok(errorsOf(none).reason)
  t.equal(elementsOf(none.body, '[aria-invalid][autofocus]').length, 1)
  t.equal((await admin.post(`/payments/${waiting}/reject`, { reason: 'Late' })).headers.location, `${address}#payments`)
  const after = await admin.get(address)
  t.match(textsByRole(after, 'status').join(), /Payment rejected: 100,00\s₽ · Order #\d+ · Alpha Windows/)
  t.match(sectionOf(after).payments[0], /^100,00 ₽ Rejected .* Rejected: Adminov Anton, [\d.]+ [\d:]+$/)
  t.match(sectionOf(after).sums, ['Cost 1 000,00 ₽', 'Paid 400,50 ₽', 'Left to pay 599,50 ₽'])
})

t.test('whoever confirms a payment on the page of its order comes back to its payments', async (t) => {
  const { admin, address, db, waiting } = await start(t)
  const stateOf = (id: number) => db.select().from(payments).where(eq(payments.id, id)).get()?.state
  const form = parseHtml((await admin.get(address)).body)(`form[action="/payments/${waiting}/confirm"]`)
  t.ok(form.find('[name=once]').attr('value'))
  const answer = await admin.post(`/payments/${waiting}/confirm`, { once: 'one' })
  t.same([answer.statusCode, answer.headers.location], [303, `${address}#payments`])
  const told = await admin.get(address)
  t.match(textsByRole(told, 'status').join(), /Payment confirmed: 100,00\s₽ · Order #\d+ · Alpha Windows/)
  const offer = parseHtml(told.body)('.flash form')
  t.same([offer.attr('method'), textOf(offer.html() ?? '')], ['get', 'Take back confirmation'], 'what is booked is not undone')
  const reason = offer.find('[name=reason]').attr('value') ?? ''
  const asked = await admin.get(`${offer.attr('action')}?${new URLSearchParams({ reason })}`)
  t.match(fieldOf(asked, 'reason')?.value, 'Confirmed by mistake')
  t.equal(stateOf(waiting), 'confirmed', 'nothing is taken back before it is said')
  t.equal((await admin.post(`/payments/${waiting}/reverse`, { reason, date: fieldOf(asked, 'date')?.value ?? '' })).statusCode, 303)
  t.equal(stateOf(waiting), 'reversed')
})

t.test('whoever reported a payment reads on its page who confirmed it, and when', async (t) => {
  const { admin, as, waiting } = await start(t)
  const reporter = await as('denis')
  const confirmed = async () => textOf(elementsOf((await reporter.get(`/payments/${waiting}`)).body, '[data-event=confirmed]')[0] ?? '')
  t.equal(await confirmed(), '')
  await admin.post(`/payments/${waiting}/confirm`, { once: 'one' })
  t.match(await confirmed(), /^Payment confirmed Adminov Anton, \d\d\.\d\d\.\d{4} \d\d:\d\d$/)
})

t.test('the events of an order say who confirmed and who rejected a payment, and when, to those who see prices', async (t) => {
  const { admin, as, db, cast, address, waiting } = await start(t)
  insertPayment(db, insertOrder({ db }, 'new', { dealer_id: cast.denis }), {
    amount: 77_00,
    state: 'confirmed',
    decider_name: 'Nobody',
    decided_at: decidedAt,
  })
  const events = async (browser: Browser, path = address) => {
    const page = parseHtml((await browser.get(path)).body)
    return [...page('[data-decided]')].map((one) => plain(textOf(page.html(one))))
  }
  const rejected = /^Adminov Anton rejected a payment of 50,00 ₽(?! Not there)/
  const confirmed = /^Adminov Anton confirmed a payment of 400,50 ₽/
  t.match(await events(admin), [rejected, confirmed], 'in the order of the decisions; what waits is not decided')
  await (await as('root')).post('/payments/confirm', { id: waiting })
  const root = await as('root')
  t.match(await events(root, `${address}/timeline`), [rejected, confirmed, /^Root Olga confirmed a payment of 100,00 ₽/])
  revoke(db, cast.clerk, 'order_can_view_prices')
  t.same(await events(await as('clerk')), [])
})
