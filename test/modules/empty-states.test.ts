import { eq } from 'drizzle-orm'
import t from 'tap'
import { categories, companies, news, orders, users } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { elementById, elementsOf, errorsOf, fieldOf, parseHtml, textOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'
import { insertProduct } from '../support/products.ts'

const textIn = (html: string, selector: string) => elementsOf(html, selector).map(textOf).join(' ')

t.test('an empty list says what it is for and offers one action; search, filters and tabs come with the first record', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const filled = (await root.get('/orders')).body
  t.equal(elementsOf(filled, 'form.list-search, .list-tabs, .list-tools').length, 3)
  const narrowed = await root.get('/orders?q=nothing')
  t.equal(elementsOf(narrowed.body, 'form.list-search, .list-tabs, .list-tools').length, 3, 'not when only narrowed')
  t.match(textIn(narrowed.body, '.empty'), 'No matches for "nothing"')
  t.notMatch(textIn(narrowed.body, '.empty'), 'customers')
  db.delete(orders).run()
  const empty = (await root.get('/orders')).body
  t.same(elementsOf(empty, 'form.list-search, .list-tabs, .list-tools'), [])
  t.match(textIn(empty, '.empty'), 'Orders that dealers place for their customers appear here')
  t.same(elementsOf(empty, '#main a[href="/orders/add"]').length, 1, 'one action')
  t.match(textIn((await root.get('/orders?q=nothing')).body, '.empty'), /^No orders yet/, 'it is not the search that finds none')
  t.match(textIn((await root.get('/orders', { 'accept-language': 'ru' })).body, '.empty'), 'Здесь появятся заказы')
  t.match(textIn((await (await as('denis')).get('/orders')).body, '.empty'), /^Place your first order Choose products, .* New order/)
  t.ok(cast.denis)
})

t.test('before the first dealer the empty list of orders leads to adding one', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  db.delete(orders).run()
  const root = await as('root')
  const offered = async (name: 'root' | 'plain' = 'root') =>
    elementsOf((await (await as(name)).get('/orders')).body, '.empty a').map((link) => parseHtml(link)('a').attr('href'))
  t.same(await offered(), ['/orders/add'])
  db.update(users).set({ company_id: null }).where(eq(users.group_id, 2)).run()
  t.same(await offered(), ['/dealers/add', '/dealers/import'], 'an order could not be placed')
  t.same(await offered('plain'), [], 'who may add no dealer is offered nothing')
  db.delete(companies).run()
  t.same(await offered(), ['/company/add', '/companies/import'], 'nor the dealer, who belongs to a company')
  db.delete(categories).run()
  t.same(await offered(), ['/categories/add', '/products/import'], 'first of all comes what is ordered, as on the dashboard')
  t.ok(root && cast)
})

t.test('who enters a payment before there is a company reads what is missing and where it is added', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const hint = async () =>
    elementsOf((await root.get('/payments/add')).body, '#company_id-hint a').map((link) => parseHtml(link)('a').attr('href'))
  t.same(await hint(), [])
  db.delete(orders).run()
  db.delete(companies).run()
  t.same(await hint(), ['/company/add'])
})

