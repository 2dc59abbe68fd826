import { and, eq } from 'drizzle-orm'
import t from 'tap'
import { changes, companies, notifications, orders, users } from '../../src/database/schema/index.ts'
import { clientFor, clientOf } from '../support/api.ts'
import { type Browser, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { insertDealer } from '../support/dealers.ts'
import { submitForm } from '../support/files.ts'
import { errorsOf, fieldOf, idsOf, parseHtml, textOf } from '../support/html.ts'
import { checked, csv, outcomesOf, rowsOf } from '../support/imports.ts'
import { insertOrder, orderOf, setOrder, statusId, transitionBetween } from '../support/orders.ts'

// A dealer who moves to another company takes the orders along, or leaves them with the old one for good; whoever moves them says it.

/** Denis of Alpha with an order that has a receiver, a message of each side, a file and a payment; Maria looks after Alpha, Mikhail after Beta. */
async function startMoving(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test, { environment: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@example.com' } })
  const { as, cast } = cabinet
  const [denis, maria, root] = [await as('denis'), await as('maria'), await as('root')]
  const order = setOrder(cabinet, 'payment', { receiver: 'Customer of Alpha', phone: '+7(900) 000 00 01', address: 'Hidden street' })
  await denis.post(`/orders/${order}/messages`, { text: 'from the dealer' })
  await maria.post(`/orders/${order}/messages`, { text: 'from the manager' })
  const attached = await submitForm(maria, `/orders/edit/${order}`, [['specification', new File(['spec'], 'spec.txt')]])
  if (attached.statusCode !== 303) throw new Error(`${attached.statusCode} ${JSON.stringify(errorsOf(attached))}`)
  await denis.post(`/orders/${order}/payments`, { amount: '1', date: '2026-01-01', kind: 'cash' })
  const move = (browser: Browser, orders?: string, values: Record<string, string | number> = {}) =>
    browser.post(`/dealers/edit/${cast.denis}`, { company_id: cast.companies.beta, ...(orders && { orders }), ...values })
  return { ...cabinet, denis, maria, root, order, move, file: orderOf(cabinet.db, order).specification as string }
}

type Moving = Awaited<ReturnType<typeof startMoving>>

const everybody: Name[] = ['denis', 'roman', 'daria', 'maria', 'mikhail']

/** Who of the people of both companies sees an order, however they ask. */
async function whoSees({ as, cast, order, file, app, db }: Moving, howMany?: number): Promise<Record<string, Name[]>> {
  const ways: [string, (browser: Browser, id: number) => Promise<boolean>][] = [
    ['page', async (browser) => (await browser.get(`/orders/${order}`)).statusCode === 200],
    ['card', async (browser) => (await browser.get(`/orders/edit/${order}`)).statusCode === 200],
    ['list', async (browser) => idsOf(await browser.get('/orders?size=all'), 'orders').includes(order)],
    ['search', async (browser) => idsOf(await browser.get('/orders?q=Hidden+street'), 'orders').includes(order)],
    ['find', async (browser) => (await browser.get('/find?q=Hidden+street')).body.includes(`/orders/${order}"`)],
    ['dealer filter', async (browser) => idsOf(await browser.get(`/orders?dealer=${cast.denis}`), 'orders').includes(order)],
    ['timeline', async (browser) => (await browser.get(`/orders/${order}/timeline`)).statusCode === 200],
    ['file', async (browser) => (await browser.get(`/files/${file}`)).statusCode === 200],
    ['payments', async (browser) => /data-payment|payments-\d/.test((await browser.get('/payments')).body)],
    ['export', async (browser) => new RegExp(`^"?${order}"?[,;]`, 'm').test((await browser.get('/orders/export?format=csv')).body)],
    ['API', async (_, id) => (await clientFor({ app, db }, id).get(`/orders/${order}`)).statusCode === 200],
    [
      'API list',
      async (_, id) => (await clientFor({ app, db }, id).get('/orders')).json().items.some((one: { id: number }) => one.id === order),
    ],
    ['API file', async (_, id) => (await clientFor({ app, db }, id).get(`/files/${file}`)).statusCode === 200],
  ]
  const seen: Record<string, Name[]> = {}
  for (const [way, sees] of ways.slice(0, howMany)) {
    seen[way] = []
    for (const name of everybody) if (await sees(await as(name), cast[name])) seen[way].push(name)
  }
  return seen
}

const all = (seen: Record<string, Name[]>, names: Name[]) => Object.fromEntries(Object.keys(seen).map((way) => [way, names]))

t.test('a changed company without a choice is asked about (422), with what goes along, and nothing is saved', async (t) => {
  const moving = await startMoving(t)
  const { maria, root, move, cast, db } = moving
  const before = db.select().from(users).where(eq(users.id, cast.denis)).get()
  const form = await root.get(`/dealers/edit/${cast.denis}`)
  t.match(textOf(form.body), 'Affects 1 order, 1 customer, 2 messages, and 1 file.')
  for (const orders of [undefined, '']) {
    const asked = await move(root, orders, { lastname: 'Renamed' })
    t.equal(asked.statusCode, 422)
    t.same(errorsOf(asked), { orders: 'This affects 1 order, 1 customer, 2 messages, and 1 file. Choose whether they move or stay.' })
    t.equal(fieldOf(asked, 'lastname')?.value, 'Renamed', 'nothing typed is lost')
    t.equal(fieldOf(asked, 'company_id')?.value, String(cast.companies.beta))
    t.same(
      fieldOf(asked, 'orders')?.options.map(({ value }) => value),
      ['', 'move', 'stay'],
    )
  }
  t.match(errorsOf(await move(root, 'elsewhere')), { orders: 'Choose a value from the list.' })
  t.same(db.select().from(users).where(eq(users.id, cast.denis)).get(), before)
  t.equal(
    (await root.post(`/dealers/edit/${cast.denis}`, { company_id: cast.companies.alpha, lastname: 'Other' })).statusCode,
    303,
    'the same',
  )
  t.equal((await root.post(`/dealers/edit/${cast.denis}`, { orders: 'stay', lastname: 'Third' })).statusCode, 303, 'no change of company')
  t.equal(orderOf(db, moving.order).company_stays, false)
  t.equal((await root.post(`/dealers/edit/${cast.roman}`, { company_id: cast.companies.beta })).statusCode, 303, 'without orders')
  t.equal(fieldOf(await maria.get(`/dealers/edit/${cast.denis}`), 'orders')?.options.length, 3)
  revoke(db, cast.maria, 'dealer_manager_can_edit')
  t.notOk(fieldOf(await maria.get(`/dealers/edit/${cast.denis}`), 'orders'), 'whoever cannot save is not asked')
})

t.test('orders that move are the new company’s, for everybody and everywhere', async (t) => {
  const moving = await startMoving(t)
  const { root, move, cast, db, order } = moving
  const before = await whoSees(moving)
  t.same(before, all(before, ['denis', 'roman', 'maria']))
  await (await moving.as('roman')).post(`/orders/${order}/messages`, { text: 'from a colleague' })
  await moving.maria.post(`/orders/${order}/messages`, { text: 'to both' })
  const told = (id: number) =>
    db
      .select()
      .from(notifications)
      .where(and(eq(notifications.user_id, id), eq(notifications.order_id, order)))
      .all().length
  t.ok(told(cast.roman) > 0)
  t.equal((await move(root, 'move')).statusCode, 303)
  const after = await whoSees(moving)
  t.same(after, all(after, ['denis', 'daria', 'mikhail']))
  t.equal(told(cast.roman), 0, 'a colleague who stays no longer has it in the inbox')
  t.ok(told(cast.denis) > 0)
  const entry = db
    .select()
    .from(changes)
    .where(and(eq(changes.entity, 'users'), eq(changes.record_id, cast.denis)))
    .all()
    .at(-1)
  t.match(entry?.fields, { company_id: [cast.companies.alpha, cast.companies.beta], orders: [null, 'move'] })
  t.match(
    textOf((await root.get(`/dealers/edit/${cast.denis}?tab=history`)).body),
    /Orders on a change of company.*Move to the new company/,
  )
})

t.test('orders that stay are the old company’s for good', async (t) => {
  const moving = await startMoving(t)
  const { root, denis, maria, as, move, cast, db, order, file } = moving
  const { alpha, beta, nobodys } = cast.companies
  db.update(orders).set({ company_id: null }).where(eq(orders.id, order)).run()
  const other = insertOrder(moving, 'new', { dealer_id: cast.roman, company_id: alpha })
  const unpaid = insertOrder(moving, 'new', { dealer_id: cast.denis, company_id: beta })
  t.equal((await move(root, 'stay')).statusCode, 303)
  const expected: Name[] = ['roman', 'maria']
  const seesOnly = async (message: string, howMany = 3) => {
    const seen = await whoSees(moving, howMany)
    t.same(seen, all(seen, expected), message)
  }
  await seesOnly('the people of the old company', Number.POSITIVE_INFINITY)
  t.match(orderOf(db, order), { dealer_id: cast.denis, company_id: alpha, owner_company_id: alpha, owner_manager_id: cast.maria })
  t.equal((await clientOf(moving, 'maria').get(`/orders/${order}`)).json().company_id, alpha)

  const own = insertOrder(moving, 'new', { dealer_id: cast.denis, company_id: beta })
  t.equal((await denis.get(`/orders/${own}`)).statusCode, 200, 'what he orders from now on is the new company’s')
  t.equal((await maria.get(`/orders/${own}`)).statusCode, 403)
  t.same(idsOf(await denis.get('/orders'), 'orders'), [own], 'in his list')
  t.notMatch(textOf((await denis.get('/orders/add')).body), 'Customer of Alpha', 'nor is a receiver of the old company suggested')

  t.notMatch(textOf((await denis.get('/notifications')).body), `#${order}`, 'it has left his inbox')
  const message = await denis.get(`/orders/${order}`)
  t.equal(message.statusCode, 403)
  const refused: [string, Record<string, string | number>][] = [
    [`/orders/edit/${order}`, { comment: 'mine' }],
    [`/orders/${order}/messages`, { text: 'still here' }],
    [`/orders/${order}/messages/1`, { text: 'edited' }],
    [`/orders/${order}/payments`, { amount: '1', date: '2026-01-01', kind: 'cash' }],
    [`/orders/${order}/transition`, { transition_id: transitionBetween(moving, 'payment', 'paid').id }],
    [`/orders/edit/${order}/transition`, { transition_id: transitionBetween(moving, 'payment', 'paid').id }],
    [`/orders/transitions`, { id: order, transition_id: transitionBetween(moving, 'payment', 'paid').id }],
    ['/orders/delete', { id: order }],
  ]
  for (const [path, fields] of refused) t.equal((await denis.post(path, fields)).statusCode, 403, path)
  t.equal((await clientOf(moving, 'denis').patch(`/orders/${order}`, { version: 1, comment: 'x' })).statusCode, 403)
  t.equal((await denis.get(`/orders/add?from=${order}`)).statusCode, 403)

  const tellings = () =>
    db
      .select()
      .from(notifications)
      .where(and(eq(notifications.user_id, cast.denis), eq(notifications.order_id, order)))
      .all()
  await maria.post(`/orders/${order}/messages`, { text: 'among ourselves, @Denisov Denis' })
  db.update(orders)
    .set({ status_id: statusId('apply'), invoice: file })
    .where(eq(orders.id, order))
    .run()
  const step = { transition_id: transitionBetween(moving, 'apply', 'payment').id }
  t.equal((await root.post(`/orders/${order}/transition`, step)).statusCode, 303, 'a step into a status that notifies dealers')
  t.same(tellings(), [], 'he is told of nothing any more')

  t.equal(
    (await (await as('roman')).post(`/orders/${order}/messages`, { text: 'we go on' })).statusCode,
    303,
    'the old company’s people go on',
  )
  const form = await maria.get(`/orders/edit/${order}`)
  t.notMatch(textOf(form.body), 'Бета', 'where he went is not told')
  t.match(textOf((await maria.get(`/orders/${order}`)).body), 'Denisov Denis')
  t.equal((await maria.post(`/orders/edit/${order}`, { dealer_id: cast.denis, comment: 'checked' })).statusCode, 303)
  await seesOnly('after it was saved with its dealer')
  t.notOk(parseHtml((await root.get(`/orders/add?from=${order}`)).body)(`option[value=${cast.denis}]:selected`).length, 'repeated for him')

  await root.post(`/dealers/edit/${cast.denis}`, { company_id: nobodys, orders: 'move' })
  await seesOnly('after the dealer moved on')
  t.equal(orderOf(db, own).owner_company_id, nobodys)
  await root.post(`/dealers/edit/${cast.denis}`, { company_id: alpha, orders: 'move' })
  t.equal((await denis.get(`/orders/${order}`)).statusCode, 200, 'who is back sees it like any other of the company')
  await move(root, 'move')
  await seesOnly('and leaves it there again')

  db.update(companies).set({ manager_id: null }).where(eq(companies.id, alpha)).run()
  t.equal(orderOf(db, order).owner_manager_id, null, 'his own manager looks after his, not after what stayed')
  db.update(users).set({ manager_id: cast.plain }).where(eq(users.id, cast.denis)).run()
  t.equal(orderOf(db, order).owner_manager_id, null)
  db.update(companies).set({ manager_id: cast.maria }).where(eq(companies.id, alpha)).run()
  for (const manager of [cast.maria, cast.mikhail]) grant(db, manager, 'order_can_delete')
  await maria.post('/orders/delete', { id: unpaid })
  const restore = /\/bin\/[\w-]+\/restore/.exec((await maria.get('/bin')).body)?.[0] as string
  t.notMatch((await (await as('mikhail')).get('/bin')).body, restore, 'in the bin, too, it is none of the new company’s')
  t.equal((await maria.post(restore)).statusCode, 303)
  t.match(orderOf(db, unpaid), { company_stays: true, company_id: alpha, owner_company_id: alpha }, 'one that was deleted and restored')
  await root.post('/dealers/delete', { id: cast.denis })
  t.match(orderOf(db, order), { dealer_id: null, owner_company_id: alpha })
  t.equal((await root.post(`/orders/edit/${order}`, { dealer_id: cast.roman })).statusCode, 303)
  t.match(orderOf(db, order), { company_stays: false, owner_company_id: alpha }, 'with another dealer it goes where that one goes')
  t.equal(orderOf(db, other).owner_company_id, alpha)
})

t.test('the API asks as the form does', async (t) => {
  const moving = await startMoving(t)
  const { cast, db, order } = moving
  const { alpha, beta } = cast.companies
  const root = clientOf(moving, 'root')
  const version = async () => (await root.get(`/dealers/${cast.denis}`)).json().version
  const asked = await root.patch(`/dealers/${cast.denis}`, { version: await version(), company_id: beta })
  t.equal(asked.statusCode, 422)
  t.match(asked.json().errors, { orders: /1 order/ })
  t.equal((await root.patch(`/dealers/${cast.denis}`, { version: await version(), company_id: beta, orders: 'stay' })).statusCode, 200)
  t.equal(orderOf(db, order).owner_company_id, alpha)
  t.notOk('orders' in (await root.get(`/dealers/${cast.denis}`)).json())
  const version2 = (await root.get(`/dealers/${cast.daria}`)).json().version
  t.equal(
    (await root.patch(`/dealers/${cast.daria}`, { version: version2, company_id: alpha, orders: 'move' })).statusCode,
    200,
    'without orders',
  )
})

t.test('a bulk change asks for all of its dealers', async (t) => {
  const moving = await startMoving(t)
  const { root, cast, db, order } = moving
  const { alpha, beta } = cast.companies
  const second = insertDealer(moving)
  const orders = [order, insertOrder(moving, 'new', { dealer_id: second, company_id: alpha, receiver: 'Customer of Alpha' })]
  const body = { id: [cast.denis, second, cast.vera], company_id: beta }
  const asked = await root.post('/dealers/change', body)
  t.equal(asked.statusCode, 422)
  t.match(errorsOf(asked), { orders: /2 orders, 1 customer/ })
  t.equal(fieldOf(asked, 'company_id')?.value, String(beta))
  t.same(
    orders.map((id) => orderOf(db, id).owner_company_id),
    [alpha, alpha],
  )
  t.equal(
    (await root.post('/dealers/change', { id: [cast.denis], orders: 'stay' })).statusCode,
    422,
    'a choice without a company changes nothing',
  )
  t.equal((await root.post('/dealers/change', { ...body, orders: 'stay' })).statusCode, 200)
  t.same(
    orders.map((id) => orderOf(db, id).owner_company_id),
    [alpha, alpha],
  )
  await root.post('/dealers/change', { ...body, company_id: alpha, orders: 'move' })
  t.equal((await root.post('/dealers/change', { id: [cast.denis], company_id: beta })).statusCode, 200, 'what stayed does not go along')
})

t.test('an import asks in its rows; taken back, the dealer returns with the orders', async (t) => {
  const moving = await startMoving(t)
  const { root, cast, db, order } = moving
  const { alpha, beta } = cast.companies
  const company = () => orderOf(db, order).owner_company_id
  const head = ['Email', 'Company', 'Orders']
  const row = ['denis@example.com', 'ООО «Бета Ёлка»']
  const refused = await checked(root, 'dealers', csv([head, row]))
  t.match(rowsOf(refused.page), [{ outcome: 'refused', text: /1 order/ }])
  const { path: saved, page } = await checked(root, 'dealers', csv([head, [...row, 'move']]))
  t.same(outcomesOf(page), ['changed'])
  t.equal((await root.post(`${saved}/save`)).statusCode, 303)
  t.same(outcomesOf((await checked(root, 'dealers', csv([head, [...row, 'move']]))).page), ['unchanged'])
  t.equal(company(), beta)
  t.equal((await root.post(`${saved}/undo`)).statusCode, 303)
  t.equal(company(), alpha)
})
