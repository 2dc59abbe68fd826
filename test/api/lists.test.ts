import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, orderHistory, orderMessages, orders, trash } from '../../src/database/schema/index.ts'
import { clientOf, walk } from '../support/api.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { type Name, names, revoke } from '../support/cast.ts'
import { keyOf, submitForm } from '../support/files.ts'
import { insertEntry, insertPayment } from '../support/ledger.ts'
import { insertProduct, useCatalog } from '../support/products.ts'

const people = names.filter((name) => name !== 'ivan')
const lists = ['orders', 'payments', 'ledger', 'companies', 'dealers', 'products', 'statuses', 'stocks', 'manufactures', 'categories']

const iso = (moment: number) => new Date(moment).toISOString()

/** Orders of two companies, several made and changed in the same millisecond. */
function plantOrders({ db, cast }: Cabinet, count = 30): number[] {
  const dealers = [
    { dealer_id: cast.denis, company_id: cast.companies.alpha },
    { dealer_id: cast.daria, company_id: cast.companies.beta },
  ]
  return Array.from({ length: count }, (_, at) => {
    const times = { created_at: 1_000_000 + Math.floor(at / 3), updated_at: 2_000_000 - Math.floor(at / 3) }
    const order = { status_id: (at % 3) + 1, ...dealers[at % 2], cost: at * 100, ...times }
    return Number(db.insert(orders).values(order).run().lastInsertRowid)
  })
}

const idsOf = (items: { id: number }[]) => items.map(({ id }) => id)
const sorted = (ids: number[]) => ids.toSorted((a, b) => a - b)

t.test('the API lists the records that the pages list, for each member of the cast', async (t) => {
  const cabinet = await startCabinet(t)
  plantOrders(cabinet)
  for (const order of [cabinet.cast.order, 2, 3, 2]) insertPayment(cabinet.db, order)
  const { alpha, beta, nobodys } = cabinet.cast.companies
  for (const company of [alpha, beta, alpha, nobodys, alpha]) insertEntry(cabinet.db, company)
  insertProduct(cabinet.db, { article: 'W-1', category_id: cabinet.cast.category })
  insertProduct(cabinet.db, { article: 'W-2', category_id: cabinet.cast.category, active: false })
  const onPage = async (name: Name, list: string) => {
    const page = await (await cabinet.as(name)).get(`/${list}?size=${['payments', 'ledger'].includes(list) ? 100 : 'all'}`)
    const rows = page.body.matchAll(new RegExp(`<tr[^>]*id="${list}-(\\d+)"`, 'g'))
    return page.statusCode === 200 ? sorted([...rows].map(([, id]) => Number(id))) : [page.statusCode]
  }
  for (const name of people) {
    const client = clientOf(cabinet, name)
    for (const list of lists) {
      const { statusCode } = await client.get(`/${list}`)
      const found = statusCode === 200 ? sorted(idsOf(await walk(client, `/${list}?limit=7`))) : [statusCode]
      t.same(found, await onPage(name, list), `${list} of ${name}`)
    }
  }
})

t.test('each record of a list opens by itself or is refused, as its page is', async (t) => {
  const cabinet = await startCabinet(t)
  const pageOf: Record<string, string> = { orders: '/orders/', companies: '/company/edit/', dealers: '/dealers/edit/' }
  for (const name of people) {
    const [client, browser] = [clientOf(cabinet, name), await cabinet.as(name)]
    for (const [list, page] of Object.entries(pageOf))
      for (const id of [1, 2, 3, cabinet.cast.denis, cabinet.cast.vera, cabinet.cast.maria])
        t.equal((await client.get(`/${list}/${id}`)).statusCode, (await browser.get(page + id)).statusCode, `${list} ${id} of ${name}`)
  }
})

