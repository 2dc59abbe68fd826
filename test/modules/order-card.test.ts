import { eq } from 'drizzle-orm'
import t from 'tap'
import { orderItems, orders, users } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { startCabinet } from '../support/cabinet.ts'
import { type Name, revoke } from '../support/cast.ts'
import { parseHtml } from '../support/html.ts'
import { insertProduct, useCatalog } from '../support/products.ts'

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
    ['Company', 'Alpha Windows', `/company/edit/${cast.companies.alpha}?tab=overview`],
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

t.test('each field of the form of an order is called what it is, in its group', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const line = { order_id: cast.order, name: 'Door', category_id: cast.category, quantity: 1, price: 1, discount: 0 }
  db.insert(orderItems).values(line).run()
  const maria = await as('maria')
  const words = (text: string | undefined) => text?.trim().replace(/\s+/g, ' ') ?? ''
  const groups = async () => {
    const $ = parseHtml((await maria.get(`/orders/edit/${cast.order}`)).body)
    const of = (group: Parameters<typeof $>[0]) =>
      $(group)
        .find('label.form-label[for]')
        .toArray()
        .map((label) => `${label.attribs.for}: ${words($(label).text())}`)
    const all = $('.record-form .field-group').toArray()
    return Object.fromEntries(all.map((group) => [words($(group).find('legend, summary').first().text()), of(group)]))
  }
  const usual = {
    'Order lines': [
      'items.0.category_id: Category *',
      'items.0.name: Product *',
      'items.0.quantity: Quantity *',
      'items.0.price: Price *',
      'items.0.remark: Remark',
    ],
    Customer: ['receiver: Customer full name', 'phone: Phone', 'email: Email', 'comment: Comment'],
    'Delivery and payment': ['delivery: Delivery method', 'address: Address', 'payment: Payment type'],
    'Production and dates': [
      'sn: Serial number',
      'date_payment: Payment date',
      'date_make: Production date',
      'date_delivery: Delivery date',
      'external_id: External ID',
    ],
    Documents: ['specification: Specification', 'invoice: Invoice'],
  }
  t.match(await groups(), usual)
  insertProduct(db, { article: 'H-1' })
  useCatalog(db)
  db.update(users).set({ discount_limit: 10 }).where(eq(users.id, cast.maria)).run()
  db.update(orderItems)
    .set({ product_id: 1, article: 'H-1', basis: 'area', unit: 'm2', width: 1, height: 2, piece_price: 1, price_origin: 'list' })
    .run()
  const { 'Order lines': lines, 'Agreed discount': agreed } = await groups()
  t.same(lines, [
    'items.0.product_id: Catalog product *',
    'items.0.width: Width, mm *',
    'items.0.height: Height, mm *',
    'items.0.quantity: Quantity *',
    'items.0.remark: Remark',
    'items.0.agreed: Agreed discount, %',
    'items.0.name: Product',
    'items.0.category_id: Category',
    'items.0.price: Price',
  ])
  t.same(agreed, ['agreed: Agreed discount on all products, %', 'agreed_reason: Reason of the agreed discount'])
})
