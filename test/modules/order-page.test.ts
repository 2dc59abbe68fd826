import { eq } from 'drizzle-orm'
import t from 'tap'
import {
  companies,
  orderHistory,
  orderItems,
  orders,
  payments,
  statusTransitions,
  uploads,
  users,
} from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { lackOf } from '../../src/modules/ledger/balance.ts'
import { orderForm } from '../../src/modules/orders/form.ts'
import { type Answer, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { daysAgo } from '../support/days.ts'
import { submitForm } from '../support/files.ts'
import {
  attributesOf,
  controlsOf,
  elementsOf,
  errorsOf,
  fieldOf,
  hiddenOf,
  isDocument,
  parseHtml,
  textOf,
  textsByRole,
} from '../support/html.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder, orderOf, statusId, transitionBetween } from '../support/orders.ts'
import { dayIn } from '../support/products.ts'

const day = 24 * 3600_000

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { cast, db, as } = cabinet
  const places = { manufacture_id: cast.site, stock_id: cast.stock }
  db.update(companies).set(places).where(eq(companies.id, cast.companies.alpha)).run()
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  const page = async (name: Name, id: number, query = '') => (await as(name)).get(`/orders/${id}${query}`)
  return { ...cabinet, of, page }
}

const textIn = ({ body }: Answer, selector: string) => elementsOf(body, selector).map(textOf)
const hrefsIn = ({ body }: Answer, selector: string) =>
  elementsOf(body, `${selector} a[href]`).map((link) => attributesOf(link).href as string)

t.test('the head of an order page', async (t) => {
  const cabinet = await start(t)
  const { cast, of, page, as } = cabinet

  t.test('says for how long the order has been in its status, however old it is', async (t) => {
    const state = async (id: number) => textIn(await page('maria', id), '.order-state')[0]
    const insert = (created_at: number) => insertOrder(cabinet, 'new', { ...of, created_at })
    t.equal(await state(insert(daysAgo(0))), 'New since today Waiting for the dealer')
    t.equal(await state(insert(daysAgo(0) - 1)), 'New 1 day in this status Waiting for the dealer', 'the evening before is yesterday')
    t.equal(await state(insert(daysAgo(5))), 'New 5 days in this status Waiting for the dealer')
    const moved = insert(daysAgo(9))
    await (await as('maria')).post(`/orders/${moved}/transition`, { transition_id: 1 })
    t.equal(await state(moved), 'Awaiting signing since today Your turn')
  })

  t.test('says when the order was created, not when it was changed last', async (t) => {
    const created_at = new Date(2026, 0, 15, 12, 30).getTime()
    const id = insertOrder(cabinet, 'new', { ...of, created_at, updated_at: created_at + 3 * day })
    const time = parseHtml((await page('maria', id)).body)('.record-line time')
    t.equal(time.attr('datetime'), new Date(created_at).toISOString())
    t.equal(time.text(), formatDateTime(created_at))
  })

  t.test('links to company and dealer for those who may open them, and names them to everybody', async (t) => {
    const facts = async (name: Name) => {
      const answer = await page(name, cast.order)
      const [people] = textIn(answer, '.order-people')
      if (name === 'maria') t.equal(people, 'DD Denisov Denis Dealer · Alpha Windows', 'she knows herself')
      else t.match(people, /^DD Denisov Denis Dealer · Alpha Windows MP Petrova Maria Ivanovna Manager maria@example\.com/, name)
      return hrefsIn(answer, '.order-people').filter((href) => !href.startsWith('mailto:'))
    }
    const both = [`/dealers/edit/${cast.denis}?tab=overview`, `/company/edit/${cast.companies.alpha}?tab=overview`]
    t.same(await facts('maria'), both)
    t.same(await facts('admin'), both)
    for (const name of ['denis', 'pavel', 'clerk'] as const) t.same(await facts(name), [], name)
    const nobodys = insertOrder(cabinet, 'new', { company_id: cast.companies.nobodys })
    t.match(textIn(await page('admin', nobodys), '.order-people')[0], /Nobody Ltd.*No manager$/)
    const ofMaria = eq(users.id, cast.maria)
    cabinet.db.update(users).set({ phone: '+7(901) 222 33 44' }).where(ofMaria).run()
    const answer = await page('denis', cast.order)
    t.match(textIn(answer, '.order-people')[0], / Manager · \+7\(901\) 222 33 44 maria@example\.com$/)
    t.same(hrefsIn(answer, '.order-people'), ['tel:+79012223344', 'mailto:maria@example.com'])
    cabinet.db.update(users).set({ phone: null }).where(ofMaria).run()
  })

  t.test('offers to order again and to print only what this user may', async (t) => {
    const [fresh, reviewed] = [cast.order, insertOrder(cabinet, 'paid', of)]
    const tools = async (name: Name, id: number) => {
      const hrefs = hrefsIn(await page(name, id), '.order-tools')
      const has = (href: string) => hrefs.includes(href)
      const here = `/orders/${id}`
      t.ok(has(`${here}/sheet`), name)
      t.notOk(has(`/orders/edit/${id}`), 'each section is edited where it stands')
      return { add: has('/orders/add'), again: has(`/orders/add?from=${id}`), work: has(`${here}/work-sheet`) }
    }
    t.same(await tools('denis', fresh), { add: true, again: true, work: false })
    t.same(await tools('denis', reviewed), { add: true, again: true, work: false })
    t.same(await tools('roman', fresh), { add: true, again: true, work: false })
    t.same(await tools('maria', reviewed), { add: true, again: true, work: true })
    t.same(await tools('pavel', fresh), { add: false, again: false, work: true })
    t.same(await tools('pavel', reviewed), { add: false, again: false, work: true })
  })
})

