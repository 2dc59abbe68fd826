import { eq } from 'drizzle-orm'
import t from 'tap'
import type { RequirableField } from '../../src/core/transition-rules.ts'
import { changes, companies, orderHistory, orders, statusTransitions, users } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { type Answer, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { requestTransition } from '../support/orders.ts'
import { insertProduct, useCatalog } from '../support/products.ts'

const line = (category_id: number, more = {}) => ({ category_id, name: 'Window', quantity: 2, price: 150_050, ...more })

const errorsOf = (answer: Answer) => {
  const { status, errors } = answer.json()
  return { status, errors: Object.keys(errors ?? {}) }
}

const historyOf = ({ db }: Cabinet, entity: string, id: number) =>
  db
    .select()
    .from(changes)
    .where(eq(changes.entity, entity))
    .all()
    .filter(({ record_id }) => record_id === id)

t.test('an order is placed, changed and moved, as on its pages', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast } = cabinet
  const denis = clientOf(cabinet, 'denis')
  const placed = await denis.post('/orders', { items: [line(cast.category)], receiver: 'Ivan', comment: 'two\nlines' })
  t.equal(placed.statusCode, 201)
  const order = placed.json()
  t.equal(placed.headers.location, `/api/v1/orders/${order.id}`)
  t.match(order, {
    dealer_id: cast.denis,
    company_id: cast.companies.alpha,
    cost: 300_100,
    receiver: 'Ivan',
    comment: 'two\nlines',
    version: 2,
  })
  t.match(order.items, [{ name: 'Window', quantity: 2, price: 150_050, discount: 0, amount: 300_100 }])
  t.match(order.history, [{ to: 'New', actor_id: cast.denis }])
  t.same((await denis.get(`/orders/${order.id}`)).json(), order)

  const changed = await denis.patch(`/orders/${order.id}`, {
    version: order.version,
    receiver: null,
    items: [{ id: order.items[0].id, quantity: 3 }],
  })
  t.equal(changed.statusCode, 200)
  t.match(changed.json(), { receiver: null, cost: 450_150, version: 3, items: [{ id: order.items[0].id, price: 150_050 }] })
  const history = historyOf(cabinet, 'orders', order.id)
  t.match(history.at(0), { action: 'create', actor_id: cast.denis })
  t.match(history.at(-1), { action: 'update', actor_id: cast.denis, fields: { receiver: ['Ivan', null] } })

  const [step] = changed.json().transitions
  const moved = await denis.post(`/orders/${order.id}/transitions`, { transition_id: step.id, note: 'From the API', ...filled(step) })
  t.equal(moved.statusCode, 200, moved.body)
  t.match(moved.json(), {
    status_id: step.to_status_id,
    history: [{ transition_id: step.id, comment: 'From the API', actor_id: cast.denis }, {}],
  })
  const page = await (await cabinet.as('maria')).get(`/orders/${order.id}`)
  t.match(page.body, 'From the API')
})

const filled = ({ required_fields: names }: { required_fields: string[] }) =>
  Object.fromEntries(
    names
      .filter((name) => name !== 'prices')
      .map((name) => [name, name === 'email' ? 'a@example.com' : name.startsWith('date') ? '2026-03-04' : 'x']),
  )

t.test('companies, dealers and products are added and changed', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const root = clientOf(cabinet, 'root')
  const company = (await root.post('/companies', { org: 'Gamma', inn: '7707083893' })).json()
  t.match(company, { org: 'Gamma', inn: '7707083893', version: 1, manager_id: null, discounts: [] })
  const terms = { version: 1, discount: 7, manager_id: cast.maria, discounts: [{ category_id: cast.category, discount: 9 }] }
  t.match((await root.patch(`/companies/${company.id}`, terms)).json(), {
    discount: 7,
    manager_id: cast.maria,
    discounts: [{ discount: 9 }],
  })

  const person = { lastname: 'Novak', name: 'Nina', email: 'nina@example.com', password: 'correct horse battery', company_id: company.id }
  const dealer = await root.post('/dealers', person)
  t.equal(dealer.statusCode, 201, dealer.body)
  t.match(dealer.json(), { lastname: 'Novak', company_id: company.id, active: true })
  t.match(db.select().from(users).where(eq(users.id, dealer.json().id)).get()?.password, /^\$argon2/)
  t.match((await root.patch(`/dealers/${dealer.json().id}`, { version: 1, phone: '+7 999' })).json(), {
    phone: '+7 999',
    lastname: 'Novak',
  })

  const prices = [{ from: '2020-01-01', price: 99_900 }]
  const product = (
    await root.post('/products', {
      article: 'A-7',
      name: 'Door',
      category_id: cast.category,
      unit: 'm2',
      basis: 'area',
      minimum: 0.25,
      prices,
    })
  ).json()
  t.match(product, { article: 'A-7', minimum: 0.25, price: 99_900, prices: [{ from: '2020-01-01', price: 99_900 }], active: true })
  const later = [...product.prices, { from: '2020-02-01', price: 88_800 }]
  t.match((await root.patch(`/products/${product.id}`, { version: 1, prices: later, active: false })).json(), {
    price: 88_800,
    active: false,
  })
})

