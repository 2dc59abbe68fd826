import { and, eq } from 'drizzle-orm'
import t from 'tap'
import { changes, companies, notifications, orderHistory, orders, rateHits, users } from '../../src/database/schema/index.ts'
import { type Answer, type Browser, type Fields, htmx } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { controlsOf, elementById, elementsOf, errorsOf, fieldOf, parseHtml, tagsOf, textOf, textsByRole } from '../support/html.ts'
import { allOrders, line, linesOf, newOrderId, orderOf, placeOrder, snapshotOrders, startWithDiscounts } from '../support/orders.ts'
import { attributesIn } from '../support/parts.ts'

t.test('a dealer places an order and gets number, company, discounts, cost, first status and a notification', async (t) => {
  const { as, db, cast, windows, doors, alpha } = await startWithDiscounts(t)
  db.update(companies).set({ specification_start_number: 1500 }).where(eq(companies.id, alpha)).run()
  const denis = await as('denis')
  const contact = { receiver: 'Клиентов Пётр', phone: '+7(900) 000 00 00', email: 'client@example.com', address: 'Street 1' }
  const chosen = { delivery: 'address', payment: 'transfer', comment: 'Two\r\nlines' }
  const items = { items: '', ...line(0, windows, 'Window', 3, '1000,99'), ...line(1, doors, 'Door', 1, '0.05') }
  const answer = await denis.post('/orders/add', { ...contact, ...chosen, ...items })
  t.match(answer, { statusCode: 303, headers: { location: /^\/orders\/\d+$/ } })
  const id = newOrderId(answer)
  const order = orderOf(db, id)
  t.match(order, {
    ...contact,
    ...chosen,
    comment: 'Two\nlines',
    dealer_id: cast.denis,
    company_id: alpha,
    status_id: 1,
    specification_number: 1502,
  })
  t.match(order, { owner_company_id: alpha, owner_manager_id: cast.maria, cost: 255_252 + 5 })
  t.match(linesOf(db, id), [
    { category_id: windows, name: 'Window', quantity: 3, price: 100_099, discount: 15 },
    { category_id: doors, name: 'Door', quantity: 1, price: 5, discount: 10 },
  ])
  t.match(db.select().from(orderHistory).where(eq(orderHistory.order_id, id)).all(), [
    { from_status_id: null, to_status_id: 1, actor_id: cast.denis },
  ])
  t.same(
    db
      .select()
      .from(notifications)
      .where(eq(notifications.order_id, id))
      .all()
      .map(({ user_id }) => user_id),
    [cast.maria],
  )
  t.equal(db.select().from(companies).where(eq(companies.id, alpha)).get()?.last_specification_number, 1502)
  const created = db
    .select()
    .from(changes)
    .where(and(eq(changes.entity, 'orders'), eq(changes.record_id, id), eq(changes.action, 'create')))
    .get()
  t.match(created, { label: `#${id}`, fields: { items: [[], [{ name: 'Window' }, { name: 'Door' }]] } })
  const card = await denis.get(`/orders/edit/${id}`)
  t.match(textsByRole(card, 'status'), [`#${id} placed`])
  const page = await denis.get(`/orders/${id}`)
  t.match(textOf(elementById(page, 'left') ?? ''), /2.552,57.₽/)
  const timeline = elementsOf(page.body, '#timeline > li').map(textOf)
  t.match(timeline, [/Denisov Denis placed the order/])
  t.equal(timeline.length, 1, 'and told once')
  t.match(elementById(page, 'left'), 'data-kopecks="255257"')
  t.equal(tagsOf(elementById(card, 'items.0.sum') ?? '', 'p')[0]?.['data-kopecks'], '255252')
})