t.test('lines are shown with their amounts; from the fifth on they fold on a phone', async (t) => {
  const { cast, db, page } = await start(t)
  const line = (name: string, values = {}) =>
    db
      .insert(orderItems)
      .values({ order_id: cast.order, name, quantity: 2, price: 100_00, discount: 25, ...values })
      .run()
  line('Window', { category_id: cast.category })
  line('Door', { quantity: 3, price: 33_33, discount: 0 })
  db.update(orders).set({ cost: 249_99 }).where(eq(orders.id, cast.order)).run()
  const shown = await page('denis', cast.order)
  const cells = elementsOf(shown.body, '.order-lines tbody tr').map((row) => elementsOf(row, 'td').map(textOf))
  t.same(cells, [
    ['Window Windows', '2', '100,00 ₽', '25%', '150,00 ₽'],
    ['Door Category deleted', '3', '33,33 ₽', '', '99,99 ₽'],
  ])
  t.same(textIn(shown, '.order-lines tfoot tr'), ['Subtotal 299,99 ₽', 'Discount −50,00 ₽', 'Total 249,99 ₽'])
  db.update(orderItems).set({ discount: 0 }).run()
  t.same(
    textIn(await page('denis', cast.order), '.order-lines thead th'),
    ['Product', 'Quantity', 'Price', 'Amount'],
    'without a discount there is no column of them',
  )
  const folded = async () => textIn(await page('denis', cast.order), '.order-lines .is-more').length
  line('Third')
  line('Fourth')
  t.equal(await folded(), 0)
  line('Fifth')
  t.equal(await folded(), 2)
  t.match(textOf((await page('denis', cast.order)).body), 'Show all (5)')
})

t.test('details show what is known, dates first, with links to call and to write; what is empty takes one line', async (t) => {
  const cabinet = await start(t)
  const { cast, db, page } = cabinet
  const values = { receiver: 'Anna', phone: '+7(999) 123 45 67', email: 'an na@example.com', date_make: '2026-12-31', sn: '17' }
  db.update(orders).set(values).where(eq(orders.id, cast.order)).run()
  const shown = await page('denis', cast.order)
  t.same(textIn(shown, '.order-properties dl > div'), [
    'Production date 31.12.2026',
    'Serial number 17',
    'Warehouse North stock',
    'Production site First site',
    'Customer full name Anna',
    'Phone +7(999) 123 45 67',
    'Email an na@example.com',
  ])
  t.same(textIn(shown, '[aria-label=Details] .phone-fold'), ['Details Production and dates, Contacts, Customer'])
  t.same(
    textIn(shown, '.order-properties .record-empty'),
    ['Add: Comment Delivery method Address Payment type'],
    'what its dealer fills in',
  )
  const missing = async (name: Name) => textIn(await page(name, cast.order), '.order-properties .record-empty a')
  t.same(await missing('root'), ['Payment date', 'Delivery date', 'Comment', 'Delivery method', 'Address', 'Payment type'])
  t.match(hrefsIn(shown, '.order-properties .record-empty'), [`/orders/${cast.order}/edit/customer?field=comment`])
  t.same(hrefsIn(shown, '.order-properties :is(dl, .order-people)'), [
    'mailto:maria@example.com',
    'tel:+79991234567',
    'mailto:an%20na@example.com',
  ])
})

t.test('status, steps, amount and details stand in the column beside lines, documents and discussion, whoever looks', async (t) => {
  const cabinet = await start(t)
  const { of, page, db } = cabinet
  const stored = { key: 'bill', name: 'bill.pdf', type: 'pdf', size: 1, user_id: cabinet.cast.maria, at: Date.now() }
  db.insert(uploads).values(stored).run()
  const id = insertOrder(cabinet, 'production', {
    ...of,
    cost: 500_00,
    date_payment: '2026-11-30',
    date_make: '2026-12-31',
    invoice: 'bill',
  })
  db.insert(orderItems).values({ order_id: id, name: 'Window', quantity: 2, price: 250_00, discount: 0 }).run()
  const columns = async (name: Name) => {
    const shown = await page(name, id)
    return { aside: textIn(shown, '.record-aside')[0] ?? '', main: textIn(shown, '.record-main')[0] ?? '' }
  }
  for (const name of ['denis', 'maria', 'root', 'pavel'] as const) {
    const { aside, main } = await columns(name)
    t.match(aside, /^Status In production since today .*Production date 31\.12\.2026.*Denisov Denis/, name)
    t.match(main, /^Order lines (Edit )?Product Quantity .*Window.* Discussion /, name)
    t.notMatch(main, '31.12.2026', name)
  }
  const priced = await columns('denis')
  t.match(priced.aside, /Left to pay 500,00 ₽/)
  t.notMatch(priced.aside, 'Cost', 'which says the same')
  t.match(priced.aside, 'Payment date 30.11.2026')
  t.match(priced.main, /Total 500,00 ₽ Payments .* Documents (Edit )?Invoice File/)
  const made = await columns('pavel')
  t.notMatch(made.aside + made.main, /Cost|₽|Payment|Invoice|bill/, 'who sees no prices sees nothing of what is paid')
  t.match(made.aside, 'Hand over for delivery')
  t.notMatch((await columns('maria')).aside, 'Hand over for delivery Requires', 'the steps of others are folded, with whose they are')
})