t.test('a walk meets every record once, however many were made or changed at the same moment', async (t) => {
  const cabinet = await startCabinet(t)
  const all = [cabinet.cast.order, ...plantOrders(cabinet)]
  const root = clientOf(cabinet, 'root')
  for (const path of ['/orders', '/orders?updated_since=1970-01-01T00:00:00Z', '/orders?status=1', '/orders?q=1'])
    for (const limit of [1, 2, 7, 500]) {
      const ids = idsOf(await walk(root, `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`))
      t.equal(new Set(ids).size, ids.length, `${path} by ${limit}: nothing twice`)
      if (!path.includes('status') && !path.includes('q=')) t.same(sorted(ids), sorted(all), `${path} by ${limit}: nothing left out`)
      else t.same(sorted(ids), sorted(idsOf(await walk(root, `${path}&limit=500`))))
    }
})

t.test('a page that holds the last record is the last one', async (t) => {
  const cabinet = await startCabinet(t)
  const all = [cabinet.cast.order, ...plantOrders(cabinet, 4)]
  const root = clientOf(cabinet, 'root')
  for (const query of ['', '&updated_since=1970-01-01T00:00:00Z']) {
    const page = async (limit: number) => (await root.get(`/orders?limit=${limit}${query}`)).json()
    t.match(await page(all.length), { items: { length: all.length }, next: null }, 'exactly as many as asked for')
    t.type((await page(all.length - 1)).next, 'string', 'one more than asked for')
  }
  await (await cabinet.as('root')).post('/orders/delete', { id: all.slice(-2) })
  t.match((await root.get('/deletions?limit=2')).json(), { items: { length: 2 }, next: null })
  t.match((await root.get('/deletions?limit=1')).json(), { items: { length: 1 }, next: String })
})

t.test('a record deleted during a walk does not hide others', async (t) => {
  const cabinet = await startCabinet(t)
  const [first, second, ...others] = plantOrders(cabinet, 10) as [number, number, ...number[]]
  const root = clientOf(cabinet, 'root')
  const page = (await root.get('/orders?limit=2')).json()
  t.same(idsOf(page.items), [first, second])
  cabinet.db.delete(orders).where(eq(orders.id, second)).run()
  const rest = (await root.get(`/orders?limit=500&after=${page.next}`)).json()
  t.same(idsOf(rest.items), [...others, cabinet.cast.order])
})

t.test('what has changed since a moment is listed, the moment included', async (t) => {
  const cabinet = await startCabinet(t)
  plantOrders(cabinet, 9)
  const root = clientOf(cabinet, 'root')
  for (const [since, count] of [
    [2_000_000, 3],
    [1_999_999, 6],
    [2_000_001, 0],
  ] as const) {
    const found = await walk(root, `/orders?updated_since=${iso(since)}`)
    t.equal(found.filter(({ id }) => id !== cabinet.cast.order).length, count, iso(since))
  }
  const zoned = encodeURIComponent('1970-01-01T03:33:20.000+03:00')
  t.equal((await walk(root, `/orders?updated_since=${zoned}`)).length, 4, 'with another zone')
  await (await cabinet.as('root')).post(`/company/edit/${cabinet.cast.companies.beta}`, { phone: '11111' })
  const changed = await walk(root, `/companies?updated_since=${iso(Date.now() - 1000)}`)
  t.ok(idsOf(changed).includes(cabinet.cast.companies.beta))
})

t.test('the filters of the page filter, and amounts are kopecks', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast } = cabinet
  const ids = plantOrders(cabinet, 12)
  const root = clientOf(cabinet, 'root')
  t.same(
    idsOf(await walk(root, `/orders?company=${cast.companies.beta}`)),
    ids.filter((_, at) => at % 2 === 1),
  )
  t.same(
    idsOf(await walk(root, '/orders?status=2')),
    ids.filter((_, at) => at % 3 === 1),
  )
  t.same(idsOf(await walk(root, '/orders?cost_from=1000')), ids.slice(10))
  t.same(idsOf(await walk(root, '/orders?cost_from=1000&cost_until=1000')), ids.slice(10, 11))
  t.same(idsOf(await walk(root, '/companies?q=alpha')), [cast.companies.alpha])
  t.same(idsOf(await walk(root, `/dealers?manager=${cast.maria}&active=0`)), [cast.ivan])
})