t.test('a dealer cannot place an order for another dealer (422)', async (t) => {
  const { as, db, cast } = await startWithDiscounts(t)
  const denis = await as('denis')
  t.equal(fieldOf(await denis.get('/orders/add'), 'dealer_id'), undefined)
  t.equal(fieldOf(await denis.get('/orders/add'), 'date_make'), undefined, 'what is not theirs to fill in is not shown')
  const before = snapshotOrders(db)
  const foreign: Fields[] = [
    { dealer_id: cast.roman },
    { dealer_id: cast.daria },
    { dealer_id: 'x' },
    { date_make: '2026-11-21' },
    { sn: '7' },
  ]
  for (const fields of foreign) t.equal((await denis.post('/orders/add', fields)).statusCode, 403, JSON.stringify(fields))
  t.equal(snapshotOrders(db), before)
  t.equal(orderOf(db, await placeOrder(denis, { dealer_id: cast.denis })).dealer_id, cast.denis)
})

t.test('each user can place orders only for the dealers that they may choose', async (t) => {
  const { as, db, cast } = await startWithDiscounts(t)
  const { id: nobodys } = db
    .insert(users)
    .values({ group_id: 2, email: 'n@example.com', password: '-', name: 'N', lastname: 'Nobodys', company_id: cast.companies.nobodys })
    .returning()
    .get()
  const { id: alone } = db
    .insert(users)
    .values({ group_id: 2, email: 'a@example.com', password: '-', name: 'A', lastname: 'Alone' })
    .returning()
    .get()
  const asks: [Name, number, number][] = [
    ['maria', cast.denis, 303],
    ['maria', cast.roman, 303],
    ['maria', cast.vera, 422],
    ['maria', cast.daria, 422],
    ['maria', nobodys, 422],
    ['maria', cast.mikhail, 422],
    ['mikhail', cast.vera, 303],
    ['mikhail', cast.denis, 422],
    ['plain', cast.denis, 422],
    ['pavel', cast.denis, 403],
    ['clerk', cast.daria, 303],
    ['clerk', nobodys, 303],
    ['clerk', alone, 422],
    ['clerk', cast.maria, 422],
    ['clerk', 999_999, 422],
    ['root', cast.daria, 303],
  ]
  for (const [name, dealer_id, status] of asks) {
    const answer = await (await as(name)).post('/orders/add', { dealer_id, without_lines: 1 })
    t.equal(answer.statusCode, status, `${name} for ${dealer_id}`)
    if (status === 422) t.ok(errorsOf(answer).dealer_id, 'the message stands at the dealer')
  }
  for (const name of ['maria', 'clerk'] as const)
    t.match(errorsOf(await (await as(name)).post('/orders/add')), { dealer_id: /Choose a dealer/ })
  revoke(db, cast.clerk, 'order_can_add')
  t.equal((await (await as('clerk')).post('/orders/add', { dealer_id: cast.daria })).statusCode, 403)
  grant(db, cast.maria, 'order_can_add')
  const foreign = await (await as('maria')).post('/orders/add', { dealer_id: cast.daria, without_lines: 1 })
  t.match(foreign, { statusCode: 303, headers: { location: '/orders' } }, 'an order that one may not view leads to the list')
  db.update(users).set({ company_id: null }).where(eq(users.id, cast.denis)).run()
  const denis = await as('denis')
  t.match(await denis.get('/orders/add'), { statusCode: 403, body: /cannot place orders without a company/ })
  t.match(await denis.post('/orders/add', {}), { statusCode: 403, body: /cannot place orders without a company/ })
})

