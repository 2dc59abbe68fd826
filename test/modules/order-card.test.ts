import { eq } from 'drizzle-orm'
import t from 'tap'
import { orderItems, orders, users } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { elementsOf, parseHtml } from '../support/html.ts'
import { insertProduct, useCatalog } from '../support/products.ts'

t.test('the form of an order has the heading of its page, and leads to the company one may open', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  db.update(orders).set({ specification_number: 4711, receiver: 'Anna' }).where(eq(orders.id, cast.order)).run()
  const head = async (name: Name, address: string) => {
    const { body } = await (await as(name)).get(address)
    return [elementsOf(body, 'h1'), elementsOf(body, '.record-lead')].map(String)
  }
  const [heading, lead] = await head('maria', `/orders/${cast.order}`)
  t.match(lead, /company\/edit.*Alpha Windows.*Anna.*4711/s)
  for (const tab of ['', '?tab=history']) t.same(await head('maria', `/orders/edit/${cast.order}${tab}`), [heading, lead])
  t.notMatch((await head('denis', `/orders/edit/${cast.order}`))[1], 'Alpha')
})

t.test('all that can be changed of an order: its dealer first, as in a new one, and nothing that cannot', async (t) => {
  const { as, cast } = await startCabinet(t)
  const address = `/orders/edit/${cast.order}`
  const groups = async (name: Name) => {
    const $ = parseHtml((await (await as(name)).get(address)).body)
    const titles = $('.record-form .field-group').toArray()
    return titles.map((group) => $(group).find('legend, summary').first().text().trim())
  }
  t.same((await groups('root')).slice(0, 3), ['Dealer', 'Order lines', 'Customer'])
  t.notOk((await groups('maria')).includes('Dealer'), 'a manager gives it to no other dealer')
  const $ = parseHtml((await (await as('maria')).get(address)).body)
  t.equal($('[name=dealer_id]').attr('disabled'), 'disabled')
  t.equal($('.order-transitions').attr('open'), undefined, 'steps are folded')
  t.equal($('.save-bar a').attr('href'), `/orders/${cast.order}`, 'whoever changes nothing goes back to the page')
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
  const { 'Order lines': lines, 'Discount on all products': agreed } = await groups()
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
