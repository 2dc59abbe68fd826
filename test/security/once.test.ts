import { eq } from 'drizzle-orm'
import t from 'tap'
import { changes, companies, orderHistory, orderMessages, users } from '../../src/database/schema/index.ts'
import { type Fields, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { insertOrder, transitionBetween } from '../support/orders.ts'

const six = <T>(send: () => Promise<T>) => Promise.all(Array.from({ length: 6 }, send))

t.test('the same bulk transition six times at once moves each order once, and all six get its report', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const ids = Array.from({ length: 4 }, () => insertOrder(cabinet, 'new'))
  const root = await as('root')
  for (const once of ['the same', 'x'.repeat(200)]) {
    const [from, to] = once === 'the same' ? ['new', 'apply'] : ['apply', 'canceled']
    const fields: Fields = { transition_id: transitionBetween(cabinet, from as string, to as string).id, id: ids, once }
    const before = db.select().from(orderHistory).all().length
    const answers = await six(() => root.post('/orders/transitions', fields))
    t.same(
      answers.map(({ statusCode, body }) => [statusCode, body.match(/data-moved="1"/g)?.length]),
      answers.map(() => [200, 4]),
    )
    t.equal(db.select().from(orderHistory).all().length, before + 4)
  }
})

t.test('the same change of many dealers six times at once changes each once', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const answers = await six(() => root.post('/dealers/change', { id: [cast.denis, cast.daria], account: '0', once: 'the same' }))
  t.same(
    answers.map(({ statusCode }) => statusCode),
    answers.map(() => 200),
  )
  t.equal(
    db
      .select()
      .from(changes)
      .where(eq(changes.record_id, cast.denis))
      .all()
      .filter(({ action }) => action === 'update').length,
    1,
  )
})

t.test('the same deletion six times at once leads to the list six times', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const answers = await six(() => root.post('/dealers/delete', { id: [cast.denis, cast.daria], once: 'the same' }))
  t.same(
    answers.map(({ statusCode, headers }) => [statusCode, headers.location]),
    answers.map(() => [303, '/dealers']),
  )
})

t.test('a hand-over sent twice hands over once', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const send = () => root.post(`/managers/${cast.maria}/hand-over`, { hand_over_to: cast.mikhail, once: 'the same' })
  const [first, second] = [await send(), await send()]
  t.same([first.statusCode, second.statusCode, second.headers.location], [303, 303, first.headers.location])
  t.same(db.select().from(companies).where(eq(companies.manager_id, cast.maria)).all(), [])
})

t.test('a key that another form has used is refused (409), whatever either leads to', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  grant(db, cast.maria, 'order_can_view')
  const root = await as('root')
  const move: Fields = { transition_id: transitionBetween(cabinet, 'new', 'apply').id, id: insertOrder(cabinet, 'new') }
  t.equal((await root.post('/orders/transitions', { ...move, once: 'a report' })).statusCode, 200)
  t.equal((await root.post(`/orders/${cast.order}/messages`, { text: 'Hello', once: 'a page' })).statusCode, 303)
  const refused = [
    await root.post(`/orders/${cast.order}/messages`, { text: 'Again', once: 'a report' }),
    await root.post('/orders/transitions', { ...move, once: 'a page' }),
    await root.post('/dealers/change', { id: cast.denis, account: '0', once: 'a report' }),
    await root.post('/categories/add', { name: 'A category', once: 'a page' }),
    await root.post('/dealers/delete', { id: cast.denis, once: 'a page' }),
  ]
  t.same(
    refused.map(({ statusCode }) => statusCode),
    refused.map(() => 409),
  )
  t.equal(db.select().from(orderMessages).all().length, 1)
  t.equal(db.select().from(users).where(eq(users.id, cast.denis)).get()?.active, true)
  const maria = await as('maria')
  t.equal((await maria.post(`/orders/${cast.order}/messages`, { text: 'Mine', once: 'a page' })).statusCode, 303)
  const texts = db.select({ text: orderMessages.text }).from(orderMessages).all()
  t.same(texts, [{ text: 'Hello' }, { text: 'Mine' }], 'keys are of one person')
})