t.test('a step has one name and one reason on page and card, in the bulk change and in the test of the workflow', async (t) => {
  const cabinet = await start(t)
  const { as, page, of, db } = cabinet
  db.update(statusTransitions)
    .set({ action_name: null, issues: [] })
    .where(eq(statusTransitions.id, transitionBetween(cabinet, 'apply', 'payment').id))
    .run()
  const id = insertOrder(cabinet, 'apply', of)
  const step = transitionBetween(cabinet, 'apply', 'payment')
  const denis = await as('denis')
  const refusal = "Only the company's manager or an administrator can do this."
  t.match(textIn(await page('denis', id), '.order-others')[0], `Move to Awaiting payment ${refusal}`)
  t.match(textIn(await denis.get(`/orders/edit/${id}`), '.order-transitions')[0], `Move to Awaiting payment ${refusal}`)
  t.match(textIn(await denis.get(`/orders/transitions?id=${id}&transition_id=${step.id}`), '.confirm-names')[0], refusal)
  t.match(
    textIn(await (await as('root')).get(`/orders/try?order=${id}&role=dealer`), '.dry-run-transitions')[0],
    `Move to Awaiting payment ${refusal}`,
  )
  const lacks = 'Requires Specification, Invoice'
  t.match(textIn(await page('maria', id), '.order-steps')[0], `Move to Awaiting payment ${lacks}`)
  t.match(textIn(await (await as('maria')).get(`/orders/edit/${id}`), '.order-transitions')[0], `Awaiting payment ${lacks}`)
  t.match(textIn(await (await as('maria')).get('/'), '.order-line-next').join(), 'Move to Awaiting payment')
})

t.test('one button stands out: the next step of whoever is to act, or the payment that waits for them', async (t) => {
  const cabinet = await start(t)
  const { page, of, db, cast } = cabinet
  const id = insertOrder(cabinet, 'payment', of)
  const blue = async (name: Name) => textIn(await page(name, id), '.order-next .btn-primary, #payments .btn-primary')
  t.same(await blue('denis'), ['Report payment'])
  t.same([await blue('maria'), await blue('root')], [[], []], 'others wait for the dealer, and may')
  t.match(textIn(await page('maria', id), '.order-steps button')[0], 'Report payment')
  db.update(orders)
    .set({ status_id: statusId('paid') })
    .where(eq(orders.id, id))
    .run()
  t.same(await blue('maria'), ['Start production'])
  t.same(textIn(await page('maria', id), '[data-turn=own]'), ['Your turn'])
  insertPayment(db, id, { amount: 100 })
  t.same(await blue('maria'), [], 'what others have to confirm first')
  t.same(textIn(await page('maria', id), '[data-turn=other]'), ['Your turn once the payment is confirmed'])
  const waiting = async () => textIn(await page('maria', id), '.order-steps .btn.is-waiting')
  t.same(await waiting(), ['Start production'], 'she still may, though it looks like what is waited for')
  const home = async () => textIn(await (await cabinet.as('maria')).get('/'), '.order-line-next').join()
  t.equal(await home(), '', 'at home she is not asked for what comes later')
  const whoCan = 'Payment can be confirmed by: Adminov Anton, Clerkova Klara'
  t.match(textIn(await page('maria', id), '#unconfirmed')[0], whoCan)
  const onBoard = async (name: Name) =>
    textIn(await (await cabinet.as(name)).get('/orders/board'), `[data-order="${id}"] > p:not(.board-title)`).join()
  t.match(await onBoard('maria'), whoCan)
  t.match(await onBoard('root'), 'Confirm payment')
  t.notMatch(await onBoard('pavel'), /[Cc]onfirm/, 'nothing of money for production')
  grant(db, cast.maria, 'payment_can_confirm')
  t.same((await blue('maria')).length, 1)
  t.match((await blue('maria'))[0], 'Confirm', 'first the money')
  db.update(payments).set({ state: 'confirmed' }).run()
  t.same(await blue('maria'), ['Start production'])
  t.same(await waiting(), [])
  t.equal(await home(), 'Start production')
})

t.test('a dealer reads beside the step that a payment was rejected, why and what to do, until they report it again', async (t) => {
  const cabinet = await start(t)
  const { page, of, db } = cabinet
  const id = insertOrder(cabinet, 'payment', { ...of, cost: 1_000_00 })
  insertPayment(db, id, { amount: 100, state: 'rejected', reason: 'Nothing has come' })
  const said = async (name: Name) => textIn(await page(name, id), '#rejected-payment')
  const refusal = 'Payment rejected: 1,00 ₽ Nothing has come'
  t.same(await said('denis'), [`${refusal} Check the transfer and report it again.`])
  t.same(await said('maria'), [refusal])
  insertPayment(db, id, { amount: 100 })
  t.same(await said('denis'), [])
  t.same(textIn(await page('denis', id), '.order-next .btn-primary'), ['Report payment'], 'what waits keeps no dealer from paying the rest')
})

t.test('a canceled order says who canceled it, when and why', async (t) => {
  const cabinet = await start(t)
  const { as, page, of, db } = cabinet
  const id = insertOrder(cabinet, 'apply', of)
  const state = async () => textIn(await page('denis', id), '.order-next')[0] as string
  t.notMatch(await state(), 'Canceled')
  const { id: transition_id } = transitionBetween(cabinet, 'apply', 'canceled')
  t.equal((await (await as('maria')).post(`/orders/${id}/transition`, { transition_id, note: 'Too dear' })).statusCode, 303)
  const at = formatDateTime(db.select().from(orderHistory).where(eq(orderHistory.order_id, id)).get()?.at as number)
  t.match(await state(), `Canceled: Petrova Maria, ${at} Too dear`)
  t.notMatch(await state(), 'This is a final status.', 'nothing else is said of it')
  const completed = insertOrder(cabinet, 'completed', of)
  t.match(textIn(await page('denis', completed), '.order-next')[0], 'This is a final status.')
  t.same(textIn(await page('denis', completed), '#canceled'), [])
})

