import { eq, gt } from 'drizzle-orm'
import t from 'tap'
import {
  changes,
  orderHistory,
  orderItems,
  orderMessageFiles,
  orderMessages,
  orders,
  uploads,
  userPolicies,
} from '../../src/database/schema/index.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { submitForm } from '../support/files.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder, setOrder, statusId } from '../support/orders.ts'
import { recordedOutlines } from '../support/outlines.ts'

const { shows } = recordedOutlines('order-states')
const at = new Date(2020, 2, 1, 12, 30).getTime()
const minute = 60_000

t.test('states of the page of an order', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  const [maria, root, denis] = [await as('maria'), await as('root'), await as('denis')]
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha, created_at: at }
  const order = setOrder(cabinet, 'apply', { created_at: at })
  const [before, after] = [insertOrder(cabinet, 'apply', of), insertOrder(cabinet, 'apply', of)]
  const list = `back=${encodeURIComponent('?sort=id&dir=asc')}`
  const between = (await maria.get(`/orders/${before}?${list}`)).body
  shows(t, 'an order between two of its list', between, '.order-tools > a, .order-steps input')
  shows(
    t,
    'an order after the one that was moved',
    (await maria.get(`/orders/${before}?${list}&next=${after}`)).body,
    '.order-tools > a, .order-steps',
  )
  shows(
    t,
    'an order of nobody',
    (await root.get(`/orders/${insertOrder(cabinet, 'new', { company_id: cast.companies.nobodys })}`)).body,
    '.phone-fold, .order-people',
  )
  shows(t, 'an order without a history', between, '#timeline')
  shows(t, 'whom a manager may mention', (await maria.get(`/orders/${order}/people`, htmx)).body, ':root')

  const picture = new File(
    [Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')],
    'Plan.png',
  )
  await submitForm(maria, `/orders/${order}/documents`, [['specification', picture]])
  db.update(uploads).set({ at }).run()
  db.update(changes)
    .set({ at: at + 3 * minute })
    .run()
  const key = db.select().from(orders).where(eq(orders.id, order)).get()?.specification as string
  const said = { order_id: order, author_id: cast.denis, author_name: 'Denisov Denis', author_group: 2, text: '' }
  db.insert(orderMessages)
    .values({ ...said, at, text: 'A plan', impersonator_name: 'Root Olga' })
    .run()
  const file = { message_id: 1, file: key, size: 3_000_000 }
  db.insert(orderMessageFiles)
    .values([
      { ...file, name: 'Plan.png' },
      { ...file, name: 'Plan.zip' },
    ])
    .run()
  const step = {
    order_id: order,
    from_name: 'New',
    to_status_id: statusId('apply'),
    to_name: 'Awaiting signing',
    actor_name: 'Petrova Maria',
  }
  db.insert(orderHistory)
    .values([
      { ...step, from_name: null, at: at - minute },
      { ...step, at: at + minute, transition_id: 1, undone_at: at, impersonator_name: 'Root Olga', exceed_reason: 'Trusted' },
      { ...step, at: at + 2 * minute, undoes_id: 2 },
    ])
    .run()
  await maria.post(`/orders/${order}/dates`, { date_make: '2021-01-10', reason: 'The glass is late' })
  db.update(changes)
    .set({ at: at + 4 * minute })
    .where(gt(changes.at, at + 4 * minute))
    .run()
  const page = async (browser: typeof maria, query = '') => (await browser.get(`/orders/${order}${query}`)).body.replaceAll(key, 'KEY')
  shows(t, 'messages with files, undone steps and reasons', await page(root), '#timeline, #documents')
  shows(t, 'a message that is changed', await page(denis, '?edit=1'), '[data-message="1"]')
  const tooLong = await denis.post(`/orders/${order}/messages/1`, { text: 'x'.repeat(10_001) })
  shows(t, 'a change that was refused', tooLong.body.replaceAll(key, 'KEY').replace(/x{9999,}/, 'TOO MUCH'), '[data-message="1"]')
  const refused = await submitForm(maria, `/orders/${order}/messages`, [
    ['text', ''],
    ['internal', '1'],
    ['files', new File([], 'Empty.txt')],
  ])
  shows(t, 'a message that was refused', refused.body, '.composer')
  shows(
    t,
    'the history of an order',
    (await root.get(`/orders/edit/${order}?tab=history`)).body.replaceAll(/\d\d\.\d\d\.20(?!20)\d\d \d\d:\d\d/g, 'WHEN'),
    '.timeline',
  )
  db.update(orders).set({ cost: 100_00 }).where(eq(orders.id, order)).run()
  insertPayment(db, order, { amount: 250_00 })
  await root.post('/payments/1/confirm')
  db.insert(orderItems).values({ order_id: order, name: 'Gate', quantity: 1, price: 120_00, discount: 0, vat: '20' }).run()
  shows(t, 'an order that is overpaid', await page(denis), '.order-amount, .order-lines tfoot')
  db.insert(orderMessages)
    .values(Array.from({ length: 51 }, (_, index) => ({ ...said, at: at + index, text: `Message ${index}` })))
    .run()
  shows(t, 'the beginning of a long discussion', await page(denis), '#timeline > li:nth-child(-n+3)')
})

t.test('steps that are made on the page of each order, and lists that have changed', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  const maria = await as('maria')
  const first = setOrder(cabinet, 'apply')
  const second = insertOrder(cabinet, 'apply', { dealer_id: cast.denis, company_id: cast.companies.alpha })
  db.insert(orderItems).values({ order_id: first, name: 'Gate', quantity: 1, price: null, discount: 0 }).run()
  const ask = async (query: string) => (await maria.get(`/orders/transitions?${query}&transition_id=2`)).body
  shows(t, 'one of two is moved alone', await ask(`id=${first}&id=${second}`), '.confirm')
  shows(t, 'one is moved on its page', await ask(`id=${first}`), '.confirm')
  const changed = await maria.post('/orders/transitions', { all: 1, seen: 'of old', transition_id: 11 })
  shows(t, 'a list that has changed', changed.body, '.confirm > h1, .confirm > .alert')
})

t.test('the test of the workflow', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const order = setOrder(cabinet, 'apply')
  const attempt = async (query: string) => (await root.get(`/orders/try?${query}`)).body
  shows(t, 'a way of an order', await attempt(`order=${order}&role=manager&way=2&way=3&way=4`), 'main > :not([aria-live])')
  shows(t, 'an order that is unknown, in the role of a dealer', await attempt('order=999&role=dealer'), '#dry-run')
  shows(t, 'a way to the end', await attempt('role=administrator&way=10'), '#dry-run')
})

t.test('what waits beside orders, and a dashboard of nothing', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  insertPayment(db, cast.order)
  grant(db, cast.maria, 'payment_can_confirm')
  shows(t, 'tasks of a manager', (await (await as('maria')).get('/')).body, '.pending-tasks')
  db.delete(userPolicies).where(eq(userPolicies.user_id, cast.clerk)).run()
  shows(t, 'an administrator without rights', (await (await as('clerk')).get('/')).body, 'main > .empty')
})
