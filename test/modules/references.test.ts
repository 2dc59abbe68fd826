import { eq } from 'drizzle-orm'
import t from 'tap'
import { categories, companies, manufactures, orderItems, orders, stocks, users } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { errorsOf, idsOf, parseHtml } from '../support/html.ts'
import { checked, csv } from '../support/imports.ts'

t.test(
  'warehouses and production sites are found by name and address, categories by name, and nothing by where one text meets the next',
  async (t) => {
    const { as, db, cast } = await startCabinet(t)
    const root = await as('root')
    const add = (table: typeof stocks | typeof manufactures) =>
      db.insert(table).values({ name: 'South hall', address: 'Kazan, Lenina 1' }).returning().get().id
    const [stock, site] = [add(stocks), add(manufactures)]
    const found = async (list: string, q: string) => idsOf(await root.get(`/${list}?q=${q}`), list)
    for (const [list, id] of [
      ['stocks', stock],
      ['manufactures', site],
    ] as const) {
      for (const q of ['SOUTH', 'lenina', 'kazan+hall']) t.same(await found(list, q), [id], `${list}: ${q}`)
      t.same(await found(list, 'hallkazan'), [], `${list}: one text ends where the next begins`)
    }
    t.same(await found('categories', 'window'), [cast.category])
    t.same(await found('categories', 'kazan'), [])
  },
)

t.test('the card of a warehouse, site or category counts what belongs to it, for those who may see that', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const other = db.insert(stocks).values({ name: 'South' }).returning().get().id
  const { beta } = cast.companies
  db.update(companies).set({ manufacture_id: cast.site, stock_id: other }).run()
  db.update(users).set({ stock_id: cast.stock }).run()
  db.insert(orders)
    .values([{ status_id: 1, company_id: beta, dealer_id: cast.daria }])
    .run()
  db.insert(orderItems).values({ order_id: cast.order, category_id: cast.category, name: 'A', quantity: 1, price: 1, discount: 0 }).run()
  const facts = async (name: 'root' | 'clerk', path: string) => {
    const page = parseHtml((await (await as(name)).get(path)).body)
    const read = (text: string) => text.replace(/\s+/g, ' ').trim()
    return page('.record-facts > div')
      .toArray()
      .map((fact) => [read(page(fact).text()), page(fact).find('a').attr('href')])
  }
  t.same(await facts('root', `/stocks/edit/${cast.stock}`), [
    ['Companies 0', `/companies?stock=${cast.stock}`],
    ['Orders 0', `/orders?stock=${cast.stock}`],
  ])
  t.same(await facts('root', `/stocks/edit/${other}`), [
    ['Companies 3', `/companies?stock=${other}`],
    ['Orders 2', `/orders?stock=${other}`],
  ])
  t.same(await facts('root', `/manufactures/edit/${cast.site}`), [
    ['Companies 3', `/companies?manufacture=${cast.site}`],
    ['Orders 2', `/orders?manufacture=${cast.site}`],
  ])
  t.same(await facts('root', `/categories/edit/${cast.category}`), [['Orders 1', `/orders?category=${cast.category}`]])
  grant(db, cast.clerk, 'stock_can_view')
  t.same(
    (await facts('clerk', `/stocks/edit/${other}`)).map(([text]) => text),
    ['Orders 2'],
    'who may not see companies is told nothing of them',
  )
})

t.test('no two categories, warehouses or sites have the same name, whoever adds or renames them', async (t) => {
  const { as, app, db, cast } = await startCabinet(t)
  const root = await as('root')
  const taken = { name: 'Another record has this name.' }
  for (const [list, table] of Object.entries({ categories, stocks, manufactures })) {
    t.equal((await root.post(`/${list}/add`, { name: 'Ёлки' })).statusCode, 303, list)
    const refused = await root.post(`/${list}/add`, { name: ' елКИ ' })
    t.same([refused.statusCode, errorsOf(refused)], [422, taken], list)
    t.equal((await root.post(`/${list}/add`, { name: 'Ёлки 2' })).statusCode, 303, list)
    const named = (name: string) => db.select().from(table).where(eq(table.name, name)).all()
    const [first, second] = [named('Ёлки')[0], named('Ёлки 2')[0]]
    t.same(errorsOf(await root.post(`/${list}/edit/${second?.id}`, { name: 'Елки' })), taken, list)
    t.equal((await root.post(`/${list}/edit/${first?.id}`, { name: 'Елки' })).statusCode, 303, 'its own name, written otherwise')
    const answer = await clientOf({ as, app, db, cast } as never, 'root').post(`/${list}`, { name: 'ёлки' })
    t.same([answer.statusCode, Object.keys(answer.json().errors)], [422, ['name']], list)
  }
})

t.test('a sheet changes the category that has the name rather than adding another', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const { page } = await checked(root, 'categories', csv([['Category name'], ['WINDOWS'], ['Doors'], ['doors']]))
  t.match(page.body, /Doors/)
  t.equal(db.select().from(categories).all().length, 1)
})