t.test('the dealer of a new order is searched on the server, and the search works without JavaScript', async (t) => {
  const { as, db, cast } = await startWithDiscounts(t)
  const maria = await as('maria')
  const found = async (browser: Browser, q: string) => {
    const answer = await browser.get(`/orders/dealers?mode=create&q=${encodeURIComponent(q)}`, htmx)
    return [answer.statusCode, [...answer.body.matchAll(/value="(\d+)"/g)].map(([, id]) => Number(id)).sort()]
  }
  const theirs = [cast.denis, cast.roman, cast.ivan].sort()
  t.same(await found(maria, ''), [200, theirs])
  t.same(await found(maria, 'alpha DENIS'), [200, [cast.denis]], 'name and company, case ignored')
  const option = attributesIn((await maria.get('/orders/dealers?mode=create&q=denis', htmx)).body, 'option', 'label', 'data-about')
  t.same(option, [['Denisov Denis · Alpha Windows', 'Alpha Windows']], 'whose they are is told apart from their name')
  t.same(await found(maria, 'королева'), [200, []], 'not their company')
  t.same(await found(await as('clerk'), 'королева'), [200, [cast.daria]], 'ё is е')
  t.same(await found(await as('clerk'), '%'), [200, []])
  db.update(users).set({ tg_id: '@window_daria' }).where(eq(users.id, cast.daria)).run()
  t.same(await found(await as('clerk'), 'window_daria'), [200, []], 'not by what is not shown')
  t.equal((await (await as('denis')).get('/orders/dealers')).statusCode, 403)
  const searched = await maria.post('/orders/add', {
    dealer_id: '',
    dealer_id_search: 'roman',
    receiver: 'Typed',
    items: '',
    _find: 'dealer_id',
  })
  t.equal(searched.statusCode, 200)
  const choice = fieldOf(searched, 'dealer_id')
  t.same(
    choice?.options.map(({ value }) => value),
    ['', String(cast.roman)],
  )
  t.match([fieldOf(searched, 'receiver')?.value, fieldOf(searched, 'dealer_id_search')?.value], ['Typed', 'roman'])
  t.equal(allOrders(db).length, 1, 'nothing was saved')
  const kept = await maria.post('/orders/add', { dealer_id: cast.denis, dealer_id_search: 'roman', email: 'no address' })
  t.match([kept.statusCode, fieldOf(kept, 'dealer_id')?.value], [422, String(cast.denis)], 'the chosen one stays chosen')
  const discounts = await maria.get(`/orders/discounts?dealer_id=${cast.denis}`, htmx)
  t.match(discounts.body, new RegExp(`data-base="10"\\s+data-rows="${cast.category}:15 "`))
  t.equal((await maria.get(`/orders/discounts?dealer_id=${cast.daria}`, htmx)).statusCode, 404)
  t.match((await maria.get('/orders/discounts?dealer_id=', htmx)).body, /data-base="0"\s+data-rows=""/)
  grant(db, cast.maria, 'order_can_edit')
  t.equal((await maria.get(`/orders/discounts?dealer_id=${cast.daria}`, htmx)).statusCode, 200, 'whoever edits any order may')
  revoke(db, cast.maria, 'order_can_edit')
  db.update(users).set({ company_id: null }).where(eq(users.id, cast.daria)).run()
  t.notOk((await found(await as('clerk'), ''))[1]?.toString().split(',').includes(String(cast.daria)), 'nobody without a company')
})

t.test('specification numbers as specified can repeat; under strict rules they never do', async (t) => {
  for (const [RULES, expected] of [
    ['as-specified', [2, 3, 3, 3]],
    ['strict', [1, 2, 3, 4]],
  ] as const) {
    const { as, db, cast } = await startWithDiscounts(t, { RULES })
    const denis = await as('denis')
    const ids = [await placeOrder(denis), await placeOrder(denis)]
    await denis.post('/orders/delete', { id: ids[1] as number })
    ids.push(await placeOrder(denis))
    db.update(users).set({ company_id: cast.companies.beta }).where(eq(users.id, cast.roman)).run()
    db.update(orders)
      .set({ dealer_id: cast.roman })
      .where(eq(orders.id, ids[0] as number))
      .run()
    ids.push(await placeOrder(denis))
    const given = [expected[0], expected[1], ...ids.slice(2).map((id) => orderOf(db, id).specification_number)]
    t.same(given, expected, RULES)
    db.insert(orders).values({ company_id: cast.companies.alpha, dealer_id: null, status_id: 1 }).run()
    const [next, last] = RULES === 'strict' ? [41, 41] : [expected[3], 40]
    db.update(companies).set({ last_specification_number: 40 }).where(eq(companies.id, cast.companies.alpha)).run()
    db.delete(orders)
      .where(eq(orders.id, ids[3] as number))
      .run()
    t.equal(orderOf(db, await placeOrder(denis)).specification_number, next, `${RULES}: an order without a dealer does not count`)
    const company = db.select().from(companies).where(eq(companies.id, cast.companies.alpha)).get()
    t.equal(company?.last_specification_number, last, 'what was given last is never forgotten')
  }
})