t.test('a category, a warehouse and an article are added and changed, each under the rights of its pages', async (t) => {
  const cabinet = await startCabinet(t)
  const root = clientOf(cabinet, 'root')
  for (const [list, more] of Object.entries({ categories: {}, stocks: { address: 'Port 1' }, manufactures: { address: 'Mill 2' } })) {
    const added = await root.post(`/${list}`, { name: 'First', ...more })
    t.equal(added.statusCode, 201, added.body)
    const { id } = added.json()
    t.match(added.json(), { name: 'First', ...more, version: 1 })
    t.match((await root.patch(`/${list}/${id}`, { version: 1, name: 'Second' })).json(), { name: 'Second', ...more, version: 2 })
    t.match((await root.get(`/${list}/${id}`)).json(), { name: 'Second', ...more })
    t.match(historyOf(cabinet, list, id), [{ action: 'create' }, { action: 'update', fields: { name: ['First', 'Second'] } }])
    t.same(errorsOf(await root.post(`/${list}`, { name: '' })), { status: 422, errors: ['name'] })
    const denis = clientOf(cabinet, 'denis')
    t.equal((await denis.post(`/${list}`, { name: 'Mine' })).statusCode, 403)
    t.equal((await denis.patch(`/${list}/${id}`, { version: 2, name: 'Mine' })).statusCode, 403)
  }

  const description = '<p>New prices</p><script>alert(1)</script>'
  const article = await root.post('/news', { name: 'Prices', description, published: true })
  t.equal(article.statusCode, 201, article.body)
  const { id } = article.json()
  t.match(article.json(), { name: 'Prices', published: true, images: [], version: 1 })
  t.equal(article.json().description, description, 'as its author wrote it')
  grant(cabinet.db, cabinet.cast.denis, 'news_can_view')
  const denis = clientOf(cabinet, 'denis')
  const [listed] = (await denis.get('/news')).json().items
  for (const shown of [(await denis.get(`/news/${id}`)).json(), listed]) t.equal(shown.description, '<p>New prices</p>', 'as pages show it')
  t.equal((await denis.patch(`/news/${id}`, { version: 1, name: 'Mine' })).statusCode, 403)
  const long = `<p>${'word '.repeat(20_000)}</p>`
  t.match((await root.patch(`/news/${id}`, { version: 1, description: long, published: false })).json(), { description: long })
  t.equal((await denis.get(`/news/${id}`)).statusCode, 404, 'a draft')
  t.same((await denis.get('/news')).json().items, [])
})

t.test('a request sent again with its key is carried out once', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const denis = clientOf(cabinet, 'denis')
  const body = { items: [line(cast.category)] }
  const first = await denis.post('/orders', body, { 'idempotency-key': 'order 1' })
  const again = await denis.post('/orders', body, { 'idempotency-key': 'order 1' })
  t.equal((await denis.post('/orders', { items: [] }, { 'idempotency-key': '' })).statusCode, 422, 'an empty one')
  t.equal(again.statusCode, 201)
  t.same(again.json(), first.json())
  t.equal(db.select().from(orders).all().length, 2, 'the one of the cast and this one')
  t.equal(
    (await denis.patch(`/orders/${first.json().id}`, { version: 1 }, { 'idempotency-key': 'order 1' })).statusCode,
    409,
    'with another address',
  )
  t.same(errorsOf(await denis.post('/orders', body, { 'idempotency-key': 'x'.repeat(101) })), { status: 422, errors: ['Idempotency-Key'] })
  const longest = async () => (await denis.post('/orders', body, { 'idempotency-key': 'x'.repeat(100) })).json().id
  const made = await longest()
  t.type(made, 'number')
  t.equal(await longest(), made)
  const byRoman = await clientOf(cabinet, 'roman').post('/orders', body, { 'idempotency-key': 'order 1' })
  t.not(byRoman.json().id, first.json().id, 'the same key of somebody else is another one')
  const move = async () =>
    denis.post(
      `/orders/${first.json().id}/transitions`,
      { transition_id: first.json().transitions[0].id, ...filled(first.json().transitions[0]) },
      { 'idempotency-key': 'm' },
    )
  t.equal((await move()).statusCode, 200)
  t.equal((await move()).statusCode, 200)
  const { transitions } = first.json()
  const otherwise = await denis.post(
    `/orders/${first.json().id}/transitions`,
    { transition_id: transitions[0].id, note: 'Another' },
    { 'idempotency-key': 'm' },
  )
  t.match(otherwise.json(), { status: 409, detail: /key was already used with other values/ })
  t.equal((await denis.get(`/orders/${first.json().id}`)).json().history.length, 2)
})

