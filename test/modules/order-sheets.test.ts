import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, orderItems, orders, settings } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { elementsOf, parseHtml, textOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'

const own = { name: 'The makers', legal_name: 'Makers LLC', inn: '5001', kpp: '500101', signatory: 'Bossov B. B.' }
const legal = {
  inn: '7701',
  kpp: '770101',
  ogrn: '1027700',
  legal_address: 'Moscow, Arbat 1',
  bank: 'A bank',
  bik: '044525225',
  rs: '40702',
  cs: '30101',
  phone: '+7(495) 111 22 33',
  email: 'alpha@example.com',
  contract_number: 'A-17',
}
const director = { director_name_full: 'Sergeev Sergey Sergeevich', director_name_short: 'Sergeev S. S.' }
const customer = { receiver: 'Anna Karenina', phone: '+7(999) 123 45 67', email: 'anna@example.com', comment: 'Second floor' }
const dates = { sn: '77', date_payment: '2026-11-30', date_make: '2026-12-31', date_delivery: '2027-02-01' }

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { cast, db, as } = cabinet
  db.update(settings).set(own).run()
  const places = { manufacture_id: cast.site, stock_id: cast.stock }
  db.update(companies)
    .set({ ...legal, ...director, ...places })
    .where(eq(companies.id, cast.companies.alpha))
    .run()
  db.update(orders)
    .set({
      ...customer,
      ...dates,
      delivery: 'address',
      address: 'Main street 5',
      payment: 'transfer',
      specification_number: 1003,
      cost: 3_701_00,
    })
    .where(eq(orders.id, cast.order))
    .run()
  const line = (name: string, values: object) => ({ order_id: cast.order, name, ...values }) as typeof orderItems.$inferInsert
  db.insert(orderItems)
    .values([
      line('Window', { category_id: cast.category, quantity: 3, price: 1_000_00, discount: 10 }),
      line('A door', { quantity: 2, price: 500_50, discount: 0 }),
    ])
    .run()
  const sheet = async (name: 'sheet' | 'work-sheet', who: 'maria' | 'denis' = 'maria') =>
    (await (await as(who)).get(`/orders/${cast.order}/${name}`)).body
  return { ...cabinet, sheet }
}

const textsOf = (html: string, selector: string) => elementsOf(html, selector).map(textOf)
const rowsOf = (html: string) => elementsOf(html, 'tbody tr').map((row) => elementsOf(row, 'td').map(textOf))

t.test('the order sheet shows each line with its amount, and what they come to', async (t) => {
  const { sheet, db, cast } = await start(t)
  const body = await sheet('sheet', 'denis')
  t.same(rowsOf(body), [
    ['1', 'Window', '3', '1 000,00 ₽', '10%', '2 700,00 ₽'],
    ['2', 'A door', '2', '500,50 ₽', '—', '1 001,00 ₽'],
  ])
  t.same(textsOf(body, 'tfoot tr'), ['Subtotal 4 001,00 ₽', 'Discount −300,00 ₽', 'Total 3 701,00 ₽'])
  t.match(textsOf(body, 'main')[0], new RegExp(`^Order sheet #${cast.order} Specification No\\. 1003 · `))
  t.equal(parseHtml(body)('title').text(), `Order sheet #${cast.order} · The makers`, 'the name of the tab and of a saved file')
  t.equal(parseHtml(body)('.sheet-tools a').attr('href'), `/orders/${cast.order}`)
  t.match(textsOf(body, '.sheet-tools a'), [`Order #${cast.order}`])
  db.update(orderItems).set({ discount: 0 }).run()
  db.update(orders).set({ cost: 4_001_00, specification_number: null }).where(eq(orders.id, cast.order)).run()
  const plain = await sheet('sheet')
  t.same(textsOf(plain, 'tfoot tr'), ['Total 4 001,00 ₽'], 'without a discount none is mentioned')
  t.notMatch(textOf(plain), 'Specification No.')
})