t.test('a step keeps its name in the language of the reader: before and after an error, in page and dialog', async (t) => {
  const cabinet = await start(t)
  const { as, of } = cabinet
  const id = insertOrder(cabinet, 'apply', of)
  const { id: transition_id } = transitionBetween(cabinet, 'apply', 'payment')
  const maria = await as('maria')
  const russian = { 'accept-language': 'ru' }
  const named = (answer: Answer) => ['#step .save-bar button', '#dialog-title'].map((place) => textIn(answer, place)[0])
  const asked = `/orders/${id}?transition_id=${transition_id}`
  const refused = (headers: object) => maria.post(`/orders/${id}/transition`, { transition_id }, { ...russian, ...headers })
  t.same(named(await maria.get(asked, { ...russian, ...htmx })), ['Выставить счёт', 'Выставить счёт'])
  t.same(named(await refused(htmx)), ['Выставить счёт', 'Выставить счёт'])
  t.equal(named(await maria.get(asked, russian))[0], 'Выставить счёт')
  t.equal(named(await refused({}))[0], 'Выставить счёт')
  t.equal(named(await maria.get(asked))[0], 'Request payment', 'whoever reads English')
})

t.test('everything that the form of an order asks for can be read on its page, in whichever group', async (t) => {
  const cabinet = await start(t)
  const { cast, db, page } = cabinet
  const stored = (name: string) => ({ key: name, name: `${name}.pdf`, type: 'pdf', size: 1, user_id: cast.maria, at: Date.now() })
  const files = ['specification', 'invoice', 'payment_order'] as const
  db.insert(uploads).values(files.map(stored)).run()
  const text = {
    receiver: 'Anna Karenina',
    phone: '+7(999) 123 45 67',
    email: 'anna@example.com',
    comment: 'Second floor',
    address: 'Main street 5',
    sn: '4711',
    external_id: '1C-000134',
  }
  const chosen = { delivery: 'carrier', payment: 'card', deferred_payment: true } as const
  const dates = { date_payment: '2026-11-30', date_make: '2026-12-31', date_delivery: '2027-02-01' }
  const keys = Object.fromEntries(files.map((name) => [name, name]))
  db.update(orders)
    .set({ ...text, ...chosen, ...dates, ...keys })
    .where(eq(orders.id, cast.order))
    .run()
  db.insert(orderItems).values({ order_id: cast.order, name: 'A wide window', quantity: 2, price: 100_00, discount: 0 }).run()
  const shown: Record<keyof typeof orderForm.fields, string> = {
    ...text,
    dealer_id: 'Denisov Denis Dealer',
    items: 'A wide window',
    without_lines: '',
    seen_total: '',
    agreed: '',
    agreed_reason: '',
    agreed_raises: '',
    reason: '',
    untold: '',
    delivery: 'Delivery method Freight carrier',
    payment: 'Payment type Bank card',
    deferred_payment: 'Deferred payment Yes',
    date_payment: 'Payment date 30.11.2026',
    date_make: 'Production date 31.12.2026',
    date_delivery: 'Delivery date 01.02.2027',
    specification: '/files/specification',
    invoice: '/files/invoice',
    payment_order: '/files/payment_order',
  }
  const answer = await page('denis', cast.order)
  const readable = textOf(answer.body) + elementsOf(answer.body, '.stored-file a[download]').map((link) => attributesOf(link).href)
  t.same(Object.keys(shown).sort(), Object.keys(orderForm.fields).sort(), 'no field is left out here')
  for (const [name, words] of Object.entries(shown)) t.ok(readable.includes(words), `${name}: ${words}`)
  t.match(
    textIn(answer, '.phone-fold summary').join(),
    /^Details Production and dates, Contacts, Customer, Delivery and payment$/,
    'folded on a phone: the customer is named above',
  )
})

t.test('documents show who added them and how large they are, and who may add what', async (t) => {
  const cabinet = await start(t)
  const { db, page, as, of } = cabinet
  const id = insertOrder(cabinet, 'apply', of)
  const missing = async (name: Name) => textIn(await page(name, id), '.file-tile.is-missing strong')
  t.same(await missing('denis'), [], 'nobody has asked for a payment yet')
  t.same(await missing('maria'), ['Specification', 'Invoice'])
  const sent = await submitForm(await as('maria'), `/orders/${id}/documents`, [['invoice', new File(['%PDF-1.7 bill'], 'Bill.pdf')]])
  t.equal(sent.statusCode, 303)
  t.same(await missing('maria'), ['Specification'])
  t.same(await missing('denis'), ['Payment confirmation'], 'with the invoice')
  const asks = parseHtml((await page('maria', id)).body)('.file-drop')
  t.equal(asks.find('[name=version]').attr('value'), String(orderOf(db, id).version), 'of what somebody else saves meanwhile')
  const line = parseHtml((await page('denis', id)).body)('.file-tile:not(.is-missing) .stored-file-line')
  t.match(line.find('a').attr('href'), /^\/files\/\w+\/preview$/, 'a document opens in the browser')
  t.equal(line.attr('title'), formatDateTime(db.select().from(uploads).get()?.at ?? 0))
  const tile = async () => textIn(await page('denis', id), '.file-tile:not(.is-missing)')[0]
  t.match(await tile(), /^Invoice Bill\.pdf · 1 KB · Petrova Maria$/)
  for (const [size, shown] of [
    [1024, '1 KB'],
    [1025, '2 KB'],
    [1024 * 1024 - 1, '1024 KB'],
    [1024 * 1024, '1 MB'],
    [1.55 * 1024 * 1024, '1.6 MB'],
  ] as const) {
    db.update(uploads)
      .set({ size: Math.round(size) })
      .run()
    t.match(await tile(), `Bill.pdf · ${shown} · `)
  }
  const stranger = await submitForm(await as('denis'), `/orders/${id}/documents`, [['invoice', new File(['x'], 'Mine.pdf')]])
  t.equal(stranger.statusCode, 403)
})