t.test('two programs that change one record: other fields are kept, the same field is 409 with both', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const [root, maria] = [clientOf(cabinet, 'root'), clientOf(cabinet, 'maria')]
  const path = `/companies/${cast.companies.alpha}`
  const { version } = (await root.get(path)).json()
  t.equal((await maria.patch(path, { version, phone: '1', discount: 5 })).statusCode, 200)
  t.match((await root.patch(path, { version, email: 'a@example.com' })).json(), { phone: '1', email: 'a@example.com' })
  const refused = await root.patch(path, { version, discount: 6, bank: 'New' })
  t.equal(refused.statusCode, 409)
  t.match(refused.json(), { status: 409, conflicts: [{ field: 'discount', yours: 6, theirs: 5, by: /Petrova Maria/ }] })
  t.match(db.select().from(companies).where(eq(companies.id, cast.companies.alpha)).get(), { discount: 5, bank: null })
  t.same(errorsOf(await root.patch(path, { phone: '2' })), { status: 422, errors: ['version'] }, 'without a version')
  for (const never of [-1, 0, 4, 999_999_999])
    t.same(errorsOf(await root.patch(path, { version: never, discount: 6 })), { status: 422, errors: ['version'] }, `version ${never}`)
  t.match((await root.get(path)).json(), { version: 3, discount: 5 })
})

t.test('a step that was taken back stays in the history as what it is, and so does who acted for whom', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const [root, maria] = [clientOf(cabinet, 'root'), await as('maria')]
  const steps = async () => (await root.get(`/orders/${cast.order}`)).json().history
  const [step] = (await clientOf(cabinet, 'denis').get(`/orders/${cast.order}`)).json().transitions
  await maria.post(`/impersonate/${cast.denis}`)
  t.equal((await requestTransition(maria, cast.order, step.id, filled(step))).statusCode, 303)
  const id = db.select().from(orderHistory).all().at(-1)?.id as number
  t.match(await steps(), [{ id, undone_at: null, undoes_id: null, actor_id: cast.denis, actor: 'Denisov Denis' }])
  t.equal((await maria.post(`/orders/${cast.order}/undo`, { step: id })).statusCode, 303)
  const [back, undone] = await steps()
  t.match(back, { undoes_id: id, undone_at: null, to: 'New', actor_id: cast.denis })
  t.match(undone, { id, undone_at: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, undoes_id: null })
})

t.test('what is not allowed on the pages is refused, and nothing is saved', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const status = async (answer: Promise<Answer>) => (await answer).statusCode
  const [denis, maria, pavel] = [clientOf(cabinet, 'denis'), clientOf(cabinet, 'maria'), clientOf(cabinet, 'pavel')]
  t.equal(await status(denis.patch(`/orders/${cast.order}`, { version: 1, sn: '1' })), 403, 'a field of others')
  t.equal(await status(denis.patch(`/orders/${cast.order}`, { version: 1, dealer_id: cast.roman })), 403)
  t.equal(await status(clientOf(cabinet, 'daria').patch(`/orders/${cast.order}`, { version: 1, comment: 'x' })), 403, 'the order of others')
  t.equal(await status(maria.patch(`/companies/${cast.companies.beta}`, { version: 1, phone: '1' })), 403)
  t.equal(await status(maria.post('/products', { article: '1', name: '1' })), 403)
  t.equal(await status(pavel.post('/orders', {})), 403)
  t.equal(await status(maria.patch(`/orders/999999`, { version: 1 })), 404)
  t.equal(await status(clientOf(cabinet, 'maria', { read_only: true }).post('/orders', {})), 403, 'a read-only token')
  const reader = clientOf(cabinet, 'maria', { read_only: true })
  t.equal(await status(reader.get('/orders')), 200)
  const headers = { authorization: `Bearer ${reader.token}` }
  t.equal(await status(cabinet.app.inject({ method: 'HEAD', url: '/api/v1/orders', headers })), 200, 'asking without reading is no write')
  t.equal(
    await status(clientOf(cabinet, 'root').patch(`/dealers/${cast.denis}`, { version: 1, email: 'new@example.com' })),
    403,
    'needs a password given lately',
  )
  t.equal(db.select().from(changes).where(eq(changes.action, 'update')).all().length, 0)
})