t.test('what an address asks for and the list does not have is refused by name', async (t) => {
  const cabinet = await startCabinet(t)
  const [root, pavel] = [clientOf(cabinet, 'root'), clientOf(cabinet, 'pavel')]
  const refused = async (path: string, name: string, client = root) => {
    const answer = await client.get(path)
    t.equal(answer.statusCode, 422, path)
    t.same(Object.keys(answer.json().errors), [name], path)
  }
  for (const query of ['sort=cost', 'page=2', '__proto__=1', 'token=1']) await refused(`/orders?${query}`, query.split('=')[0] as string)
  for (const limit of ['0', '501', '-1', '1.5', 'all', '']) await refused(`/orders?limit=${limit}`, 'limit')
  for (const since of ['yesterday', '2026-01-01', '1', '2026-13-01T00:00:00Z', '2026-01-01T00:00:00'])
    await refused(`/orders?updated_since=${since}`, 'updated_since')
  for (const value of ['status=x', 'cost_from=1.5', 'cost_from=-1', 'created_from=soon', 'waiting=2'])
    await refused(`/orders?${value}`, value.split('=')[0] as string)
  await refused('/orders?cost_from=1', 'cost_from', pavel)
  const { parameters } = (await root.get('/openapi.json')).json().paths['/orders'].get
  const described = new Map(parameters.map(({ name, schema }: { name: string; schema: unknown }) => [name, schema]))
  t.same(described.get('waiting'), { type: 'string', enum: ['1'] }, 'and the description says what it takes')
  plantOrders(cabinet, 3)
  const { next } = (await root.get('/orders?limit=1')).json()
  await refused(`/orders?after=${next}&after=${next}`, 'after')
  await refused('/orders?status=1&status=2', 'status')
  await refused(`/companies?after=${next}`, 'after')
  await refused(`/orders?after=${next}&updated_since=${iso(0)}`, 'after')
  for (const token of ['', 'x', Buffer.from('["orders by creation","1",{}]').toString('base64url')])
    await refused(`/orders?after=${token}`, 'after')
})

t.test('without the right to see prices no answer holds an amount', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  useCatalog(db)
  const product = insertProduct(db, { article: 'W-1', category_id: cast.category })
  const root = clientOf(cabinet, 'root')
  const line = { product_id: product, quantity: 2, width: 1000, height: 1000 }
  await root.post('/orders', { dealer_id: cast.denis, items: [line], payment: 'cash' })
  revoke(db, cast.admin, 'order_can_view_prices')
  const admin = clientOf(cabinet, 'admin')
  const withPrices = JSON.stringify([
    (await root.get('/orders')).json(),
    (await root.get('/orders/2')).json(),
    (await root.get('/products')).json(),
  ])
  t.match(withPrices, /"cost":/)
  const paths = ['/orders', '/orders/2', `/companies/${cast.companies.alpha}`, '/companies', '/products', `/products/${product}`]
  for (const path of paths) {
    const answer = await admin.get(path)
    t.equal(answer.statusCode, 200, path)
    t.notMatch(
      answer.body,
      /"(cost|price|prices|amount|discount|discounts|piece_price|payment|deferred_payment|invoice|payment_order|date_payment|vat|own_price|contract_prices)":/,
      path,
    )
  }
})

t.test('a dealer without the right to see prices reads products without what their company pays', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  useCatalog(db)
  const product = insertProduct(db, { article: 'W-1', category_id: cast.category })
  const denis = clientOf(cabinet, 'denis')
  for (const path of ['/products', `/products/${product}`]) {
    const { items: [read] = [undefined], ...whole } = (await denis.get(path)).json()
    t.match(read ?? whole, { article: 'W-1', own_price: Number }, 'with it they do')
    t.notOk('price' in (read ?? whole), 'and the price of others they do not see')
  }
  const staff = (await clientOf(cabinet, 'root').get(`/products/${product}`)).json()
  t.match(staff, { price: Number })
  t.notOk('own_price' in staff, 'staff have no price of their own')
  revoke(db, cast.denis, 'order_can_view_prices')
  for (const path of ['/products', `/products/${product}`]) t.notMatch((await denis.get(path)).body, /price/, path)
})