t.test('steps', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, page, of } = cabinet
  const { id: toDelivery } = transitionBetween(cabinet, 'production', 'delivery')
  const { id: toPickup } = transitionBetween(cabinet, 'production', 'pickup')
  const made = insertOrder(cabinet, 'production', { ...of, receiver: 'Anna', phone: '+7(999) 123 45 67', cost: 1_234_50 })
  const buttons = (answer: Answer, selector: string) => textIn(answer, `${selector} button[name=transition_id]`)

  t.test('the step that fits the delivery comes first, the others follow once, and those of others say whose they are', async (t) => {
    const deliver = (delivery: string | null) => db.update(orders).set({ delivery }).where(eq(orders.id, made)).run()
    for (const [delivery, first, second] of [
      ['pickup', 'Ready for pickup', 'Hand over for delivery'],
      ['address', 'Hand over for delivery', 'Ready for pickup'],
      ['carrier', 'Hand over for delivery', 'Ready for pickup'],
    ] as const) {
      deliver(delivery)
      const fitting = await page('pavel', made)
      t.same(buttons(fitting, ':is(.order-steps, .order-rest) > form'), [first, second], delivery)
      t.same(textIn(fitting, ':is(.order-steps, .order-rest) > form .btn-primary'), [first], delivery)
      t.match(textIn(fitting, '.order-progress .is-next').join(), delivery === 'pickup' ? 'Awaiting pickup' : 'Delivery', 'the likely way')
    }
    deliver(null)
    const shown = await page('pavel', made)
    t.same(buttons(shown, ':is(.order-steps, .order-rest) > form'), ['Hand over for delivery', 'Ready for pickup'])
    t.same(
      textIn(shown, ':is(.order-steps, .order-rest) > form .btn-primary'),
      ['Hand over for delivery'],
      'the first of equals stands out',
    )
    t.match(textIn(shown, ':is(.order-steps, .order-rest) > form')[0], 'Requires Delivery date, Address')
    t.match(textIn(shown, '.order-others li'), [/^Cancel order Only the company's manager or an administrator can do this\.$/])
    const next = async (name: Name) => textIn(await page(name, made), '#next-step')
    t.same(
      [await next('pavel'), await next('denis')],
      [[], ['Next: Delivery or Awaiting pickup']],
      'whoever can take none reads what comes',
    )
    db.update(orders).set({ date_make: '2030-12-01', date_delivery: '2030-12-09' }).where(eq(orders.id, made)).run()
    t.same(await next('denis'), ['Next: Delivery or Awaiting pickup · planned for 01.12.2030'])
    deliver('pickup')
    t.same(await next('denis'), ['Next: Awaiting pickup · planned for 01.12.2030'])
    const isPlanned = async (day: string) => {
      db.update(orders).set({ date_make: day }).where(eq(orders.id, made)).run()
      return (await next('denis')).join().includes('planned for')
    }
    t.same([await isPlanned(dayIn(0)), await isPlanned(dayIn(-1))], [true, false], 'a day that has passed is no plan')
    db.update(orders).set({ delivery: null, date_make: null, date_delivery: null }).where(eq(orders.id, made)).run()
    db.update(statusTransitions).set({ action_name: null }).where(eq(statusTransitions.id, toPickup)).run()
    t.same(buttons(await page('pavel', made), ':is(.order-steps, .order-rest) > form')[1], 'Move to Awaiting pickup')
    db.update(statusTransitions).set({ action_name: 'Ready for pickup' }).where(eq(statusTransitions.id, toPickup)).run()
  })

  t.test('a step that lacks nothing is taken at once, any other and a final one ask first', async (t) => {
    const methods = async (name: Name) =>
      elementsOf((await page(name, made)).body, '.order-steps form').map((form) => [
        textOf(elementsOf(form, 'button')[0] as string),
        parseHtml(form)('form').attr('method'),
        parseHtml(form)('[name=once]').length,
      ])
    t.same(await methods('pavel'), [
      ['Hand over for delivery', 'get', 0],
      ['Ready for pickup', 'post', 1],
    ])
    t.same(await methods('maria'), [['Cancel order', 'get', 0]])
  })

  t.test('the form of a step asks for what is missing and a comment, and for nothing else', async (t) => {
    const asked = await page('pavel', made, `?transition_id=${toDelivery}`)
    const names = controlsOf(elementsOf(asked.body, '#step')[0] ?? '').flatMap(({ name, type }) => (type === 'hidden' ? [] : [name]))
    t.same(
      names.filter((name) => name !== 'transition_id'),
      ['address', 'date_delivery', 'note'],
    )
    t.same(textsByRole(asked, 'alert'), ['To move to "Delivery", add:'])
    t.match(textIn(asked, '#step label'), ['Address', 'Delivery date', 'Comment'])
    t.same(textIn(await page('maria', made, `?transition_id=${toDelivery}`), '#step'), [], 'who may not take it gets no form')
    t.same(textIn(await page('pavel', cast.order, `?transition_id=${toDelivery}`), '#step'), [], 'nor where it does not begin')
    const refused = await (await as('pavel')).post(`/orders/${made}/transition`, { transition_id: toDelivery })
    t.equal(refused.statusCode, 422)
    t.notMatch(textOf(refused.body), 'Your change was not applied', 'nobody else has moved it')
    const filled = insertOrder(cabinet, 'production', { ...of, address: 'Main street 5', date_delivery: '2030-01-02' })
    const typed = { transition_id: toDelivery, date_delivery: '31.31.2030', receiver: 'Anna', phone: '+7(999) 123 45 67' }
    const wrong = await (await as('pavel')).post(`/orders/${filled}/transition`, typed)
    t.same(errorsOf(wrong), { date_delivery: 'Enter a valid date.' }, 'also for what is filled in already')
  })

  t.test('a final step asks for the reason and names number, amount and status', async (t) => {
    const { id } = transitionBetween(cabinet, 'production', 'canceled')
    const asked = await page('maria', made, `?transition_id=${id}`)
    t.same(textsByRole(asked, 'alert'), [`Move order #${made} for 1 234,50 ₽ to "Canceled"? This is a final status.`])
    t.match(textIn(asked, '#step label'), ['Reason'])
    t.match(textIn(asked, '#step .save-bar > *'), ['Keep current status', 'Cancel order'])
    t.same(textIn(asked, '[autofocus]'), ['Keep current status'], 'Enter does not end an order by mistake')
    const installed = insertOrder(cabinet, 'install', { ...of, cost: 1 })
    const completing = await page('maria', installed, `?transition_id=${transitionBetween(cabinet, 'install', 'completed').id}`)
    t.same(
      [asked, completing].map((step) => textIn(step, '#step .btn-danger').length),
      [1, 0],
      'red calls off, and completes nothing',
    )
    db.update(statusTransitions)
      .set({ required_fields: ['address'] })
      .where(eq(statusTransitions.id, id))
      .run()
    const lacking = await page('maria', made, `?transition_id=${id}`)
    t.match(textIn(lacking, '#step label'), ['Address', 'Reason'], 'each field has its own name')
    t.same(textIn(lacking, '[autofocus]'), ['Keep current status'], 'even where something is asked')
    const refused = await (await as('maria')).post(`/orders/${made}/transition`, { transition_id: id, address: '' })
    t.equal(refused.statusCode, 422)
    t.same(
      elementsOf(refused.body, '[autofocus]').map((element) => attributesOf(element).name),
      ['address'],
      'what was refused begins at its mistake',
    )
    db.update(statusTransitions).set({ required_fields: [] }).where(eq(statusTransitions.id, id)).run()
    const step = async () => textOf((await (await as('maria')).get(`/orders/${made}?transition_id=${id}`, htmx)).body)
    t.match(await step(), '1 234,50')
    revoke(db, cast.maria, 'order_can_view_prices')
    t.notMatch(await step(), '1 234,50', 'nor does the dialog say what it costs to whoever may not see that')
    grant(db, cast.maria, 'order_can_view_prices')
  })

  t.test('to scripts a step that asks answers with its form alone, for the dialog over the page', async (t) => {
    const [maria, pavel] = [await as('maria'), await as('pavel')]
    const id = insertOrder(cabinet, 'production', { ...of, receiver: 'Anna', phone: '+7(999) 123 45 67', delivery: 'address' })
    const asking = `/orders/${id}?back=%3Fq%3Dx&transition_id=${toDelivery}`
    const asked = await pavel.get(asking, htmx)
    t.same(textIn(asked, 'h1'), ['Hand over for delivery'])
    t.same(textIn(asked, 'h1 + p'), [`Order #${id} · Alpha Windows`])
    t.equal(elementsOf(asked.body, 'main, header, .order-progress').length, 0, 'and nothing of the page')
    t.same(hiddenOf(asked, 'back'), ['?q=x'], 'it knows from which list one came')
    t.equal(attributesOf(elementsOf(asked.body, '[autofocus]')[0] ?? '').name, 'address', 'the keyboard begins with the first field')

    const typed = { transition_id: toDelivery, address: 'Main street 5', note: 'Call first', back: '?q=x' }
    const refused = await pavel.post(`/orders/${id}/transition`, typed, htmx)
    t.equal(refused.statusCode, 422)
    t.same(errorsOf(refused), { date_delivery: 'Enter the delivery date.' })
    t.equal(fieldOf(refused, 'note')?.value, 'Call first', 'what was typed is still there')
    t.equal(fieldOf(refused, 'address')?.value, 'Main street 5')
    t.equal(elementsOf(refused.body, 'main').length, 0)
    t.equal(orderOf(db, id).status_id, statusId('production'))

    const done = await pavel.post(`/orders/${id}/transition`, { ...typed, date_delivery: '2030-01-02' }, htmx)
    t.equal(done.statusCode, 200)
    t.equal(done.headers['hx-redirect'], `/orders/${id}?back=%3Fq%3Dx`)
    t.equal(orderOf(db, id).status_id, statusId('delivery'))
    const after = await pavel.get(`/orders/${id}`)
    t.same(textsByRole(after, 'status'), [`Order #${id} moved to Delivery`])
    t.equal(elementsOf(after.body, `form[action="/orders/${id}/undo"]`).length, 1)
    const events = textIn(after, '#timeline > li')
    t.match(events, [/Delivery.*Main street 5/])
    t.equal(events.length, 1, 'what a step filled in is told with it, not again as a change')

    const late = await pavel.post(`/orders/${id}/transition`, { ...typed, date_delivery: '2030-01-03' }, htmx)
    t.equal(late.statusCode, 409)
    t.same(textIn(late, 'h1'), ['Not moved'])
    t.match(textsByRole(late, 'alert')[0], /^Masterov Pavel moved this order to "Delivery" on .* Your input: .*Main street 5.* 2030-01-03/)
    t.same(hrefsIn(late, '.btn-list'), [`/orders/${id}?back=%3Fq%3Dx`])
    t.match(
      textsByRole(await pavel.get(asking, htmx), 'alert')[0],
      /moved this order to "Delivery"/,
      'a page that is out of date learns so',
    )
    t.equal(elementsOf((await maria.get(asking, htmx)).body, 'form').length, 0, 'who may not take it gets no form')
    t.ok(isDocument(await pavel.get(asking)), 'without scripts the page')
  })

  t.test('an order in a final status says so; one without a status waits for an administrator', async (t) => {
    const [done, lost] = [insertOrder(cabinet, 'completed', of), insertOrder(cabinet, 'new', { ...of, status_id: null })]
    t.match(textIn(await page('maria', done), '.order-steps')[0], /^This is a final status\.$/)
    const open = insertOrder(cabinet, 'payment', of)
    for (const name of ['root', 'maria', 'denis', 'pavel'] as const)
      t.notMatch(textIn(await page(name, open), '.order-steps').join(), /final status|Status deleted|Assign status/, name)
    t.match(textIn(await page('maria', lost), '.order-steps')[0], /^Status deleted\. An administrator can assign another\.$/)
    const assign = parseHtml((await page('root', lost)).body)('.order-steps .assign-status')
    t.equal(assign.attr('action'), `/orders/edit/${lost}/status`)
    t.ok(assign.find('[name=status_id] option').length > 5)
  })

  t.test('the progress shows the way so far without detours, the present status and the likely way on', async (t) => {
    const order = insertOrder(cabinet, 'payment', of)
    const walk = (...keys: string[]) => {
      db.delete(orderHistory).where(eq(orderHistory.order_id, order)).run()
      for (const [index, key] of keys.entries())
        db.insert(orderHistory)
          .values({ order_id: order, at: index, to_status_id: statusId(key), to_name: key, actor_name: 'x' })
          .run()
    }
    const progress = async () =>
      elementsOf((await page('maria', order)).body, '.order-progress li').map(
        (item) => `${parseHtml(item)('li').attr('class')?.slice(3)} ${textOf(item).replace(' (likely next)', '')}`,
      )
    const now = async () => textIn(await page('maria', order), '.order-progress [aria-current=step]')
    const ahead = ['next Under review', 'next In production', 'next Delivery', 'next Installation', 'next Completed']
    walk('new', 'apply', 'payment')
    t.same(await progress(), ['done New', 'done Awaiting signing', 'current Awaiting payment', ...ahead])
    t.same(await now(), ['Awaiting payment'])
    walk('new', 'payment', 'paid', 'payment')
    t.same(await progress(), ['done New', 'current Awaiting payment', ...ahead])
    walk('new', 'apply')
    db.update(orders)
      .set({ status_id: statusId('canceled') })
      .where(eq(orders.id, order))
      .run()
    t.same(await progress(), ['done New', 'done Awaiting signing', 'canceled Canceled'])
    t.same(await now(), ['Canceled'])
    t.same(textIn(await page('maria', order), '#workflow'), [], 'the whole workflow is shown on request')
    t.equal(elementsOf((await page('maria', order, '?workflow=1')).body, '#workflow svg').length, 1)
  })
})