t.test('sixty orders an hour are placed by whoever acts, for all dealers together', async (t) => {
  const { as, db, cast } = await startWithDiscounts(t)
  const [clerk, denis, root] = [await as('clerk'), await as('denis'), await as('root')]
  const place = (browser: Browser, dealer: number) => browser.post('/orders/add', { without_lines: 1, dealer_id: dealer })
  const refused = (answer: Answer) => {
    t.equal(answer.statusCode, 429)
    t.match(textOf(answer.body), 'You can place up to 60 orders an hour.')
  }
  t.equal((await place(clerk, cast.denis)).statusCode, 303)
  const { key, at } = db.select().from(rateHits).all().at(-1) ?? { key: '', at: 0 }
  db.insert(rateHits)
    .values(Array.from({ length: 58 }, () => ({ key, at })))
    .run()
  t.equal((await place(clerk, cast.roman)).statusCode, 303, 'the sixtieth')
  refused(await place(clerk, cast.denis))
  refused(await place(clerk, cast.daria))
  t.equal((await denis.post('/orders/add', { without_lines: 1 })).statusCode, 303, 'the dealer has ordered nothing yet')
  t.equal((await place(root, cast.denis)).statusCode, 303)
  db.update(rateHits)
    .set({ key: key.replace(String(cast.clerk), String(cast.root)) })
    .where(eq(rateHits.key, key))
    .run()
  await root.post(`/impersonate/${cast.denis}`)
  refused(await root.post('/orders/add', { without_lines: 1 }))
})

t.test('twenty orders placed at once get distinct specification numbers', async (t) => {
  for (const RULES of ['as-specified', 'strict']) {
    const cabinet = await startWithDiscounts(t, { RULES })
    const { db, cast } = cabinet
    db.update(users).set({ company_id: cabinet.alpha }).where(eq(users.group_id, 2)).run()
    const dealers = await Promise.all((['denis', 'daria', 'vera', 'roman'] as const).map((name) => cabinet.as(name)))
    const sent = Array.from({ length: 20 }, (_, at) =>
      (dealers[at % 4] as Browser).post('/orders/add', { receiver: `Number ${at}`, without_lines: 1 }),
    )
    t.same(new Set((await Promise.all(sent)).map(({ statusCode }) => statusCode)), new Set([303]))
    const numbers = allOrders(db).flatMap(({ id, specification_number }) => (id === cast.order ? [] : [specification_number as number]))
    const first = RULES === 'strict' ? 1 : 2
    t.same(
      numbers.sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, at) => first + at),
    )
  }
})

t.test('an order form submitted twice places one order', async (t) => {
  const { as, db } = await startWithDiscounts(t)
  const denis = await as('denis')
  const answers = await Promise.all([1, 2].map(() => denis.post('/orders/add', { once: 'the same', without_lines: 1 })))
  t.same(new Set(answers.map(({ headers }) => headers.location)).size, 1)
  t.equal(allOrders(db).length, 2)
})

t.test('the order form does not reveal the discounts of a dealer whom the user may not choose', async (t) => {
  const { as, db, cast, windows } = await startWithDiscounts(t)
  db.update(companies).set({ discount: 37 }).where(eq(companies.id, cast.companies.beta)).run()
  const maria = await as('maria')
  const drawn = (dealer: number) =>
    maria.post('/orders/add', { dealer_id: dealer, items: '', ...line(0, windows, 'W', 1, 100), _add: 'items' })
  t.match((await drawn(cast.denis)).body, 'data-base="10"')
  const answer = await drawn(cast.daria)
  t.match(answer.body, 'data-base="0"')
  t.notMatch(answer.body, /"37"|\b37\s*(%|<)/, 'neither as a value nor as a percentage; keys and times may hold any number')
})

