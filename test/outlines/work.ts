import { sql } from 'drizzle-orm'
import { orderHistory, orderItems, orders } from '../../src/database/schema/index.ts'
import type { Cabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { pagesOf } from '../support/every-page.ts'
import { content, testOutlines } from '../support/outlines.ts'

/** An order with a line, a date, a message of each side, a payment of each state and a product. */
async function work(cabinet: Cabinet) {
  const { as, cast, db } = cabinet
  pagesOf(cabinet)
  // What happened in the same millisecond has no order.
  db.update(orderHistory).set({ at: sql`at + id` }).run()
  const of = { order_id: cast.order, price: 100_050, discount: 0 }
  const product = { product_id: 1, article: 'W-1', basis: 'area', unit: 'm2', width: 1200, height: 900 } as const
  db.insert(orderItems)
    .values([
      { ...of, ...product, name: 'Product W-1', quantity: 1 },
      { ...of, name: 'Window <1>', quantity: 2, category_id: cast.category },
    ])
    .run()
  const filled = { receiver: 'Anna', phone: '+7(999) 111 22 33', address: 'Kazan', date_make: '2020-02-03', date_delivery: '2050-02-03' }
  db.update(orders).set(filled).run()
  await (await as('denis')).post(`/orders/${cast.order}/messages`, { text: 'When?' })
  await (await as('maria')).post(`/orders/${cast.order}/messages`, { text: 'Ask them', internal: '1' })
  const ledger = { kind: 'correction', amount: '12,50', note: 'Rounded', order_id: cast.order }
  await (await as('root')).post(`/company/${cast.companies.alpha}/ledger`, ledger)
  await (await as('maria')).post('/rights/requests', { policy_key: 'dealer_can_view', note: 'For <work>' })
  grant(db, cast.clerk, 'manager_can_view', 'manager_can_edit')
}

testOutlines(
  'orders',
  [
    { as: 'root', get: '/orders/1', part: `head script, ${content}` },
    { as: 'denis', get: '/orders/1' },
    { as: 'maria', get: '/orders/edit/1', part: `head script, ${content}` },
    { as: 'denis', get: '/orders/add' },
    { as: 'root', get: '/orders/board' },
    { as: 'root', get: '/orders/1/sheet', part: 'body' },
    { as: 'root', get: '/orders/delete?id=1', asFragment: true },
    { as: 'root', get: '/orders/1/people?q=pet', asFragment: true },
    { as: 'denis', post: '/orders/add', fields: { items: '', email: 'nobody', 'items[3][name]': '' }, part: '.error-summary, .has-error' },
    { as: 'root', get: '/orders/1?transition_id=10', asFragment: true },
    { as: 'maria', get: '/orders/1?transition_id=10', part: '#step' },
    { as: 'root', get: '/orders/transitions?id=1&transition_id=10' },
    { as: 'root', get: '/orders/edit/1?transition_id=10', part: '.record-form' },
    { as: 'maria', get: '/orders/1?edit=2', part: '#message-2' },
    { as: 'denis', get: '/orders/products?q=w', asFragment: true },
    { as: 'root', get: '/orders/dealers?q=d', asFragment: true },
    { as: 'maria', get: '/', part: '.page-header, section:not(:has(svg.chart))' },
    { as: 'root', get: '/', part: '.page-header, section:not(:has(svg.chart))' },
    { as: 'denis', get: '/', part: '.page-header, section' },
  ],
  work,
)

testOutlines(
  'money',
  [
    { as: 'root', get: '/ledger' },
    { as: 'denis', get: '/ledger' },
    { as: 'root', get: '/ledger/balances?on=2026-01-31' },
    { as: 'maria', get: '/ledger/balances?on=2026-01-31&overdue=1' },
    { as: 'root', get: '/company/1/reconciliation?from=2026-01-01&until=2026-12-31', part: 'body' },
    { as: 'root', get: '/company/edit/1?tab=ledger', part: '.record-card' },
    { as: 'root', get: '/products/edit/1/prices/row?index=7', asFragment: true },
    { as: 'root', get: '/company/edit/1/discounts/row?index=7', asFragment: true },
  ],
  work,
)

testOutlines(
  'workflow',
  [
    { as: 'root', get: '/notifications/latest', asFragment: true },
    { as: 'maria', get: '/notifications/unread', asFragment: true },
  ],
  work,
)

testOutlines(
  'people',
  [
    { as: 'root', get: '/dealers/edit/8' },
    { as: 'root', get: '/dealers/edit/8?tab=invitation', part: '.record-card' },
    { as: 'root', get: '/productions/edit/7?tab=rights', part: '.record-card' },
    { as: 'clerk', get: '/managers/edit/6?tab=access', part: '.record-card' },
    { as: 'root', get: '/rights/requests' },
    { as: 'plain', get: '/rights/requests' },
    { as: 'root', get: '/admins/edit/2?tab=rights', part: '.permission-sets, form:has([name=set])' },
    { as: 'root', get: '/admins/edit/2' },
    { as: 'maria', get: '/rights/requests' },
    { as: 'root', get: '/confirm-identity?next=%2Forders', part: 'title, #main' },
    { as: 'root', get: '/dealers/edit/9?tab=rights', part: '.record-card' },
    { as: 'root', post: '/dealers/edit/9/invitation', fields: {} },
    { as: 'root', get: '/dealers/edit/9?tab=invitation', part: '.record-card' },
    { get: '/password/forgot', part: 'title, #main' },
  ],
  work,
)