t.test('an order has its lines, history, messages and files, and dealers see no internal message', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  const maria = await as('maria')
  await maria.post(`/orders/${cast.order}/messages`, { text: 'For all' })
  await maria.post(`/orders/${cast.order}/messages`, { text: 'For us', internal: 1 })
  const [staff, dealer] = [
    await clientOf(cabinet, 'maria').get(`/orders/${cast.order}`),
    await clientOf(cabinet, 'denis').get(`/orders/${cast.order}`),
  ]
  const texts = (answer: typeof staff) => answer.json().messages.map(({ text }: { text: string }) => text)
  t.same(texts(staff), ['For us', 'For all'])
  t.same(texts(dealer), ['For all'])
  t.match(staff.json(), {
    items: [],
    history: [],
    files: [],
    status: 'New',
    company_id: cast.companies.alpha,
    created_at: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
  })
  await maria.post(`/orders/${cast.order}/messages/1/withdraw`, {})
  t.ok(db.select().from(orderMessages).where(eq(orderMessages.id, 1)).get()?.withdrawn_at)
  t.same(texts(await clientOf(cabinet, 'denis').get(`/orders/${cast.order}`)), [''])
})

t.test('a step tells what was filled in with it: fields of the order, as far as its reader sees them', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const filled = { receiver: 'Anna', payment: 'card', date_payment: '2026-03-04', reported_payment: 7 }
  db.insert(orderHistory).values({ order_id: cast.order, at: 1, to_status_id: 2, to_name: 'Signing', actor_name: 'Somebody', filled }).run()
  const told = async (name: Name) => (await clientOf(cabinet, name).get(`/orders/${cast.order}`)).json().history[0].filled
  t.same(await told('root'), { receiver: 'Anna', payment: 'card', date_payment: '2026-03-04' })
  revoke(db, cast.denis, 'order_can_view_prices')
  t.same(await told('denis'), { receiver: 'Anna' })
})

t.test("a dealer is read by the company's manager, not by whoever only stands on the dealer's card", async (t) => {
  const cabinet = await startCabinet(t)
  const { cast } = cabinet
  const [maria, mikhail] = [clientOf(cabinet, 'maria'), clientOf(cabinet, 'mikhail')]
  t.match((await mikhail.get(`/dealers/${cast.vera}`)).json(), { lastname: 'Vernaya', company_id: cast.companies.beta })
  t.ok((await walk(mikhail, '/dealers')).find(({ id }) => id === cast.vera))
  t.equal((await maria.get(`/dealers/${cast.vera}`)).statusCode, 403)
  t.notOk((await walk(maria, '/dealers')).find(({ id }) => id === cast.vera))
})

t.test('no answer holds a password or what is kept secret', async (t) => {
  const cabinet = await startCabinet(t)
  const root = clientOf(cabinet, 'root')
  const whole = await Promise.all(['/dealers', `/dealers/${cabinet.cast.denis}`].map((path) => root.get(path)))
  for (const { body } of whole) t.notMatch(body, /password|argon2|token_hash|superadmin/)
})

