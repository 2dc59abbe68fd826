import { eq } from 'drizzle-orm'
import t from 'tap'
import { orders, users } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { elementById, elementsOf, textOf } from '../support/html.ts'

const textIn = (html: string, selector: string) => elementsOf(html, selector).map(textOf).join(' ')

t.test('an empty list says what it is for and offers one action; search, filters and tabs come with the first record', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const filled = (await root.get('/orders')).body
  t.equal(elementsOf(filled, 'form.list-search, .list-tabs, .list-tools').length, 3)
  db.delete(orders).run()
  const empty = (await root.get('/orders')).body
  t.same(elementsOf(empty, 'form.list-search, .list-tabs, .list-tools'), [])
  t.match(textIn(empty, '.empty'), 'Orders that dealers place for their customers appear here')
  t.same(elementsOf(empty, 'a[href="/orders/add"]').length, 1, 'one action')
  const narrowed = await root.get('/orders?q=nothing')
  t.equal(elementsOf(narrowed.body, 'form.list-search, .list-tabs, .list-tools').length, 3, 'not when only narrowed')
  t.match(textIn(narrowed.body, '.empty'), 'No matches for "nothing"')
  t.notMatch(textIn(narrowed.body, '.empty'), 'customers')
  t.match(textIn((await root.get('/orders', { 'accept-language': 'ru' })).body, '.empty'), 'Здесь появятся заказы')
  t.ok(cast.denis)
})

t.test('a new order without any dealer of a company leads to adding one', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const withDealers = await root.get('/orders/add')
  t.ok(elementById(withDealers, 'dealer_id'))
  t.notMatch(textOf(withDealers.body), 'There are no dealers yet')
  db.update(users).set({ company_id: null }).where(eq(users.group_id, 2)).run()
  const page = (await root.get('/orders/add')).body
  t.match(textIn(page, '.empty'), 'There are no dealers yet Orders are placed for a dealer. Add the first one, then the order.')
  t.equal(elementsOf(page, '.empty a[href="/dealers/add"]').length, 1)
  t.same(elementsOf(page, '[name=dealer_id]'), [])
  t.ok(cast.root)
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
