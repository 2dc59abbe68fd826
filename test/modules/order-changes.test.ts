import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { changesToTell } from '../../src/core/order-changes.ts'
import { deliveries, notifications, orders, users, webhookMessages, webhooks } from '../../src/database/schema/index.ts'
import { type Fields, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { fieldOf, parseHtml } from '../support/html.ts'
import { insertOrder, line, linesOf, orderOf } from '../support/orders.ts'

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test, { environment: { SMTP_URL: 'smtp://127.0.0.1:9' } })
  const { as, cast, db } = cabinet
  db.update(users).set({ mail_pace: 'hourly' }).where(eq(users.id, cast.denis)).run()
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  const id = insertOrder(cabinet, 'production', { ...of, date_make: '2026-12-01' })
  const address = `/orders/edit/${id}`
  const edit = async (name: Name, fields: Fields) => (await as(name)).post(address, fields)
  const told = () => db.select().from(notifications).all()
  const inboxOf = async (name: Name, query = '') =>
    parseHtml((await (await as(name)).get(`/notifications${query}`)).body)('tr[data-notification] [data-col=status]')
      .text()
      .replace(/\s+/g, ' ')
  return { ...cabinet, of, id, address, edit, told, inboxOf }
}

t.test(
  'a new date is told to the dealer with what was, what is and why, in the inbox and in the gathered mail; nobody else is told',
  async (t) => {
    const { as, cast, db, id, told, inboxOf } = await start(t)
    await (await as('maria')).post(`/orders/${id}/dates`, { date_make: '2026-12-16', reason: 'Glass <b>late</b>' })
    t.match(told(), [{ user_id: cast.denis, order_id: id, event: 'order-changed', read_at: null, actor_name: 'Petrova Maria' }])
    t.match(await inboxOf('denis'), 'Order changed Production date: 01.12.2026 → 16.12.2026 Reason: Glass <b>late</b>')
    const [sent] = db.select().from(deliveries).all()
    t.ok(sent?.gathered_for, 'by the pace of the dealer')
    const bell = await (await as('denis')).get('/notifications/latest')
    t.match(bell.body, /Production date: 01\.12\.2026 → 16\.12\.2026; Reason: Glass &lt;b&gt;late/)
    await (await as('maria')).post(`/orders/${id}/dates`, { date_make: '2026-12-16', reason: 'Nothing' })
    t.equal(told().length, 1, 'what is the same is told to nobody')
  },
)

t.test(
  'the form of an order asks staff why, and tells the dealer with what was and is; the history keeps it with any change',
  async (t) => {
    const { as, cast, db, id, address, edit, told, inboxOf } = await start(t)
    const reasons = async () =>
      parseHtml((await (await as('root')).get(`${address}?tab=history`)).body)
        .text()
        .match(/Glass <b>late|Their wish|Nothing/g)
    await edit('root', { date_make: '2026-12-16', reason: 'Glass <b>late</b>' })
    t.match(await inboxOf('denis'), 'Production date: 01.12.2026 → 16.12.2026 Reason: Glass <b>late</b>')
    await edit('root', { items: '', ...line(0, cast.category, 'Window', 1, 100), reason: 'Their wish' })
    t.match(await inboxOf('denis'), /Window.*Reason: Their wish/)
    const [first] = linesOf(db, id)
    await edit('root', { items: '', ...line(0, cast.category, 'Window', 1, 100, first?.id), date_make: '2026-12-16', reason: 'Nothing' })
    t.equal(told().length, 2, 'what is the same is told to nobody')
    await edit('root', { receiver: 'Olga', reason: 'Their wish' })
    t.equal(told().length, 2, 'nor is what dealers are not told of')
    t.same(await reasons(), ['Their wish', 'Their wish', 'Glass <b>late'])
    const root = await as('root')
    t.ok(fieldOf(await root.get(address), 'reason'))
    t.equal(fieldOf(await root.get(address), 'reason')?.value ?? '', '', 'it is asked anew each time')
    t.notOk(fieldOf(await (await as('denis')).get(address), 'reason'))
    const long = await edit('root', { date_make: '2026-12-20', reason: 'x'.repeat(1001) })
    t.same([long.statusCode, orderOf(db, id).date_make], [422, '2026-12-16'])
    t.match(long.body, 'xxxxx', 'nothing typed is lost')
  },
)

t.test('two who change different fields each say why, and neither meets a conflict', async (t) => {
  const { db, id, edit, told } = await start(t)
  const { version } = orderOf(db, id)
  t.equal((await edit('root', { date_make: '2026-12-16', reason: 'Glass', version })).statusCode, 303)
  t.equal((await edit('root', { date_delivery: '2026-12-20', reason: 'Truck', version })).statusCode, 303)
  t.match(
    told().map(({ detail }) => JSON.parse(detail ?? '{}').reason),
    ['Glass', 'Truck'],
  )
  t.equal((await edit('root', { date_make: '2026-12-18', reason: 'Truck', version })).statusCode, 409, 'the same field is one')
})

t.test('whoever acted is not told, nor is the dealer when staff say so; a dealer is not asked', async (t) => {
  const { as, db, id, address, edit, told } = await start(t)
  await (await as('maria')).post(`/orders/${id}/dates`, { date_make: '2026-12-16', untold: 1 })
  await edit('root', { date_make: '2026-12-17', untold: 1 })
  t.equal(told().length, 0)
  t.equal(orderOf(db, id).date_make, '2026-12-17')
  const root = await as('root')
  t.ok(fieldOf(await root.get(address), 'untold'))
  t.notOk(fieldOf(await (await as('denis')).get(address), 'untold'))
  grant(db, orderOf(db, id).dealer_id as number, 'order_can_edit')
  await edit('denis', { date_make: '2026-12-18' })
  t.equal(told().length, 0, 'their own change')
})

