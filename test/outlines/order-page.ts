import { eq } from 'drizzle-orm'
import t from 'tap'
import {
  changes,
  companies,
  orderHistory,
  orderItems,
  orderMessageEdits,
  orderMessages,
  orders,
  orderVisits,
  payments,
  uploads,
  users,
} from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { daysAgo } from '../support/days.ts'
import { submitForm } from '../support/files.ts'
import { insertPayment } from '../support/ledger.ts'
import { setOrder, statusId } from '../support/orders.ts'
import { recordedOutlines } from '../support/outlines.ts'

const { shows } = recordedOutlines('order-page')
const day = 24 * 3600_000
const created = new Date(2020, 2, 1, 12, 30).getTime()

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { cast, db, as } = cabinet
  const { alpha } = cast.companies
  const order = setOrder(cabinet, 'apply', {
    specification_number: 77,
    receiver: 'Anna Karenina',
    phone: '+7(999) 123 45 67',
    date_make: '2020-12-31',
    cost: 5_500_00,
  })
  db.update(companies).set({ manufacture_id: cast.site, stock_id: cast.stock }).where(eq(companies.id, alpha)).run()
  db.update(users).set({ phone: '+7(495) 111 22 33' }).where(eq(users.id, cast.maria)).run()
  const ofOrder = { order_id: order }
  db.insert(orderItems)
    .values([
      { ...ofOrder, category_id: cast.category, name: 'Window', quantity: 3, price: 1_000_00, discount: 10, vat: 'none' },
      { ...ofOrder, name: 'Door', quantity: 2, price: null, discount: 0 },
      { ...ofOrder, category_id: cast.category, name: 'Sill', quantity: 1, price: 1_000_00, discount: 0 },
      { ...ofOrder, category_id: cast.category, name: 'Blind', quantity: 1, price: 1_000_00, discount: 0 },
      { ...ofOrder, category_id: cast.category, name: 'Net', quantity: 1, price: 800_00, discount: 0 },
    ])
    .run()
  const decided = { decider_id: cast.maria, decider_name: 'Petrova Maria', decided_at: created }
  const paid = insertPayment(db, order, { amount: 2_000_00 })
  await (await as('root')).post(`/payments/${paid}/confirm`)
  db.update(payments).set(decided).where(eq(payments.id, paid)).run()
  insertPayment(db, order, { amount: 1_000_00, note: 'The first half' })
  insertPayment(db, order, { amount: 700_00, kind: 'cash', state: 'rejected', reason: 'Not received', ...decided })
  await submitForm(await as('maria'), `/orders/${order}/documents`, [['invoice', new File(['%PDF-1.7 bill'], 'Bill.pdf')]])
  db.update(uploads).set({ at: created }).run()
  db.update(changes).set({ at: created }).run()
  const step = { ...ofOrder, to_status_id: statusId('new'), to_name: 'New', actor_id: cast.denis, actor_name: 'Denisov Denis' }
  const values = { filled: { receiver: 'Anna', phone: '+7' }, forced: { date_make: '2020-12-31' }, comment: 'As agreed' }
  const moved = { from_name: 'New', to_status_id: statusId('apply'), to_name: 'Awaiting signing', impersonator_name: 'Root Olga' }
  db.insert(orderHistory)
    .values([
      { ...step, at: created - 3 * day },
      { ...step, ...moved, ...values, transition_id: 1, at: created - 2 * day },
    ])
    .run()
  const said = { ...ofOrder, at: created - day, author_id: cast.denis, author_name: 'Denisov Denis', author_group: 2 }
  const ofMaria = { ...said, author_id: cast.maria, author_name: 'Petrova Maria', author_group: 3 }
  db.insert(orderMessages)
    .values([
      { ...said, text: 'See https://example.com/a.' },
      { ...ofMaria, at: created - 0.9 * day, text: 'A secret', internal: true, edited_at: created },
      { ...said, at: created - 0.8 * day, text: 'Gone', withdrawn_at: created },
      { ...said, at: created + day, text: 'News' },
    ])
    .run()
  db.insert(orderMessageEdits).values({ message_id: 2, at: created, text: 'Was a secret' }).run()
  for (const user_id of [cast.maria, cast.root]) db.insert(orderVisits).values({ user_id, order_id: order, seen_at: created }).run()
  db.update(orders)
    .set({ created_at: created, status_since: daysAgo(3) })
    .where(eq(orders.id, order))
    .run()
  return { ...cabinet, order, key: db.select().from(uploads).get()?.key as string }
}

t.test('the page of an order', async (t) => {
  const { as, order, key } = await start(t)
  const hidden = (html: string) => html.replaceAll(key, 'KEY')
  const maria = hidden((await (await as('maria')).get(`/orders/${order}?back=%3Fq%3D1`)).body)
  const root = hidden((await (await as('root')).get(`/orders/${order}`)).body)
  const denis = hidden((await (await as('denis')).get(`/orders/${order}`)).body)

  shows(t, 'head and tools for a manager who comes from a list', maria, '.order-header')
  shows(t, 'the way so far and the likely way on', maria, '.order-progress')
  shows(t, 'status and steps for the manager whose turn it is', maria, '.order-next')
  shows(t, 'status and steps for a dealer who cannot make any', denis, '.order-next')
  shows(t, 'details for the manager', maria, '.record-aside > section:last-child')
  shows(t, 'lines with what they cost', maria, '.record-main > section:first-child')
  shows(t, 'payments for whoever decides of them', root, '#payments')
  shows(t, 'documents for the manager', maria, '#documents')
  shows(t, 'discussion for the manager', maria, '#discussion')
  shows(t, 'discussion for whoever reads the history', root, '#timeline')
})