t.test('who may add a record and not view it is told its number, and nothing else of it', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  grant(db, cast.plain, 'company_can_add')
  const added = await clientOf(cabinet, 'plain').post('/companies', { org: 'Gamma', phone: '1' })
  const { id } = db.select().from(companies).where(eq(companies.org, 'Gamma')).get() as typeof companies.$inferSelect
  t.equal(added.statusCode, 201, added.body)
  t.same(added.json(), { id })
})

t.test('a person who sees no prices reads orders and changes no lines', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  revoke(db, cast.denis, 'order_can_view_prices')
  const denis = clientOf(cabinet, 'denis')
  const refused = await denis.patch(`/orders/${cast.order}`, { version: 1, payment: 'cash' })
  t.same(errorsOf(refused), { status: 422, errors: ['payment'] })
  t.same(errorsOf(await denis.patch(`/orders/${cast.order}`, { version: 1, deferred_payment: true })).errors, ['deferred_payment'])
  const off = await denis.patch(`/orders/${cast.order}`, { version: 1, comment: 'Call first', deferred_payment: false })
  t.match([off.statusCode, off.json().comment], [200, 'Call first'], 'what they do not see stays as it is where it is not asked for')
  t.equal((await denis.patch(`/orders/${cast.order}`, { version: 1, items: [line(cast.category)] })).statusCode, 422)
})

t.test('with the catalog on, a line is a product in its size, and one without the catalog names none', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const product = insertProduct(db, { article: 'W-1', category_id: cast.category, basis: 'area', unit: 'm2' })
  const denis = clientOf(cabinet, 'denis')
  const body = { items: [{ product_id: product, width: 2000, height: 1500, quantity: 2 }] }
  t.same(errorsOf(await denis.post('/orders', body)).errors, ['items.0.product_id', 'items.0.width', 'items.0.height'])
  useCatalog(db)
  t.match((await denis.post('/orders', body)).json(), {
    cost: 600_000,
    items: [{ product_id: product, article: 'W-1', width: 2000, piece_price: 300_000, amount: 600_000 }],
  })
  t.same(errorsOf(await denis.post('/orders', { items: [{ product_id: product, quantity: 1 }] })).errors, [
    'items.0.width',
    'items.0.height',
  ])
})

t.test('a step that lacks something is 422 by field, one that is overtaken 409, one of others 403', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const [root, denis] = [clientOf(cabinet, 'root'), clientOf(cabinet, 'denis')]
  const required_fields: RequirableField[] = ['receiver', 'email']
  db.update(statusTransitions).set({ required_fields }).where(eq(statusTransitions.parent_status_id, 1)).run()
  const [demanding] = (await root.get(`/orders/${cast.order}`)).json().transitions
  t.same(demanding.required_fields, required_fields)
  const path = `/orders/${cast.order}/transitions`
  t.same(errorsOf(await root.post(path, { transition_id: demanding.id })).errors.toSorted(), demanding.required_fields.toSorted())
  t.same(errorsOf(await root.post(path, {})), { status: 422, errors: ['transition_id'] })
  t.same(errorsOf(await root.post(path, { transition_id: 'x' })).status, 422)
  t.same(errorsOf(await root.post(path, { transition_id: 999_999 })).status, 422)
  t.same(errorsOf(await root.post(path, { transition_id: demanding.id, cost: 1 })), { status: 422, errors: ['cost'] })
  t.equal((await root.post(path, { transition_id: demanding.id, ...filled(demanding) })).statusCode, 200)
  const late = await root.post(path, { transition_id: demanding.id, ...filled(demanding) })
  t.equal(late.statusCode, 409)
  t.match(late.json().detail, /Root Olga moved this order/)
  const foreign = db
    .select()
    .from(statusTransitions)
    .all()
    .find(({ dealer_can, dealers_can }) => !dealer_can && !dealers_can)
  db.update(orders).set({ status_id: foreign?.parent_status_id }).where(eq(orders.id, cast.order)).run()
  t.equal((await denis.post(path, { transition_id: foreign?.id })).statusCode, 403)
})