t.test('a new order begins with one empty line, which is none as long as nothing is typed into it', async (t) => {
  const { as, db, cast, windows } = await startWithDiscounts(t)
  const denis = await as('denis')
  const form = await denis.get('/orders/add')
  const lines = (answer: Answer) => new Set(controlsOf(answer.body).flatMap(({ name }) => /^items\[\d+\]/.exec(name ?? '')?.[0] ?? []))
  t.same(lines(form), new Set(['items[0]']))
  t.same(lines(await denis.get(`/orders/add?receiver=${cast.order}`)), new Set(['items[0]']), 'nor does a customer bring lines')
  const presses = parseHtml(form.body)('.save-bar .btn-primary').text().trim()
  t.equal(presses, 'Place order')
  t.match(fieldOf(form, 'without_lines'), { type: 'button', value: '1' }, 'beside it, an order without any is offered')
  const blank = line(0, '', '', '', '')
  const placed = await denis.post('/orders/add', { items: '', ...blank, ...line(1, windows, 'Window', 1, 100) })
  t.equal(placed.statusCode, 303)
  t.match(linesOf(db, newOrderId(placed)), [{ name: 'Window' }])
  t.equal(linesOf(db, newOrderId(placed)).length, 1, 'the empty line is left out')
  const half = await denis.post('/orders/add', { items: '', ...line(0, '', 'Window', '', '') })
  t.equal(half.statusCode, 422)
  t.same(Object.keys(errorsOf(half)).sort(), ['items.0.category_id', 'items.0.price', 'items.0.quantity'], 'a line begun is to be finished')
  const more = await denis.post('/orders/add', { items: '', ...blank, _add: 'items' })
  t.same(lines(more), new Set(['items[0]', 'items[1]']))
  t.equal(fieldOf(more, 'without_lines')?.type, 'button')
  t.equal(fieldOf(half, 'without_lines'), undefined, 'no longer once something stands in a line')
  t.equal(fieldOf(await denis.get(`/orders/add?from=${newOrderId(placed)}`), 'without_lines'), undefined)
})

t.test('an order without lines is asked about before it is placed (422), and nothing typed is lost', async (t) => {
  const { as, db } = await startWithDiscounts(t)
  const denis = await as('denis')
  const before = snapshotOrders(db)
  const sent = [
    [{ items: '', ...line(3, '', '', '', '') }, 'items.3.name'],
    [{ items: '' }, 'items'],
    [{}, 'items'],
  ] as const
  for (const [items, place] of sent) {
    const asked = await denis.post('/orders/add', { receiver: 'Klient', ...items })
    t.equal(asked.statusCode, 422)
    t.equal(textOf(elementById(asked, `${place}-error`) ?? ''), 'Enter a name.')
    t.equal(parseHtml(asked.body)('.error-summary').length, 0, 'once, as nothing else is wrong')
    t.equal(fieldOf(asked, 'receiver')?.value, 'Klient')
    t.match(fieldOf(asked, 'without_lines'), { type: 'button', value: '1' }, 'the page offers to place it so')
    t.equal((await denis.post('/orders/add', { receiver: 'Klient', ...items, without_lines: 0 })).statusCode, 422)
  }
  t.equal(snapshotOrders(db), before)
  const placed = await denis.post('/orders/add', { receiver: 'Klient', items: '', ...line(0, '', '', '', ''), without_lines: 1 })
  t.equal(placed.statusCode, 303)
  t.match([orderOf(db, newOrderId(placed)).receiver, linesOf(db, newOrderId(placed))], ['Klient', []])
})