t.test('the head of an order says whose it is and when it is ready; dealers know their own company', async (t) => {
  const cabinet = await start(t)
  const { of, page, db, cast } = cabinet
  const id = insertOrder(cabinet, 'production', { ...of, receiver: 'Anna Karenina', date_make: '2030-12-01', date_delivery: '2030-12-09' })
  const told = async (name: Name) => textIn(await page(name, id), '.order-summary > :has(a, strong)')
  const company = db.select().from(companies).where(eq(companies.id, cast.companies.alpha)).get()?.org
  t.same(await told('maria'), [`Company ${company}`, 'Customer Anna Karenina', 'Ready by 01.12.2030'])
  t.same(hrefsIn(await page('maria', id), '.order-summary'), [`/company/edit/${cast.companies.alpha}?tab=overview`])
  t.same(await told('denis'), ['Customer Anna Karenina', 'Ready by 01.12.2030'])
  db.update(orders).set({ date_make: null, receiver: null }).where(eq(orders.id, id)).run()
  t.same(await told('denis'), ['Delivery on 09.12.2030'])
  db.update(orders)
    .set({ status_id: statusId('completed') })
    .where(eq(orders.id, id))
    .run()
  t.same(await told('denis'), [], 'nobody waits for what is over')
})

t.test('a payment is reported in one way: by the step that asks for it, filled in, the file last', async (t) => {
  const cabinet = await start(t)
  const { of, page, as, db } = cabinet
  const id = insertOrder(cabinet, 'payment', { ...of, cost: 1_000_00 })
  const shown = await page('denis', id)
  t.same(textIn(shown, '.order-steps .btn-primary'), ['Report payment'])
  t.same(textIn(shown, ':is(.order-steps, .order-rest) > form .form-hint'), [], 'its form is filled in')
  t.same(textIn(shown, '#payments'), [], 'no second way')
  const { id: step } = transitionBetween(cabinet, 'payment', 'paid')
  const asked = await (await as('denis')).get(`/orders/${id}?transition_id=${step}`, htmx)
  const form = parseHtml(asked.body)('#step')
  const fields = form.find('.field :is(input, select, textarea):not([type=hidden])').toArray()
  t.same(
    fields.map(({ attribs }) => [attribs.name, 'required' in attribs]),
    [
      ['amount', false],
      ['date', false],
      ['payment', true],
      ['payment_order', false],
      ['note', false],
    ],
  )
  t.same(textIn(asked, '.form-hint'), ['Instead of the amount, or with it: then the check is faster', 'Saved in the order history.'])
  t.equal(fieldOf(asked, 'payment')?.value, 'transfer')
  insertPayment(db, id, { amount: 1_000_00 })
  t.same(
    textIn(await page('denis', id), ':is(.order-steps, .order-rest) > form .form-hint'),
    ['Requires Payment type'],
    'nothing is open to report',
  )
})