t.test('bad bodies are refused with what is wrong, and nothing is saved', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, cast, db } = cabinet
  const root = clientOf(cabinet, 'root')
  const send = (payload: string | Buffer, type = 'application/json', length?: number) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/companies',
      headers: { authorization: `Bearer ${root.token}`, 'content-type': type, ...(length && { 'content-length': length }) },
      payload,
    })
  const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`
  const unknownFields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, 1]))
  const cases: [name: string, answer: Promise<Answer>, status: number][] = [
    ['truncated', send('{"org": "A'), 400],
    ['nothing', send(''), 400],
    ['1 MB of nothing', send(Buffer.alloc(1024 * 1024, 32)), 400],
    ['a byte more', send(Buffer.alloc(1024 * 1024 + 1, 32)), 413],
    ['a list', send('[]'), 422],
    ['null', send('null'), 422],
    ['a number', send('1'), 422],
    ['deep', send(deep), 422],
    ['deep in a field', send(`{"org": ${deep}}`), 422],
    ['__proto__', send('{"org": "A", "__proto__": {"admin": true}}'), 422],
    ['constructor', send('{"org": "A", "constructor": {"prototype": {}}}'), 422],
    ['toString', send('{"org": "A", "toString": "x"}'), 422],
    ['unknown', send('{"org": "A", "id": 7}'), 422],
    ['a form', send('org=A', 'application/x-www-form-urlencoded'), 415],
    ['plain text', send('{"org": "A"}', 'text/plain'), 415],
    ['multipart', send('--x--', 'multipart/form-data; boundary=x'), 415],
    ['of another type', send('{"org": 1}'), 422],
    ['an object for a text', send('{"org": {}}'), 422],
    ['nothing required', send('{}'), 422],
    ['null required', send('{"org": null}'), 422],
    ['too long', send(JSON.stringify({ org: 'x'.repeat(256) })), 422],
    ['control characters', send('{"org": "a\\u0000b"}'), 422],
  ]
  for (const [name, pending, status] of cases) {
    const answer = await pending
    t.equal(answer.statusCode, status, name)
    t.match(answer.headers['content-type'], 'application/problem+json', name)
    t.match(answer.json(), { status, title: String, detail: String }, name)
    t.equal(answer.headers['set-cookie'], undefined)
  }
  t.same(errorsOf(await send('{"org": "A", "__proto__": 1, "foo": 2}')).errors, ['__proto__', 'foo'])
  t.equal(db.select().from(companies).all().length, 3)
  t.equal(({} as { admin?: boolean }).admin, undefined)
  const told = (body: object) => send(JSON.stringify(body)).then((answer) => errorsOf(answer).errors)
  t.equal((await told(unknownFields(99))).length, 99)
  t.same((await told({ ...unknownFields(150), org: 1 })).length, 100, 'no more than a hundred problems')
  const items = (count: number) =>
    root.post('/orders', { dealer_id: cast.denis, items: Array(count).fill({ quantity: 'x' }) }).then(errorsOf)
  t.equal((await items(200)).errors.length, 100)
  t.same((await items(201)).errors, ['items'], 'rows are counted before they are read')
  const bad = [
    { items: 'x' },
    { items: [1] },
    { items: [null] },
    { items: [{ price: 1.5 }] },
    { items: [{ quantity: '2' }] },
    { items: [{ __proto__x: 1 }] },
    { items: [{ discount: 5 }] },
  ]
  for (const body of bad) {
    const { status, errors } = errorsOf(await root.post('/orders', { dealer_id: cast.denis, ...body }))
    t.equal(status, 422, JSON.stringify(body))
    t.ok(errors.length > 0 && errors.every((name) => name.startsWith('items')), `${JSON.stringify(body)}: ${errors}`)
  }
  const files = [{ id: 1, name: 'Contract', file: 'x' }]
  t.same(
    errorsOf(await root.patch(`/companies/${cast.companies.alpha}`, { version: 1, files })).errors.filter((name) => name === 'files.0.id'),
    ['files.0.id'],
    'files have keys rather than numbers',
  )
  t.equal(errorsOf(await root.post('/orders', { dealer_id: cast.denis, items: Array(201).fill(line(cast.category)) })).status, 422)
})

t.test('a limit that is met says when there is room again', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast } = cabinet
  const denis = clientOf(cabinet, 'denis')
  let last: Answer | undefined
  for (let placed = 0; placed < 61; placed++) last = await denis.post('/orders', { items: [line(cast.category)] })
  t.equal(last?.statusCode, 429)
  t.ok(Number(last?.headers['retry-after']) > 0)
})

t.test('a key used on a page and in the API is one key', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast } = cabinet
  await (await cabinet.as('denis')).post('/orders/add', { without_lines: 1, once: 'same' })
  const answer = await clientOf(cabinet, 'denis').post('/orders', { items: [line(cast.category)] }, { 'idempotency-key': 'same' })
  t.equal(answer.statusCode, 409)
})