t.test('board, search and the first page of a dealer offer no order either, before one can be placed', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  db.delete(orders).run()
  const hrefs = async (name: 'root' | 'denis' | 'plain', path: string, selector: string) =>
    elementsOf((await (await as(name)).get(path)).body, selector).map((link) => parseHtml(link)('a').attr('href'))
  const board = () => hrefs('root', '/orders/board', '.empty a')
  const found = () => hrefs('root', '/find?q=new+order', '#found section:first-child a')
  const home = async () => hrefs('denis', '/', 'main .btn-primary')
  t.same([await board(), await found(), await home()], [['/orders/add'], ['/orders/add'], ['/orders/add']])
  db.delete(categories).run()
  t.same([await board(), await found(), await home()], [['/categories/add'], ['/categories/add'], []])
  const why = 'There is nothing to order yet: products are still being entered. Once one is for sale, you can order here.'
  t.match(textIn((await (await as('denis')).get('/')).body, '.first-order'), why)
  t.match(textIn((await (await as('denis')).get('/orders')).body, '.empty'), why, 'in the same words')
  const form = async (name: 'root' | 'denis') => textIn((await (await as(name)).get('/orders/add')).body, '.empty')
  t.equal(await form('denis'), 'No products yet There is nothing to order yet: products are still being entered. Go to dashboard')
  t.equal(
    await form('root'),
    'No products yet An order consists of products. Add a category for them first. Add category Import products Go to dashboard',
  )
  insertProduct(db, { article: 'A-1' })
  t.same(await board(), ['/orders/add'], 'a product with a price is enough')
  t.equal(await form('denis'), '')
  db.update(users).set({ company_id: null }).where(eq(users.group_id, 2)).run()
  t.same([await board(), await found()], [['/dealers/add'], ['/dealers/add']])
  t.equal(
    await form('root'),
    'There are no dealers yet An order is placed for a dealer. Add one first. Add dealer Import dealers Go to dashboard',
  )
  for (const path of ['/orders', '/orders/board']) {
    const said = async (name: 'root' | 'pavel') => textIn((await (await as(name)).get(path)).body, '.empty')
    t.match(await said('root'), 'No orders yet An order is placed for a dealer. Add one first.', `${path} says why`)
    t.match(await said('pavel'), 'No orders yet Orders of your site and warehouse appear here', 'to whom it is open')
  }
  grant(db, cast.plain, 'order_can_add')
  t.same(await hrefs('plain', '/find?q=new+order', '#found a[href$="/add"]'), [], 'who may not add what comes first is offered nothing')
})

t.test('an empty list leads to where what it lists comes from, those who may go there', async (t) => {
  const { as, db } = await startCabinet(t)
  const ways = async (path: string, name: 'root' | 'admin' = 'root') =>
    elementsOf((await (await as(name)).get(path)).body, '.empty a').map((link) => [textOf(link), parseHtml(link)('a').attr('href')])
  t.same(await ways('/outbox'), [['Set up', '/settings?tab=environment']])
  t.same(await ways('/outbox', 'admin'), [], 'the settings are for superadministrators')
  t.same(await ways('/documents'), [['Orders', '/orders']], 'whose steps issue them')
  t.same(await ways('/bin'), [['Change history', '/activity']])
  t.same(await ways('/ledger'), [['Add payment', '/payments/add']])
  const ledger = await (await as('root')).get('/ledger')
  t.notMatch(
    textOf(ledger.body),
    /An amount below zero|Balances|Close period/,
    'before the first entry there is nothing to explain or close',
  )
  db.delete(orders).run()
  t.same(await ways('/documents'), [['New order', '/orders/add']], 'before the first order, that')
  db.update(users).set({ company_id: null }).where(eq(users.group_id, 2)).run()
  t.same(await ways('/documents'), [['Add dealer', '/dealers/add']], 'or what it needs')
})

t.test('a filter that finds nothing says so in its own words; with others, or a search, they are what is cleared', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const said = async (query: string) => textIn((await root.get(`/orders?${query}`)).body, '.empty .empty-title')
  t.equal(await said('overdue=1'), 'No orders are overdue')
  t.equal(await said('unread=1'), 'All messages are read')
  t.equal(await said('overdue=1&open=1'), 'No results')
  t.equal(await said('overdue=1&q=zq'), 'No matches for "zq"')
  t.equal(await said('dealer=1'), 'No results')
  const narrowedBy = async (query: string) =>
    elementsOf((await root.get(`/orders?${query}`)).body, '.empty .tag').map((tag) => [textOf(tag), parseHtml(tag)('a').attr('href')])
  t.same(await narrowedBy('status=99&q=zq'), [['Status: no such value Remove filter', '/orders?q=zq']], 'a tab that is not there, too')
  t.match(await narrowedBy('status=9&open=1'), [
    [/^Status: Canceled/, '/orders?open=1'],
    [/^In progress/, '/orders?status=9'],
  ])
  db.update(orders).set({ status_id: 9 }).run()
  t.equal(await said('waiting=1'), 'All done: nothing waits for you')
})