t.test('calling an order off stands among other steps, in words', async (t) => {
  const cabinet = await start(t)
  const { of, page } = cabinet
  const id = insertOrder(cabinet, 'production', { ...of, delivery: 'pickup' })
  const shown = await page('root', id)
  t.same(elementsOf(shown.body, ':is(.order-steps, .order-rest) > form').length, 2)
  t.same(textIn(shown, ':is(.order-steps, .order-rest) > form.order-cancel'), [])
  t.same(textIn(shown, '.order-others:not([open]) form > .btn-link.is-danger'), ['Cancel order'])
})

t.test('what is over says when and by whom, with a tick at the end of its way, and offers nothing to add', async (t) => {
  const cabinet = await start(t)
  const { of, page, as } = cabinet
  const id = insertOrder(cabinet, 'install', { ...of, status_since: Date.now() - 8 * day })
  const { id: transition_id } = transitionBetween(cabinet, 'install', 'completed')
  t.equal((await (await as('pavel')).post(`/orders/${id}/transition`, { transition_id })).statusCode, 303)
  const shown = await page('root', id)
  t.match(textIn(shown, '.order-next')[0], /^Status Completed Completed: Masterov Pavel, /)
  t.notMatch(textIn(shown, '.order-next')[0], /in this status|final/)
  t.equal(elementsOf(shown.body, '.order-progress .is-finished .icon').length, 1)
  t.same(textIn(shown, '.order-properties .record-empty'), [])
  const open = insertOrder(cabinet, 'apply', of)
  const { id: cancel } = transitionBetween(cabinet, 'apply', 'canceled')
  t.equal((await (await as('maria')).post(`/orders/${open}/transition`, { transition_id: cancel })).statusCode, 303)
  t.match(textIn(await page('denis', open), '.order-next')[0], 'No reason given')
})