t.test('the order sheet names both parties with their details, the manager and who signs', async (t) => {
  const { sheet, db, cast, as } = await start(t)
  const parties = async () => textsOf(await sheet('sheet'), '.sheet-parties section')
  const supplier = 'Supplier Makers LLC INN 5001 KPP 500101'
  const [ours, theirs] = await parties()
  t.equal(ours, `${supplier} Manager: Petrova Maria Ivanovna, maria@example.com`)
  t.match(theirs, /^Customer company Alpha Windows INN 7701 KPP 770101 OGRN 1027700 .*Moscow, Arbat 1 .*A bank .*044525225 .*40702 .*30101/)
  t.match(theirs, /\+7\(495\) 111 22 33 .*alpha@example\.com .*A-17$/)
  const root = await as('root')
  const signatures = async () => textsOf((await root.get(`/orders/${cast.order}/sheet`)).body, '.sheet-signatures > div')
  t.same(await signatures(), ['Supplier Signature / Bossov B. B.', 'Customer company Signature / Sergeev S. S.'])

  const ofAlpha = eq(companies.id, cast.companies.alpha)
  db.update(companies).set({ director_name_short: null, manager_id: null }).where(ofAlpha).run()
  db.update(settings).set({ legal_name: null, signatory: null }).run()
  t.same(await signatures(), ['Supplier Signature', 'Customer company Signature / Sergeev Sergey Sergeevich'])
  const [without] = textsOf((await root.get(`/orders/${cast.order}/sheet`)).body, '.sheet-parties section')
  t.equal(without, 'Supplier The makers INN 5001 KPP 500101 Manager: Petrova Maria Ivanovna, maria@example.com', "the dealer's manager")
})

t.test('the terms are those of the customer, delivery and dates; the manager is not among them', async (t) => {
  const { sheet } = await start(t)
  const terms = textsOf(await sheet('sheet'), '.sheet-terms > div')
  t.same(terms, [
    'Customer full name Anna Karenina',
    'Phone +7(999) 123 45 67',
    'Email anna@example.com',
    'Comment Second floor',
    'Delivery method Delivery to address',
    'Address Main street 5',
    'Payment type Bank transfer',
    'Deferred payment No',
    'Serial number 77',
    'Payment date 30.11.2026',
    'Production date 31.12.2026',
    'Delivery date 01.02.2027',
    'Warehouse North stock',
    'Production site First site',
  ])
})

t.test('the work sheet has what is to be made, for whom and when, without a price', async (t) => {
  const { sheet, db, cast } = await start(t)
  const body = await sheet('work-sheet')
  t.same(rowsOf(body), [
    ['1', 'Window', 'Windows', '3', ''],
    ['2', 'A door', '—', '2', ''],
  ])
  t.same(textsOf(body, 'tfoot tr'), ['Total 5'])
  t.equal(parseHtml(body)('title').text(), `Work sheet #${cast.order} · The makers`)
  t.equal(parseHtml(body)('.sheet-tools a').attr('href'), `/orders/${cast.order}`)
  t.match(textsOf(body, 'main')[0], `Work sheet #${cast.order} Specification No. 1003 · Alpha Windows`)
  t.same(textsOf(body, '.sheet-terms > div'), [
    'Serial number 77',
    'Production site First site',
    'Warehouse North stock',
    'Production date 31.12.2026',
    'Delivery date 01.02.2027',
    'Customer full name Anna Karenina',
    'Phone +7(999) 123 45 67',
    'Delivery method Delivery to address',
    'Address Main street 5',
  ])
  t.match(textOf(body), 'Comment Second floor')
  t.notMatch(body, /₽|\d,\d\d\b|10\s%/)
  db.update(orders).set({ sn: null, date_make: null, date_delivery: null, comment: null }).where(eq(orders.id, cast.order)).run()
  t.same(textsOf(await sheet('work-sheet'), '.sheet-terms > div').slice(0, 5), [
    'Serial number',
    'Production site First site',
    'Warehouse North stock',
    'Production date',
    'Delivery date',
  ])
})

