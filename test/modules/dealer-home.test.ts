import { inArray } from 'drizzle-orm'
import t from 'tap'
import { news, orders, payments } from '../../src/database/schema/index.ts'
import { today } from '../../src/i18n/format.ts'
import { settleOrder } from '../../src/modules/ledger/book.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { attributesOf, elementsOf, textOf } from '../support/html.ts'
import { insertPayment, payOrder } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { cast, db, as } = cabinet
  db.delete(orders).run()
  const home = async (name: Name) => (await (await as(name)).get('/')).body
  return { ...cabinet, home, of: { dealer_id: cast.denis, company_id: cast.companies.alpha } }
}

t.test('what waits for a dealer stands first, then what is in progress, money and contacts, and last what is finished', async (t) => {
  const cabinet = await start(t)
  const { db, home, of } = cabinet
  for (const status of ['new', 'apply', 'completed']) insertOrder(cabinet, status, of)
  const due = insertOrder(cabinet, 'payment', { ...of, cost: 500_00, due_since: today() })
  settleOrder(db, due, { id: null, name: 'System' })
  db.insert(news)
    .values({ name: 'New colors', published: true, created_at: 1 } as never)
    .run()
  const headings = elementsOf(await home('denis'), '.dashboard h2').map((heading) => textOf(heading).replace(/ \d+$/, ''))
  t.same(headings, ['Waiting for you', 'Orders in progress', 'Ledger', 'Your manager', 'News', 'Finished orders'])
})

t.test('a finished order whose payment the dealer may confirm stands there alone', async (t) => {
  const cabinet = await start(t)
  const { db, cast, home, of } = cabinet
  const [paid, other] = [insertOrder(cabinet, 'completed', { ...of, cost: 500_00 }), insertOrder(cabinet, 'completed', of)]
  insertPayment(db, paid)
  const finished = async () =>
    elementsOf(await home('denis'), '.order-lines[aria-label="Finished orders"] a.order-line')
      .map((line) => textOf(line))
      .sort()
  t.same(await finished(), [`#${paid}`, `#${other}`].sort())
  grant(db, cast.denis, 'payment_can_confirm')
  t.same(await finished(), [`#${other}`])
})

t.test('an order that waits for its payment says how much is to be paid, to dealers who see prices', async (t) => {
  const cabinet = await start(t)
  const { db, cast, home, of } = cabinet
  const due = insertOrder(cabinet, 'payment', { ...of, cost: 500_00, due_since: today() })
  insertOrder(cabinet, 'new', { ...of, cost: 700_00 })
  settleOrder(db, due, { id: null, name: 'System' })
  const shown = async (name: Name) => elementsOf(await home(name), '.order-lines li').map((line) => elementsOf(line, '.is-to-pay')[0])
  const amounts = async () => (await shown('denis')).map((one) => one && Number(attributesOf(one)['data-kopecks']))
  t.strictSame(await amounts(), [500_00, undefined])
  t.equal(textOf((await shown('denis'))[0] ?? ''), '500,00 ₽ to pay')
  payOrder(db, due, 100_00, today())
  t.strictSame(await amounts(), [400_00, undefined], 'without what is paid')
  const reported = [insertPayment(db, due, { amount: 150_00 }), insertPayment(db, due, { amount: 50_00 })]
  t.strictSame(await amounts(), [200_00, undefined], 'and without what is reported')
  reported.push(insertPayment(db, due, { amount: 200_00 }))
  t.strictSame(await amounts(), [undefined, undefined])
  db.delete(payments).where(inArray(payments.id, reported)).run()
  const rejected = async () => elementsOf(await home('denis'), '.order-lines li').map((line) => textOf(line).includes('Payment rejected'))
  const refused = insertPayment(db, due, { amount: 150_00, state: 'rejected' })
  t.same(await rejected(), [true, false], 'that money did not come is said, too')
  const later = insertPayment(db, due, { amount: 150_00 })
  t.same(await rejected(), [false, false], 'until it is reported again')
  db.delete(payments)
    .where(inArray(payments.id, [refused, later]))
    .run()
  revoke(db, cast.denis, 'order_can_view_prices')
  t.strictSame(await amounts(), [undefined, undefined])
  grant(db, cast.denis, 'order_can_view_prices')
  t.strictSame(await amounts(), [400_00, undefined])
  const hers = elementsOf(await home('maria'), '.is-to-pay')
  t.equal(hers.length, 0, 'managers do not pay')
})
