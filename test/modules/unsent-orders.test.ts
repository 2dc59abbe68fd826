import { eq } from 'drizzle-orm'
import t from 'tap'
import { orders, statuses } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { elementsOf, textOf } from '../support/html.ts'
import { notifyRecipients } from '../support/notify.ts'
import { insertOrder } from '../support/orders.ts'

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { as, cast } = cabinet
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  const ids = async (name: Name, query: string) =>
    elementsOf((await (await as(name)).get(`/orders?${query}`)).body, 'tr[id^=orders-]')
      .map((row) => Number(/orders-(\d+)/.exec(row)?.[1]))
      .sort((a, b) => a - b)
  return { ...cabinet, of, ids }
}

t.test('an order that its dealer has not sent says so to the dealer, and stands for its manager in the list', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, of, ids } = cabinet
  const sent = insertOrder(cabinet, 'production', of)
  const beta = insertOrder(cabinet, 'new', { dealer_id: cast.daria, company_id: cast.companies.beta })
  const says = async (name: Name, id: number) => elementsOf((await (await as(name)).get(`/orders/${id}`)).body, '#not-sent').map(textOf)
  t.match(await says('denis', cast.order), ['Not sent yet'])
  t.same(await says('maria', cast.order), ['Not sent yet'])
  t.same(await says('denis', sent), [])
  t.same(await ids('maria', 'unsent=1'), [cast.order])
  t.same(await ids('root', 'unsent=1'), [cast.order, beta])
  const [first] = db.select().from(statuses).all()
  db.update(statuses)
    .set({ expected: 'manager' })
    .where(eq(statuses.id, first?.id ?? 0))
    .run()
  t.same(
    [await ids('maria', 'unsent=1'), await says('denis', cast.order)],
    [[], []],
    'where it is not the turn of the dealer there is nothing to send',
  )
})

t.test('orders are narrowed to what they lack and to unread messages, each only among what is seen', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, of, ids } = cabinet
  const whole = insertOrder(cabinet, 'production', { ...of, phone: '+7(900) 000 00 00', address: 'Street', date_make: '2026-12-01' })
  db.update(orders).set({ phone: '', address: 'Street', date_make: null }).where(eq(orders.id, cast.order)).run()
  t.same(await ids('maria', 'lacks=phone'), [cast.order])
  t.same(await ids('maria', 'lacks=address'), [])
  t.same(await ids('maria', 'lacks=date_make'), [cast.order])
  t.same(await ids('mikhail', 'lacks=phone'), [])
  t.same(await ids('maria', 'lacks=constructor'), [cast.order, whole], 'what is no such word narrows nothing')
  t.same(await ids('maria', 'unread=1'), [])
  await (await as('denis')).post(`/orders/${whole}/messages`, { text: 'When?' })
  t.same([await ids('maria', 'unread=1'), await ids('denis', 'unread=1')], [[whole], []])
})

t.test('the inbox is narrowed to messages, steps, payments, or dates and lines', async (t) => {
  const cabinet = await start(t)
  const { as, cast } = cabinet
  notifyRecipients(cabinet, [cast.denis])
  const maria = await as('maria')
  await maria.post(`/orders/${cast.order}/messages`, { text: 'Soon' })
  await (await as('root')).post(`/orders/edit/${cast.order}`, { date_make: '2026-12-24' })
  const found = async (about: string) =>
    elementsOf((await (await as('denis')).get(`/notifications?about=${about}`)).body, 'tr[data-notification] [data-col=status]').map(textOf)
  t.match([await found('messages'), await found('steps'), await found('dates')], [[/Soon/], [/Paid/], [/Order changed/]])
  t.same([(await found('payments')).length, (await found('nonsense')).length], [0, 3])
})
