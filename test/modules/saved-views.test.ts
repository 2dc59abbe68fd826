import { eq } from 'drizzle-orm'
import t from 'tap'
import { savedViews } from '../../src/database/schema/index.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { columnsOf, elementsOf, parseHtml, textOf } from '../support/html.ts'

const menuOf = ({ body }: Answer) =>
  elementsOf(body, 'li > a:has(.count)').map((link) => {
    const $ = parseHtml(link)
    return { href: $('a').attr('href'), name: $('a').contents().first().text(), count: $('.count').text() }
  })

t.test('saved views of lists', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const [maria, root, mikhail] = [await as('maria'), await as('root'), await as('mikhail')]
  const views = () => db.select().from(savedViews).all()
  const inMenu = async (browser: typeof maria, name: string) => menuOf(await browser.get('/profile')).find((view) => view.name === name)

  t.test('a saved view is in the menu of its owner, with the number of records they may view', async (t) => {
    const saved = await maria.post('/views', { name: 'Fresh ones', address: '/orders?status=1&page=3&cols=phone,nonsense' })
    t.equal(saved.statusCode, 303)
    t.equal(saved.headers.location, '/orders?status=1&cols=phone')
    t.same(await inMenu(maria, 'Fresh ones'), { href: '/orders?status=1&cols=phone', name: 'Fresh ones', count: '1' })
    t.equal(await inMenu(mikhail, 'Fresh ones'), undefined)
    await maria.post('/views', { name: 'Fresh ones', address: '/orders?status=2' })
    t.same(
      views().map(({ query }) => query),
      ['status=2'],
      'saved again, it is replaced',
    )
  })

  t.test('administrators share a view with a group, and each member sees only records that they may view', async (t) => {
    await root.post('/views', { name: 'All new', address: '/orders?status=1&cols=receiver', group_id: 3 })
    t.equal((await inMenu(maria, 'All new'))?.count, '1')
    t.equal((await inMenu(mikhail, 'All new'))?.count, '0')
    t.equal(await inMenu(await as('denis'), 'All new'), undefined)
    t.match(columnsOf(await maria.get('/orders?status=1&cols=receiver')), new Set(['receiver']))
    t.equal((await maria.post('/views', { name: 'Mine for all', address: '/orders?status=1', group_id: 3 })).statusCode, 403)
    await root.post('/views', { name: 'Colleagues', address: '/managers?q=a', group_id: 3 })
    t.equal(await inMenu(maria, 'Colleagues'), undefined, 'it grants no rights')
  })

  t.test('a view shared with dealers shows them no column and no order that they may not see', async (t) => {
    await root.post('/views', { name: 'For dealers', address: `/orders?manager=${cast.mikhail}&cols=last_message&stock=1`, group_id: 2 })
    const [denis, daria] = [await as('denis'), await as('daria')]
    t.equal((await inMenu(denis, 'For dealers'))?.count, '0')
    const view = await inMenu(daria, 'For dealers')
    t.equal((await daria.get(view?.href as string)).statusCode, 200)
    await root.post('/views', { name: 'Everybody', address: '/dealers?cols=email', group_id: 2 })
    t.equal(await inMenu(denis, 'Everybody'), undefined)
    t.equal((await denis.get('/dealers?cols=email')).statusCode, 403)
  })

  t.test('a view of a status that was deleted afterwards opens an empty list', async (t) => {
    await maria.post('/views', { name: 'Gone', address: '/orders?status=9999' })
    const view = await inMenu(maria, 'Gone')
    t.equal(view?.count, '0')
    t.match(textOf((await maria.get(view?.href as string)).body), 'No results')
  })

  t.test('a list opens in its default view; for production users the order list opens in their queue', async (t) => {
    const opens = async (browser: typeof maria) => parseHtml((await browser.get('/profile')).body)('li > a[href^="/orders"]').attr('href')
    t.equal(await opens(maria), '/orders')
    await root.post('/views', { name: 'For managers', address: '/orders?overdue=1', group_id: 3, is_default: 1 })
    t.equal(await opens(maria), '/orders?overdue=1')
    await maria.post('/views', { name: 'My own', address: '/orders?stuck=5', is_default: 1 })
    t.equal(await opens(maria), '/orders?stuck=5')
    t.match(await opens(await as('pavel')), /waiting=1&sort=date_make/)
  })

  t.test('a view of a deleted status opens the list, and only its owner deletes a view (403)', async (t) => {
    const view = { user_id: cast.maria, list: 'orders', created_at: 1 }
    const insert = (values: object) =>
      Number(
        db
          .insert(savedViews)
          .values({ ...view, name: 'x', query: '', ...values })
          .run().lastInsertRowid,
      )
    const old = insert({ name: 'Old', query: 'gone=1&status=abc&sort=nonsense' })
    insert({ name: 'Elsewhere', list: 'no-such-list', query: 'a=1' })
    t.equal((await inMenu(maria, 'Old'))?.href, '/orders')
    t.equal(await inMenu(maria, 'Elsewhere'), undefined)
    t.equal((await mikhail.post(`/views/${old}/delete`)).statusCode, 403)
    t.equal((await maria.post(`/views/${old}/delete`)).statusCode, 303)
    t.equal(db.select().from(savedViews).where(eq(savedViews.id, old)).get(), undefined)
    t.equal((await maria.post('/views/9999/delete')).statusCode, 404)
  })

  t.test('an invalid view is refused (422; 403 for a list without access) and nothing is saved', async (t) => {
    const before = views().length
    const bad: [object, number][] = [
      [{ address: '/orders?status=1' }, 422],
      [{ name: ' ', address: '/orders' }, 422],
      [{ name: 'x'.repeat(61), address: '/orders' }, 422],
      [{ name: 'x', address: 'https://evil.example/orders' }, 422],
      [{ name: 'x', address: '//evil.example' }, 422],
      [{ name: 'x', address: '/login' }, 422],
      [{ name: 'x' }, 422],
      [{ name: 'x', address: '/admins?q=a' }, 403],
    ]
    for (const [body, status] of bad) t.equal((await maria.post('/views', { ...body })).statusCode, status, JSON.stringify(body))
    t.equal((await root.post('/views', { name: 'x', address: '/orders?status=1', group_id: 7 })).statusCode, 422)
    t.equal(views().length, before)
    for (let number = 0; number < 25; number++) await maria.post('/views', { name: `n${number}`, address: '/orders?status=1' })
    t.equal(views().filter(({ user_id }) => user_id === cast.maria).length, 20)
  })
})