t.test('the home of a dealer who has not ordered yet leads to the first order', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const home = async (name: 'denis' | 'daria') => (await (await as(name)).get('/')).body
  const primary = (body: string) => elementsOf(body, 'main .btn-primary').map(textOf)
  const his = await home('denis')
  t.notMatch(his, 'first-order-title', 'who has ordered knows how')
  t.same(primary(his), ['New order'])
  const hers = await home('daria')
  t.match(
    textIn(hers, '.first-order'),
    /^Your first order .* Place an order Products and your prices$/,
    'orders of other companies are none of hers',
  )
  t.same(primary(hers), ['Place an order'], 'the one button is that of the card')
  t.notMatch(hers, 'first-products', 'no catalog where there is none')
  const product = insertProduct(db, { article: 'W-1' })
  const offered = async () => elementsOf(await home('daria'), '.first-products li a').map((link) => parseHtml(link)('a').attr('href'))
  t.same(await offered(), [`/products/${product}`])
  t.notMatch(await home('denis'), 'first-products', 'only before the first order')
  t.notMatch(hers, /waiting-title|in-progress-title|finished-title/, 'nothing is said of orders yet')
  revoke(db, cast.daria, 'order_can_view_prices')
  t.same(elementsOf(await home('daria'), '.first-order a').map(textOf), ['Place an order'], 'who reads no prices is led to none')
  t.same(await offered(), [])
  const company = db.select().from(companies).where(eq(companies.id, cast.companies.beta)).get()
  t.match(textIn(await home('daria'), '.first-order .card-header'), company?.org as string)
  grant(db, cast.daria, 'order_can_view_prices')
  revoke(db, cast.daria, 'product_can_view')
  t.same(elementsOf(await home('daria'), '.first-order a').map(textOf), ['Place an order'], 'nor who sees no products')
  insertOrder({ db }, 'completed', { dealer_id: cast.daria, company_id: cast.companies.beta })
  const after = await home('daria')
  t.notMatch(after, 'first-order-title', 'with the first order it is gone')
  t.match(textIn(after, '.caught-up'), "You're all caught up.")
})

t.test('a new order without any dealer of a company leads to adding one', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const withDealers = await root.get('/orders/add')
  t.ok(elementById(withDealers, 'dealer_id'))
  t.notMatch(textOf(withDealers.body), 'There are no dealers yet')
  db.update(users).set({ company_id: null }).where(eq(users.group_id, 2)).run()
  const page = (await root.get('/orders/add')).body
  t.match(textIn(page, '.empty'), 'There are no dealers yet An order is placed for a dealer. Add one first.')
  t.equal(elementsOf(page, '.empty a[href="/dealers/add"]').length, 1)
  t.same(elementsOf(page, '[name=dealer_id]'), [])
  db.delete(companies).run()
  const first = (await root.get('/orders/add')).body
  t.same(
    elementsOf(first, '.empty a').map((link) => parseHtml(link)('a').attr('href')),
    ['/company/add', '/companies/import', '/'],
    'before it a company',
  )
})

t.test('an empty list of people says what they would do', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  db.update(users).set({ group_id: 1 }).run()
  const purposes = {
    dealers: 'Dealers read the news and place orders for the customers of their company.',
    managers: 'Managers look after companies with their dealers and move orders on.',
    productions: 'Production users see the orders of their site, plan dates, and report what is made.',
  }
  for (const [list, purpose] of Object.entries(purposes)) t.match(textIn((await root.get(`/${list}`)).body, '.empty'), purpose, list)
})

t.test('a new product needs a category first, which is said instead of the form', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  t.ok(fieldOf(await root.get('/products/add'), 'category_id'))
  db.delete(categories).run()
  const page = (await root.get('/products/add')).body
  t.match(textIn(page, '.empty'), /^Add a category first .*Add category$/)
  t.equal(elementsOf(page, '.empty a[href="/categories/add"]').length, 1)
  t.same(elementsOf(page, 'main [name=name]'), [])
  for (const policy of ['product_can_view', 'product_can_edit'] as const) grant(db, cast.maria, policy)
  revoke(db, cast.maria, 'category_can_edit')
  const hers = (await (await as('maria')).get('/products/add')).body
  t.match(textIn(hers, '.empty'), 'Ask an administrator to add the first one.')
  t.equal(elementsOf(hers, '.empty a').length, 0)
  t.equal(fieldOf(await root.post('/products/add', { name: 'Kept' }), 'name')?.value, 'Kept', 'what was typed is there all the same')
})