t.test('deletions are told to whoever could have seen the record, until it is restored', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const [first, second] = plantOrders(cabinet, 2)
  const root = await as('root')
  await root.post('/orders/delete', { id: [first ?? 0] })
  await root.post('/orders/delete', { id: [second ?? 0] })
  await root.post('/companies/delete', { id: cast.companies.nobodys })
  await root.post('/dealers/delete', { id: cast.vera })
  const told = async (name: Name) =>
    (await walk(clientOf(cabinet, name), '/deletions?limit=1')).map((one) => `${(one as unknown as { type: string }).type} ${one.id}`)
  t.same(await told('root'), [`orders ${first}`, `orders ${second}`, `companies ${cast.companies.nobodys}`, `dealers ${cast.vera}`])
  t.same(await told('maria'), [`orders ${first}`])
  t.same(await told('denis'), [`orders ${first}`])
  t.same(await told('mikhail'), [`orders ${second}`, `dealers ${cast.vera}`])
  t.same(await told('daria'), [`orders ${second}`])
  const mikhail = clientOf(cabinet, 'mikhail')
  const page = (await mikhail.get('/deletions?limit=1')).json()
  t.same(
    page.items.map(({ id }: { id: number }) => id),
    [second],
    'a page is full of what one could have seen',
  )
  const position = JSON.parse(Buffer.from(page.next, 'base64url').toString())
  t.same(position.slice(1), [Date.parse(page.items[0].deleted_at), second, 'orders'], 'its token names the last of it, and nothing else')
  t.equal((await mikhail.get(`/deletions?limit=1&after=${page.next}`)).json().next, null)
  await root.post('/bin/1/restore')
  t.same((await told('root')).length, 3)
  t.same(await told('daria'), [`orders ${second}`], 'the other one stays deleted')
  const last = db.select().from(trash).all().at(-1) as typeof trash.$inferSelect
  const since = async (moment: number) => (await clientOf(cabinet, 'root').get(`/deletions?updated_since=${iso(moment)}`)).json()
  t.match((await since(last.at)).items.at(-1), { type: 'dealers', id: cast.vera, deleted_at: iso(last.at) }, 'the moment included')
  t.same(await since(last.at + 1), { items: [], next: null })
  db.update(trash)
    .set({ at: Date.now() - 30.1 * 24 * 3600_000 })
    .where(eq(trash.id, last.id))
    .run()
  t.same(await told('mikhail'), [`orders ${second}`], 'for thirty days, and no longer though it is not swept yet')
  t.ok(db.select().from(companies).all().length)
})

t.test('the ledger is read with the filters of its page by those who may read its page, and written by nobody', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const { alpha, beta } = cast.companies
  const charge = insertEntry(db, alpha, { order_id: cast.order, at: 1_700_000_000_000 })
  const by = { actor_id: cast.root, actor_name: 'Root Olga', impersonator_id: cast.admin, impersonator_name: 'Adminov Anton' }
  const correction = insertEntry(db, beta, { kind: 'correction', amount: 50, date: '2026-02-01', note: 'Opening balance', ...by })
  const reversal = insertEntry(db, alpha, { amount: 100_00, order_id: cast.order, date: '2026-03-01' })
  const root = clientOf(cabinet, 'root')
  const found = async (query: string) => idsOf((await root.get(`/ledger?${query}`)).json().items)
  t.same(await found(''), [charge, correction, reversal])
  t.same(await found(`company=${alpha}`), [charge, reversal])
  t.same(await found(`order=${cast.order}&kind=reversal`), [reversal])
  t.same(await found('from=2026-02-01&until=2026-02-28'), [correction])
  t.same(await found('q=opening'), [correction])
  t.same(await found(`updated_since=${iso(1_700_000_000_001)}`), [correction, reversal])
  t.same((await root.get(`/ledger/${correction}`)).json(), {
    ...{ id: correction, company_id: beta, order_id: null, payment_id: null, kind: 'correction', amount: 50, date: '2026-02-01' },
    ...{ note: 'Opening balance', actor_id: cast.root, actor: 'Root Olga', created_at: iso(1_800_000_000_000) },
  })
  t.equal((await root.get(`/ledger/${reversal}`)).json().kind, 'reversal', 'named as on its page')
  t.equal((await root.get('/ledger/999')).statusCode, 404)
  const denis = clientOf(cabinet, 'denis')
  t.same(idsOf((await denis.get('/ledger')).json().items), [charge, reversal], 'a dealer reads that of the own company')
  t.equal((await denis.get(`/ledger/${charge}`)).statusCode, 200)
  t.equal((await denis.get(`/ledger/${correction}`)).statusCode, 403)
  revoke(db, cast.denis, 'order_can_view_prices')
  t.equal((await denis.get('/ledger')).statusCode, 403)
  t.equal((await denis.get(`/ledger/${charge}`)).statusCode, 403)
  for (const answer of [
    await root.post('/ledger', { company_id: alpha }),
    await root.patch(`/ledger/${charge}`, { version: 1, amount: 1 }),
  ])
    t.equal(answer.statusCode, 404)
})