t.test('a canceled order says where its money went', async (t) => {
  const cabinet = await start(t)
  const { of, page, as, db } = cabinet
  const id = insertOrder(cabinet, 'payment', { ...of, cost: 1_000_00 })
  const paid = insertPayment(db, id, { amount: 400_00 })
  const root = await as('root')
  t.equal((await root.post(`/payments/${paid}/confirm`)).statusCode, 303)
  const returned = async () => textIn(await page('denis', id), '#returned')
  t.same(await returned(), [])
  const { id: transition_id } = transitionBetween(cabinet, 'payment', 'canceled')
  t.equal((await root.post(`/orders/${id}/transition`, { transition_id })).statusCode, 303)
  t.same(await returned(), ['What was paid was moved to the balance of the company.'])
  t.same(textIn(await page('denis', id), '.order-amount > div'), ['Cost 1 000,00 ₽'])
})

t.test('a balance that is enough pays the order before the step that reports a payment', async (t) => {
  const cabinet = await start(t)
  const { of, page, as, db, cast } = cabinet
  const id = insertOrder(cabinet, 'payment', { ...of, cost: 1_000_00 })
  const root = await as('root')
  const add = (amount: string) =>
    root.post('/payments/add', { company_id: cast.companies.alpha, amount, date: '2026-01-15', kind: 'transfer', allocations: '' })
  const places = async () => {
    const { body } = await page('denis', id)
    return ['.order-steps', '#payments'].map((place) => elementsOf(body, `${place} a[href$="/pay-from-balance"]`).length)
  }
  t.same(await places(), [0, 0])
  t.equal((await add('999.99')).statusCode, 303)
  t.same(await places(), [0, 1], 'a part stands with the payments')
  t.equal((await add('0.01')).statusCode, 303)
  t.same(await places(), [1, 0])
  const first = async (name: Name) => textIn(await page(name, id), '.order-steps > :is(form, div) > :is(.btn, button)')
  t.same(await first('denis'), ['Pay 1 000,00 ₽ from balance'], 'and leads')
  t.same(textIn(await page('denis', id), '.order-steps .btn-primary'), ['Pay 1 000,00 ₽ from balance'])
  t.same(textIn(await page('denis', id), '.order-rest > form .btn'), ['Report payment'], 'which can be reported as well')
  t.same(await first('root'), ['Pay 1 000,00 ₽ from balance'], 'a dealer may have asked for it')
  db.update(orders)
    .set({ status_id: statusId('new') })
    .where(eq(orders.id, id))
    .run()
  t.same(await first('denis'), ['Send for signing'], 'before that is due the balance does not lead')
  t.same(textIn(await page('denis', id), '.order-rest > div:not(.sheet-head) > .btn'), ['Pay 1 000,00 ₽ from balance'])
  db.update(orders)
    .set({ status_id: statusId('payment') })
    .where(eq(orders.id, id))
    .run()
  const denis = await as('denis')
  const ways = async () => textIn(await denis.get('/'), '.order-line-next')
  db.update(orders)
    .set({ due_since: dayIn(0) })
    .where(eq(orders.id, id))
    .run()
  t.same(await ways(), ['Send for signing', 'Pay from balance'], 'nor is another payment asked for on the home page')
  insertPayment(db, id, { amount: 400_00 })
  const asked = await denis.get(`/orders/${id}/pay-from-balance?home=1`)
  t.equal(parseHtml(asked.body)('a[data-close]').attr('href'), '/')
  const paid = await denis.post(`/orders/${id}/pay-from-balance`, { home: '1' })
  t.same([paid.statusCode, paid.headers.location], [303, '/'])
  t.equal(lackOf(db, id), 400_00, 'what was reported and waits is not paid once more')
  t.same(await places(), [0, 0])
  t.equal((await denis.post(`/orders/${id}/pay-from-balance`, {})).statusCode, 422)
  t.equal(lackOf(db, id), 400_00)
})
