import { eq } from 'drizzle-orm'
import t from 'tap'
import { categories, companies, orderItems, orders } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { fieldOf, parseHtml } from '../support/html.ts'

async function startWithOrder(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { cast, db } = cabinet
  const doors = Number(db.insert(categories).values({ name: 'Doors', search: 'doors' }).run().lastInsertRowid)
  db.update(companies).set({ discount: 12 }).where(eq(companies.id, cast.companies.alpha)).run()
  const facts = {
    receiver: 'Ivan Receiver',
    phone: '+7(999) 111 22 33',
    address: 'Main street',
    delivery: 'address',
    payment: 'cash',
    email: 'ivan@example.com',
  }
  db.update(orders)
    .set({ ...facts, sn: '77', date_make: '2026-01-01', cost: 3000 })
    .where(eq(orders.id, cast.order))
    .run()
  for (const [name, category_id] of [
    ['First', cast.category],
    ['Second', doors],
    ['Third', cast.category],
  ] as const)
    db.insert(orderItems).values({ order_id: cast.order, name, category_id, quantity: 2, price: 500, discount: 10 }).run()
  return { ...cabinet, doors }
}

/** The form as a browser without scripts sends it. */
function asSent(html: string) {
  const $ = parseHtml(html)
  const form = $('.record-form')
  const fields = form.serializeArray().map(({ name, value }) => [name, value] as [string, string])
  return { action: form.attr('action') as string, body: String(new URLSearchParams(fields)) }
}

t.test('a dealer reorders three lines in three clicks, without typing and without JavaScript', async (t) => {
  const { cast, as, db } = await startWithOrder(t)
  const denis = await as('denis')
  const page = await denis.get(`/orders/${cast.order}`)
  t.match(page.body, `href="/orders/add?from=${cast.order}"`)
  const form = await denis.get(`/orders/add?from=${cast.order}`)
  t.match(form.body, 'First: the discount is now 12%; it was 10%.')
  db.update(companies).set({ discount: 8 }).where(eq(companies.id, cast.companies.alpha)).run()
  t.match((await denis.get(`/orders/add?from=${cast.order}`)).body, 'First: the discount is now 8%; it was 10%.')
  db.update(companies).set({ discount: 10 }).where(eq(companies.id, cast.companies.alpha)).run()
  t.notMatch((await denis.get(`/orders/add?from=${cast.order}`)).body, 'the discount is now', 'the same is not worth a word')
  db.update(companies).set({ discount: 12 }).where(eq(companies.id, cast.companies.alpha)).run()
  t.equal(fieldOf(form, 'receiver')?.value, 'Ivan Receiver')
  const { action, body } = asSent(form.body)
  const placed = await denis.send('POST', action, { 'content-type': 'application/x-www-form-urlencoded' }, body)
  t.equal(placed.statusCode, 303)
  const order = db.select().from(orders).all().at(-1) as typeof orders.$inferSelect
  t.match(order, {
    dealer_id: cast.denis,
    receiver: 'Ivan Receiver',
    phone: '+7(999) 111 22 33',
    email: 'ivan@example.com',
    address: 'Main street',
    delivery: 'address',
    payment: 'cash',
    sn: null,
    date_make: null,
    cost: 2640,
  })
  t.same(
    db
      .select()
      .from(orderItems)
      .where(eq(orderItems.order_id, order.id))
      .all()
      .map(({ name, discount }) => [name, discount]),
    [
      ['First', 12],
      ['Second', 12],
      ['Third', 12],
    ],
  )
})

t.test('a reorder names the lines whose category was deleted', async (t) => {
  const { cast, as, db, doors } = await startWithOrder(t)
  db.delete(categories).where(eq(categories.id, doors)).run()
  t.match((await (await as('denis')).get(`/orders/add?from=${cast.order}`)).body, 'Second: its category was deleted. Choose another.')
})

t.test('a dealer reorders only an order that they may see (403, unknown 404)', async (t) => {
  const { cast, as } = await startWithOrder(t)
  t.equal((await (await as('daria')).get(`/orders/add?from=${cast.order}`)).statusCode, 403)
  t.equal((await (await as('denis')).get('/orders/add?from=999')).statusCode, 404)
  t.equal((await (await as('denis')).get('/orders/add?from=x')).statusCode, 404)
  const maria = await as('maria')
  t.match(fieldOf(await maria.get(`/orders/add?from=${cast.order}`), 'dealer_id')?.value, String(cast.denis))
})

t.test("a new order offers the customer of the dealer's own last order that has one", async (t) => {
  const { cast, as, db } = await startWithOrder(t)
  const denis = await as('denis')
  const of = { status_id: 1, company_id: cast.companies.alpha }
  db.insert(orders)
    .values([
      { ...of, dealer_id: cast.roman, receiver: "A colleague's" },
      { ...of, dealer_id: cast.denis, receiver: '' },
      { ...of, dealer_id: cast.denis },
    ])
    .run()
  const offers = async (name: 'denis' | 'maria' | 'vera') =>
    parseHtml((await (await as(name)).get('/orders/add')).body)('a[href*="receiver="]')
      .text()
      .trim()
  t.equal(await offers('denis'), `Same as in order #${cast.order}: Ivan Receiver`)
  t.equal(await offers('vera'), '', 'nobody has ordered before')
  t.equal(await offers('maria'), '', 'a manager orders for many')
  const form = await denis.get(`/orders/add?receiver=${cast.order}`)
  for (const [name, value] of Object.entries({ receiver: 'Ivan Receiver', phone: '+7(999) 111 22 33', email: 'ivan@example.com' }))
    t.equal(fieldOf(form, name)?.value, value)
  t.notMatch(form.body, 'First', 'without the lines')
  db.insert(orders)
    .values({ ...of, dealer_id: cast.denis, receiver: 'The latest' })
    .run()
  t.match(await offers('denis'), /: The latest$/)
})

t.test('a file is previewed by its content, never by its name', async (t) => {
  const { cast, as, db } = await startWithOrder(t)
  const denis = await as('denis')
  const files = [
    ['a.pdf', '%PDF-1.7 hello', 'application/pdf'],
    ['evil.pdf', '<html><script>alert(1)</script>', undefined],
    ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', undefined],
    ['a.png', 'GIF89a......', 'image/gif'],
  ] as const
  for (const [name, content, type] of files) {
    const body = `--x\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n${content}\r\n--x--\r\n`
    await denis.send('POST', `/orders/${cast.order}/messages`, { 'content-type': 'multipart/form-data; boundary=x' }, body)
    const key = db.$client.prepare('select file from order_message_files order by id desc').pluck().get()
    const { statusCode, headers } = await denis.get(`/files/${key}/preview`)
    t.equal(statusCode, type ? 200 : 415, name)
    if (!type) continue
    t.match(headers, {
      'content-type': type,
      'content-disposition': 'inline',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    })
    t.match(String(headers['content-security-policy']), /^default-src 'none'/)
    t.equal((await (await as('daria')).get(`/files/${key}/preview`)).statusCode, 403)
  }
})