t.test('changed, added and removed lines are told, without sums to a dealer who does not see prices', async (t) => {
  const { cast, db, id, edit, told, inboxOf } = await start(t)
  const lines = (fields: Fields) => edit('root', { items: '', ...fields })
  await lines({ ...line(0, cast.category, 'Window', 1, '111.11'), ...line(1, cast.category, 'Door', 3, 50), untold: 1 })
  const [window] = linesOf(db, id)
  t.equal(told().length, 0)
  await lines({ ...line(0, cast.category, 'Window', 2, '111.11', window?.id), ...line(1, cast.category, 'Sill', 4, 10) })
  const all = await inboxOf('denis')
  t.match(all, /Window, Quantity: 1 → 2 Window, Amount: 111[.,]11 .* → 222[.,]22 .*Line added: Sill × 4 Line removed: Door × 3/)
  revoke(db, cast.denis, 'order_can_view_prices')
  t.notMatch(await inboxOf('denis'), /111|222|Amount/, 'who no longer sees prices reads no sums in what was told before')
  const current = linesOf(db, id)
  const priced = (price: string) => ({
    ...line(0, cast.category, 'Window', 2, price, current[0]?.id),
    ...line(1, cast.category, 'Sill', 4, 10, current[1]?.id),
  })
  await lines(priced('777.77'))
  t.equal(told().length, 1, 'a price alone is nothing to tell them')
  await edit('root', { ...priced('888.88'), date_make: '2026-12-30', date_payment: '2026-12-24' })
  t.equal(told().length, 2)
  t.match(told()[1]?.detail, /2026-12-30/)
  t.notMatch(told()[1]?.detail, /88888|177776|2026-12-24/, 'nothing of prices is stored for them')
})

t.test('a reassigned order is told to its new dealer; a dealer of another company learns nothing of what was', async (t) => {
  const { cast, db, id, edit, told, inboxOf } = await start(t)
  await edit('root', { dealer_id: cast.roman, date_make: '2026-12-20' })
  t.match(told(), [{ user_id: cast.roman, event: 'order-changed' }])
  t.match(await inboxOf('roman'), 'Dealer: Denisov Denis → Romanov Roman')
  await edit('root', { dealer_id: cast.daria, date_make: '2026-12-21' })
  t.equal(orderOf(db, id).dealer_id, cast.daria)
  t.match(await inboxOf('daria'), 'Dealer: — → ')
  t.notMatch(await inboxOf('daria'), /Romanov|20\.12/)
})

t.test('programs are told of each change, also of one that the dealer is not told of, and of none that changes nothing', async (t) => {
  const { db, id, edit } = await start(t)
  const of = { url: 'https://erp.example/', secret: 'whsec_x', created_at: 1 }
  db.insert(webhooks)
    .values({ ...of, events: ['order.changed'] })
    .run()
  const events = () => db.select().from(webhookMessages).all()
  await edit('root', { date_make: '2026-12-20', untold: 1 })
  await edit('root', { receiver: 'Anna' })
  await edit('root', { receiver: 'Anna' })
  t.same(
    events().map(({ type, body }) => [type, JSON.parse(body).data.id, JSON.parse(body).data.receiver]),
    [
      ['order.changed', id, null],
      ['order.changed', id, 'Anna'],
    ],
  )
})

t.test('nobody is told twice of one change, whatever is changed in whatever order', async (t) => {
  const { cast, db, id, edit, told } = await start(t)
  const days = fc.constantFrom('2026-12-01', '2026-12-02', '2026-12-03')
  const actors = fc.constantFrom<Name>('root', 'maria')
  const change = fc.record({ name: actors, date_make: days, date_delivery: days, untold: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 4 }), async (changes) => {
      db.delete(notifications).run()
      db.update(orders).set({ date_make: null, date_delivery: null }).where(eq(orders.id, id)).run()
      const expected: string[] = []
      for (const { name, untold, ...dates } of changes) {
        const { date_make, date_delivery } = orderOf(db, id)
        const differs = date_make !== dates.date_make || date_delivery !== dates.date_delivery
        await edit(name, { ...dates, ...(untold && { untold: 1 }) })
        if (differs && !untold) expected.push(`${cast.denis}`)
      }
      const entries = told()
      t.same(
        entries.map(({ user_id }) => String(user_id)),
        expected,
      )
      t.equal(new Set(entries.map(({ id: entry }) => entry)).size, expected.length)
      const perEntry = entries.map(({ detail }) => JSON.parse(detail ?? '').changes.map(({ what }: { what: string }) => what))
      for (const names of perEntry) t.equal(new Set(names).size, names.length, 'nor twice in one entry')
    }),
    { numRuns: 10 },
  )
})

t.test('a line that keeps all its parts is no change', (t) => {
  const one = { id: 1, name: 'Window', quantity: 2, price: 100, discount: 0 }
  t.same(changesToTell({ items: [[one], [{ ...one, remark: null, width: null }]] }), [])
  t.match(changesToTell({ items: [[one], [{ ...one, remark: 'Left' }]] }), [{ line: 'Window', what: 'Remark', was: null, is: 'Left' }])
  t.end()
})