t.test('a new dealer needs a company first, which is said instead of the form; managers without one learn who assigns them', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const maria = await as('maria')
  t.ok(fieldOf(await root.get('/dealers/add'), 'company_id'))
  db.update(companies).set({ manager_id: cast.mikhail }).where(eq(companies.manager_id, cast.maria)).run()
  const hers = (await maria.get('/dealers/add')).body
  t.match(textIn(hers, '.empty'), /^Add a company first .*Add company$/, 'she may register one')
  t.ok(fieldOf(await root.get('/dealers/add'), 'company_id'), 'others have one')
  revoke(db, cast.maria, 'company_can_add')
  t.match(textIn((await maria.get('/dealers/add')).body, '.empty'), 'No companies are assigned to you yet. Administrators assign them.')
  t.equal(elementsOf((await maria.get('/dealers/add')).body, '.empty a, [name=lastname]').length, 0)
  const sent = await maria.post('/dealers/add', { lastname: 'Kept' })
  t.equal(sent.statusCode, 422)
  t.equal(fieldOf(sent, 'lastname')?.value, 'Kept', 'what was typed is there all the same')
  t.ok(errorsOf(sent).company_id)
  db.update(users).set({ company_id: null }).run()
  db.delete(orders).run()
  db.delete(companies).run()
  const page = (await root.get('/dealers/add')).body
  t.match(textIn(page, '.empty'), 'Add a company first Dealers place orders for a company. Add the first one, then the dealer.')
  t.equal(elementsOf(page, '.empty a[href="/company/add"]').length, 1)
  t.same(elementsOf(page, '[name=company_id]'), [])
})

t.test('the home of a manager without companies says who assigns them', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const said = async (name: 'maria' | 'mikhail' | 'root') => textIn((await (await as(name)).get('/')).body, '.empty')
  t.equal(await said('maria'), '')
  db.update(companies).set({ manager_id: cast.mikhail }).run()
  t.match(await said('maria'), 'No companies are assigned to you yet Add one, or ask an administrator')
  t.equal(await said('mikhail'), '')
  t.equal(await said('root'), '', 'administrators manage none')
  for (const list of ['companies', 'dealers', 'orders', 'payments'])
    t.match(textIn((await (await as('maria')).get(`/${list}`)).body, '.empty'), 'No companies are assigned to you yet', list)
  t.match(await said('maria'), 'Whom to ask: Root Olga')
  t.match(textIn((await (await as('maria')).get('/')).body, '.empty'), /Add company$/, 'or she registers one')
  revoke(db, cast.maria, 'company_can_add')
  t.match(await said('maria'), 'No companies are assigned to you yet Administrators assign them.')
  t.notMatch(await said('maria'), 'Add company')
  grant(db, cast.maria, 'company_can_view')
  t.match(await said('maria'), /^No orders yet/, 'who sees all companies lacks none')
})

t.test('a new manager gets the permission set of managers, unless another one is chosen', async (t) => {
  const { as } = await startCabinet(t)
  const root = await as('root')
  const chosen = async (path: string) => textOf(parseHtml((await root.get(path)).body)('[name=permission_set] option[selected]').text())
  t.equal(await chosen('/managers/add'), 'Manager')
  t.equal(await chosen('/admins/add'), '')
})

t.test('empty journals have a sentence of their own, a faint sketch and one way on, for whoever may go there', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const ways = async (path: string, browser = root) => {
    const { body } = await browser.get(path)
    t.equal(elementsOf(body, '.sketch').length, 1, path)
    return elementsOf(body, '.empty a').map((link) => [textOf(link), parseHtml(link)('a').attr('href')])
  }
  const denis = await as('denis')
  const toSettings = ['Notification settings', '/profile#mail_statuses']
  t.same(await ways('/notifications', denis), [toSettings])
  t.ok(fieldOf(await denis.get('/profile'), 'mail_statuses'), 'it leads to a field that there is')
  t.same(await ways('/rights/requests'), [])
  t.same(await ways('/jobs'), [], 'what takes long begins elsewhere, in many ways')
  t.same(await ways(`/managers/edit/${cast.plain}?tab=security-log`), [['Security log', '/security-log']])
})

