import { eq } from 'drizzle-orm'
import t from 'tap'
import { orders } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/web/view/format.ts'
import { startCabinet } from '../support/cabinet.ts'
import { type Name, revoke } from '../support/cast.ts'
import { parseHtml } from '../support/html.ts'

t.test('the head of the form of an order says what it is about, and leads to whom one may open', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const created_at = new Date(2026, 0, 15, 12, 30).getTime()
  const facts = { created_at, status_since: created_at + 86_400_000, updated_at: created_at + 2 * 86_400_000 }
  db.update(orders)
    .set({ ...facts, specification_number: 4711, cost: 123_400 })
    .where(eq(orders.id, cast.order))
    .run()
  const head = async (name: Name) => {
    const $ = parseHtml((await (await as(name)).get(`/orders/edit/${cast.order}`)).body)
    const terms = $('.record-facts dt').toArray()
    return terms.map((term) => {
      const value = $(term).next('dd')
      return [$(term).text().trim(), value.text().trim().replace(/\s+/g, ' '), value.find('a').attr('href')]
    })
  }
  const created = ['Created', formatDateTime(created_at), undefined]
  t.same(await head('maria'), [
    ['Cost', '1 234,00 ₽', undefined],
    ['Specification No.', '4711', undefined],
    ['Company', 'Alpha Windows', `/companies/${cast.companies.alpha}`],
    ['Dealer', 'Denisov Denis', `/dealers/edit/${cast.denis}`],
    created,
  ])
  revoke(db, cast.denis, 'order_can_view_prices')
  t.same(await head('denis'), [
    ['Specification No.', '4711', undefined],
    ['Company', 'Alpha Windows', undefined],
    ['Dealer', 'Denisov Denis', undefined],
    created,
  ])
})