t.test('the work sheets of ticked orders are one document, a sheet each, in the order of the list and without a price', async (t) => {
  const cabinet = await start(t)
  const { db, cast, as } = cabinet
  const { alpha, beta } = cast.companies
  const other = insertOrder(cabinet, 'production', { dealer_id: cast.denis, company_id: alpha, date_make: '2026-12-01', cost: 77_777_77 })
  db.insert(orderItems).values({ order_id: other, name: 'A gate', quantity: 7, price: 11_111_11, discount: 15 }).run()
  const foreign = insertOrder(cabinet, 'production', { dealer_id: cast.daria, company_id: beta })
  const pavel = await as('pavel')
  const answer = await pavel.get(`/orders/work-sheets?id=${other}&id=${cast.order}&sort=date_make&dir=asc`)
  t.equal(answer.statusCode, 200)
  const sheets = elementsOf(answer.body, '.sheet-document')
  t.same(
    sheets.map((sheet) => textsOf(sheet, 'h1')[0]),
    [`Work sheet #${other}`, `Work sheet #${cast.order}`],
  )
  t.same(
    sheets.map((sheet) => rowsOf(sheet).map((cells) => cells[1])),
    [['A gate'], ['Window', 'A door']],
    'each has its own lines',
  )
  t.same(
    sheets.map((sheet) => textsOf(sheet, 'tfoot tr')),
    [['Total 7'], ['Total 5']],
  )
  t.notMatch(answer.body, /₽|\d,\d\d\b|1[05]\s%|7777777|1111111/)
  t.equal(parseHtml(answer.body)('.sheet-tools a').attr('href'), '/orders', 'and back to the list as production sees it at first')
  t.same(textsOf(answer.body, '.sheet-tools a'), ['Orders'])
  t.equal(parseHtml(answer.body)('title').text(), 'Work sheets · The makers')
  const all = await pavel.get('/orders/work-sheets?all=1&date_make_until=2026-12-01')
  t.same(textsOf(all.body, '.sheet-document h1'), [`Work sheet #${other}`], 'all results of a list')

  t.equal((await pavel.get(`/orders/work-sheets?id=${other}&id=${foreign}`)).statusCode, 403, 'one that is not visible refuses all')
  t.equal((await pavel.get(`/orders/work-sheets?id=${other}&id=999`)).statusCode, 404)
  t.equal((await pavel.get('/orders/work-sheets')).statusCode, 422, 'nothing is ticked')
  const denis = await as('denis')
  t.equal((await denis.get(`/orders/work-sheets?id=${other}`)).statusCode, 200, 'whoever sees an order may print it')
  const inRussian = await denis.get(`/orders/work-sheets?id=${other}`, { 'accept-language': 'ru' })
  t.same(textsOf(inRussian.body, '.sheet-document h1'), [`Наряд на производство № ${other}`])
  const ids = Array.from({ length: 199 }, () => insertOrder(cabinet, 'production', { dealer_id: cast.denis, company_id: alpha }))
  const tooMany = await pavel.get('/orders/work-sheets?all=1&released=all')
  t.equal(tooMany.statusCode, 422, '201 are too many')
  t.match(textOf(tooMany.body), 'Print up to 200 work sheets at a time')
  db.delete(orders)
    .where(eq(orders.id, ids[0] as number))
    .run()
  t.equal(elementsOf((await pavel.get('/orders/work-sheets?all=1&released=all')).body, '.sheet-document').length, 200)
})

t.test('work sheets are offered above the list to those who make or sell, not to dealers', async (t) => {
  const { as } = await start(t)
  const offered = async (name: 'pavel' | 'maria' | 'root' | 'denis') =>
    elementsOf((await (await as(name)).get('/orders?released=all')).body, '#orders-bulk button[formaction="/orders/work-sheets"]').length >
    0
  t.same([await offered('pavel'), await offered('maria'), await offered('root'), await offered('denis')], [true, true, true, false])
})