t.test('each page of a walk is read from an index, so that its cost does not grow with the list', async (t) => {
  const cabinet = await startCabinet(t, { anew: true })
  plantOrders(cabinet, 6)
  const { db } = cabinet
  for (const [name, path] of [
    ['root', '/orders'],
    ['root', '/orders?updated_since=1970-01-01T00:00:00Z'],
    ['root', '/orders?status=1'],
    ['maria', '/orders'],
    ['denis', '/orders'],
    ['root', '/companies'],
    ['root', '/companies?updated_since=1970-01-01T00:00:00Z'],
    ['root', '/dealers'],
    ['root', '/dealers?updated_since=1970-01-01T00:00:00Z'],
    ['root', '/products'],
    ['root', '/ledger'],
    ['root', '/ledger?updated_since=1970-01-01T00:00:00Z'],
    ['root', '/products?updated_since=1970-01-01T00:00:00Z'],
  ] as const) {
    const statements: string[] = []
    const { prepare } = db.$client
    db.$client.prepare = ((text: string) => {
      statements.push(text)
      return prepare.call(db.$client, text)
    }) as typeof prepare
    const client = clientOf(cabinet, name)
    const { next } = (await client.get(`${path}${path.includes('?') ? '&' : '?'}limit=1`)).json()
    await client.get(`${path}${path.includes('?') ? '&' : '?'}limit=1&after=${next}`)
    db.$client.prepare = prepare
    const walks = statements.filter((text) => /order by .* limit \+\? offset \+\?$/s.test(text))
    t.ok(next ? walks.length > 0 : true, `${path}: the walk is found`)
    for (const text of walks) {
      const plan = db.$client.prepare(`explain query plan ${text}`).all(...Array(text.split('?').length - 1).fill(1)) as {
        detail: string
      }[]
      const details = plan.map(({ detail }) => detail).join('; ')
      t.notMatch(details, /TEMP B-TREE/, `${path} of ${name}: ${details}`)
    }
  }
})

t.test('files have the names that those who attached them gave, and are downloaded by whoever may see them', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as } = cabinet
  const content = 'The same bytes'
  const attach = async (name: Name, path: string, field: string, file: string, fields: [string, string][] = []) => {
    const answer = await submitForm(await as(name), path, [...fields, [field, new File([content], file, { type: 'text/plain' })]])
    t.equal(answer.statusCode, 303, `${path} ${answer.body.slice(0, 200)}`)
  }
  await attach('root', `/orders/edit/${cast.order}`, 'specification', 'specification of root.txt')
  await attach('maria', `/orders/${cast.order}/messages`, 'files', 'inner.txt', [['internal', '1']])
  await attach('denis', `/orders/${cast.order}/messages`, 'files', 'message of denis.txt')
  const payment: [string, string][] = [
    ['amount', '5'],
    ['date', '2026-01-15'],
    ['kind', 'transfer'],
  ]
  await attach('denis', `/orders/${cast.order}/payments`, 'file', 'payment of denis.txt', payment)
  const [maria, denis, daria] = [clientOf(cabinet, 'maria'), clientOf(cabinet, 'denis'), clientOf(cabinet, 'daria')]
  const order = (await denis.get(`/orders/${cast.order}`)).json()
  const key = keyOf(content)
  t.match(order.files, [{ field: 'specification', key, name: 'specification of root.txt' }])
  t.match(order.payments, [{ files: [{ key, name: 'payment of denis.txt' }] }])
  t.same(
    order.messages.flatMap(({ files }: { files: { name: string }[] }) => files.map(({ name }) => name)),
    ['message of denis.txt'],
  )
  t.match((await maria.get('/payments')).json().items, [{ files: [{ name: 'payment of denis.txt' }] }], 'whoever reads it')
  t.match(order.files[0].url, new RegExp(`^http.*/api/v1/files/${key}\\?name=specification\\+of\\+root.txt$`))
  t.match(await denis.get(`/files/${key}`), { statusCode: 200, body: content })
  t.equal((await daria.get(`/files/${key}`)).statusCode, 403, 'nobody who sees none of these records')
})
