import { eq } from 'drizzle-orm'
import t from 'tap'
import { notifications, orders, statuses } from '../../src/database/schema/index.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { textOf } from '../support/html.ts'
import { endOfJob } from '../support/jobs.ts'
import { insertOrder } from '../support/orders.ts'

const reminders = ({ db }: Cabinet) =>
  db
    .select()
    .from(notifications)
    .where(eq(notifications.event, 'turn-reminder'))
    .all()
    .map(({ user_id, order_id, actor_name }) => ({ user_id, order_id, actor_name }))

t.test(
  'the dealers of orders that wait for them are reminded, at most once a day each, and of the others it is said why not',
  async (t) => {
    const cabinet = await startCabinet(t)
    const { cast, db, as } = cabinet
    const maria = await as('maria')
    const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
    const theirs = insertOrder(cabinet, 'payment', of)
    const another = insertOrder(cabinet, 'payment', of)
    const managers = insertOrder(cabinet, 'paid', of)
    const foreign = insertOrder(cabinet, 'payment', { dealer_id: cast.daria, company_id: cast.companies.beta })
    const asked = await maria.get(`/orders/remind?id=${theirs}&id=${managers}`)
    t.match(textOf(asked.body), 'Remind the dealers of 2 orders')
    t.match(textOf(asked.body), 'at most once a day each')
    const inRussian = await maria.get(`/orders/remind?id=${theirs}`, { 'accept-language': 'ru' })
    t.match(textOf(inRussian.body), `№ ${theirs}`)
    const sent = await maria.post('/orders/remind', { id: [theirs, managers] })
    t.equal(sent.statusCode, 200)
    t.match(textOf(sent.body), /1 dealer reminded/)
    t.match(textOf(sent.body), 'The order does not wait for its dealer.')
    t.same(
      reminders(cabinet).map(({ user_id, order_id }) => [user_id, order_id]),
      [[cast.denis, theirs]],
    )
    t.match(textOf((await (await as('denis')).get('/notifications')).body), 'Reminder: the order waits for you')

    const again = await maria.post('/orders/remind', { id: [theirs, another] })
    t.match(textOf(again.body), 'The dealer was reminded today.')
    t.same(
      reminders(cabinet).map(({ order_id }) => order_id),
      [theirs, another],
      'the other order has its own',
    )
    db.update(notifications)
      .set({ created_at: Date.now() - 25 * 3600_000 })
      .where(eq(notifications.order_id, theirs))
      .run()
    await maria.post('/orders/remind', { id: [theirs] })
    t.equal(reminders(cabinet).filter(({ order_id }) => order_id === theirs).length, 2, 'on the next day once more')

    t.equal((await maria.post('/orders/remind', { id: [foreign] })).statusCode, 403)
    t.equal((await (await as('denis')).post('/orders/remind', { id: [another] })).statusCode, 403)
    db.$client.prepare('update users set active = 0 where id = ?').run(cast.denis)
    const third = insertOrder(cabinet, 'payment', of)
    t.match(textOf((await maria.post('/orders/remind', { id: [third] })).body), 'The order has no active dealer.')
    t.notOk(reminders(cabinet).some(({ order_id }) => order_id === third || order_id === foreign))
  },
)

t.test('two thousand reminders at once are a job, which tells each dealer once of each order', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const root = await as('root')
  const status_id = db.select().from(statuses).where(eq(statuses.status_key, 'payment')).get()?.id as number
  const rows = Array.from({ length: 2000 }, () => ({ status_id, dealer_id: cast.denis, company_id: cast.companies.alpha }))
  for (let at = 0; at < rows.length; at += 500)
    db.insert(orders)
      .values(rows.slice(at, at + 500))
      .run()
  const ids = db
    .select({ id: orders.id })
    .from(orders)
    .where(eq(orders.status_id, status_id))
    .all()
    .map(({ id }) => id)
  const started = await root.post('/orders/remind', { id: ids })
  t.equal(started.statusCode, 303)
  t.match(started.headers.location, /\/jobs\/\d+$/)
  t.equal((await endOfJob(cabinet.app)).state, 'done')
  t.equal(reminders(cabinet).length, ids.length)
})