t.test('the news of a dealer, while there are none, have a sketch and say what comes', async (t) => {
  const { as, db } = await startCabinet(t)
  db.delete(news).run()
  const { body } = await (await as('denis')).get('/news')
  t.equal(elementsOf(body, '#news-grid .sketch').length, 1)
  t.match(textIn(body, '#news-grid .empty'), 'No news yet News from the manufacturer appears here: prices, products, and events.')
})

t.test('what is rarely filled in on forms is folded until something stands there', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const folded = async (path: string) => elementsOf((await root.get(path)).body, 'details.is-folded > summary').map(textOf)
  t.same(await folded(`/dealers/edit/${cast.denis}`), ['Other programs'])
  t.same(await folded('/orders/add'), ['Production and dates', 'Documents'])
  t.same(await folded(`/orders/edit/${cast.order}`), ['Documents'])
  t.same(await folded(`/managers/edit/${cast.plain}`), ['Agreed discounts'])
  t.match(await folded(`/company/edit/${cast.companies.alpha}`), ['Other programs'])
  db.update(users).set({ external_id: 'd-1' }).where(eq(users.id, cast.denis)).run()
  t.same(await folded(`/dealers/edit/${cast.denis}`), [])
})

t.test('each empty page says what will stand there to whoever reads it', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const said = async (name: Name, path: string) => textIn((await (await as(name)).get(path)).body, '.empty')
  grant(db, cast.denis, 'product_can_view', 'order_can_view_prices')
  db.delete(orders).run()
  const texts: [Name, string, string][] = [
    ['denis', '/payments', 'No payments yet There is nothing to pay before your first order. New order'],
    ['denis', '/ledger', 'No entries yet What your orders cost and what you have paid appear here, with what is left to pay. New order'],
    ['denis', '/documents', 'Files that are attached to orders are on their pages. New order'],
    ['denis', '/products', 'No products yet What you can order appears here, with your prices, once products are for sale.'],
    ['maria', '/ledger', 'No entries yet What your companies owe and have paid appears here.'],
    ['pavel', '/documents', 'Files that are attached to orders are on their pages.'],
    ['maria', '/orders', 'No orders yet Orders of your companies appear here: what waits for you, and how far each has come. New order'],
    ['maria', '/', 'No orders yet Orders of your companies appear here: what waits for you, and how far each has come.'],
    ['pavel', '/orders', 'No orders yet Orders of your site and warehouse appear here: what is to be made, and by when.'],
    ['pavel', '/', 'No orders yet Orders of your site and warehouse appear here: what is to be made, and by when.'],
    ['root', '/payments', 'No payments yet Payments that dealers report wait here for your confirmation. Add payment'],
  ]
  for (const [name, path, text] of texts) t.match(await said(name, path), text, `${name} ${path}`)
  const order = db.insert(orders).values({ dealer_id: cast.denis, company_id: cast.companies.alpha }).returning().get()
  const whatIsPaid = 'Payments for your orders appear here: those that you report, and those that arrive. Add payment'
  t.match(await said('denis', '/payments'), whatIsPaid, 'with an order there is something to pay')
  db.delete(orders).where(eq(orders.id, order.id)).run()
  t.notMatch((await (await as('pavel')).get('/')).body, 'all caught up', 'nor is it said that nothing waits')
  db.update(users).set({ stock_id: null, manufacture_id: null }).where(eq(users.id, cast.pavel)).run()
  for (const path of ['/', '/orders'])
    t.match(await said('pavel', path), 'Your workplace is not set yet You are assigned to no production site', path)
  t.match(await said('pavel', '/stocks'), 'Your warehouse is not set yet Administrators say')
  db.update(users).set({ company_id: null }).run()
  db.delete(companies).run()
  t.match(await said('root', '/payments'), 'A payment is of a company. Add one first. Add company', 'nobody pays before there is a company')
  t.match(await said('root', '/documents'), 'An order belongs to a company. Add one first. Add company', 'nor is anything issued')
})
