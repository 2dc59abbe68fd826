import { eq, like, sql } from 'drizzle-orm'
import t from 'tap'
import { orders, savedViews } from '../../src/database/schema/index.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { columnsOf, elementsOf, fieldOf, parseHtml, tagsOf, textOf, textsByRole } from '../support/html.ts'

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

  t.test('the group that an administrator chooses on the page gets the view, and no other group', async (t) => {
    const address = '/orders?stuck=7'
    const options = fieldOf(await root.get(address), 'group_id')?.options ?? []
    const members = { 'Only me': ['root'], Administrators: ['root', 'admin', 'clerk'], Dealers: ['denis', 'daria'] } as const
    const staff = { Managers: ['maria', 'mikhail', 'plain'], Production: ['pavel'] } as const
    const groups = { ...members, ...staff }
    t.same(
      options.map(({ text }) => text),
      Object.keys(groups),
    )
    for (const [label, people] of Object.entries(groups)) {
      const { value = '' } = options.find(({ text }) => text === label) ?? {}
      await root.post('/views', { name: `For ${label}`, address, group_id: value })
      for (const name of ['root', 'admin', 'clerk', 'maria', 'mikhail', 'plain', 'pavel', 'denis', 'daria'] as const) {
        const sees = (people as readonly string[]).includes(name) || name === 'root'
        t.equal((await inMenu(await as(name), `For ${label}`)) !== undefined, sees, `${name}: a view for ${label}`)
      }
    }
    t.equal(fieldOf(await maria.get(address), 'group_id'), undefined, 'managers share nothing')
    const form = fieldOf(await maria.get('/orders?sort=cost&dir=asc&status=2'), 'address')
    t.equal(form?.value, '/orders?status=2&sort=cost&dir=asc', 'what is saved is what is shown')
    t.equal(fieldOf(await maria.get('/orders'), 'address'), undefined, 'the list as it is is no view')
    db.delete(savedViews).where(eq(savedViews.query, 'stuck=7')).run()
  })

  t.test('only who saved a view, and superadministrators, are offered to delete it, and deleting it works', async (t) => {
    const admin = await as('admin')
    const deletes = async (browser: typeof maria, address: string) =>
      tagsOf((await browser.get(address)).body, 'form').flatMap(({ action }) => (action?.startsWith('/views/') ? action : []))
    await admin.post('/views', { name: 'Shared', address: '/orders?stuck=9', group_id: 1 })
    await admin.post('/views', { name: 'Of managers', address: '/orders?stuck=8', group_id: 3 })
    await maria.post('/views', { name: 'Hers', address: '/orders?stuck=6' })
    const idOf = (name: string) => views().find((view) => view.name === name)?.id
    const path = (name: string) => [`/views/${idOf(name)}/delete`]
    for (const browser of [maria, mikhail]) t.same(await deletes(browser, '/orders?stuck=8'), [], 'not those it is shared with')
    t.same(await deletes(await as('clerk'), '/orders?stuck=9'), [])
    for (const browser of [admin, root]) t.same(await deletes(browser, '/orders?stuck=9'), path('Shared'))
    t.same(await deletes(admin, '/orders?stuck=8'), path('Of managers'))
    t.same(await deletes(maria, '/orders?stuck=6'), path('Hers'))
    t.same(await deletes(maria, '/orders?stuck=6&page=2'), path('Hers'), 'on any page of it')
    for (const other of ['/orders?stuck=6&status=1', '/orders?stuck=66', '/orders', '/dealers?stuck=6'])
      t.same(await deletes(maria, other), [], other)
    const opened = elementsOf((await maria.get('/orders?stuck=6')).body, '#orders-view').join('')
    t.match(textOf(opened), /^Hers Delete view$/)
    const deleted = await root.post(`/views/${idOf('Shared')}/delete`)
    t.equal(deleted.headers.location, '/orders')
    t.match(textsByRole(await root.get('/orders'), 'status').join(), 'View "Shared" deleted')
    t.equal(idOf('Shared'), undefined)
    t.ok(idOf('Of managers') && idOf('Hers'), 'the others stay')
    db.delete(savedViews).where(like(savedViews.query, 'stuck=%')).run()
  })

  t.test('somebody has one default view of a list; a second replaces it, and nobody else’s', async (t) => {
    const defaults = () =>
      views()
        .flatMap(({ is_default, name }) => (is_default ? name : []))
        .sort()
    const opens = async (browser: typeof maria, list = 'orders') =>
      parseHtml((await browser.get('/profile')).body)(`li > a[href^="/${list}"]`).attr('href')
    const save = (browser: typeof maria, name: string, address: string, more = {}) =>
      browser.post('/views', { name, address, is_default: 1, ...more })
    const forManagers = { group_id: 3 }
    await save(maria, 'a', '/orders?stuck=1')
    await save(maria, 'b', '/dealers?q=b')
    await save(mikhail, 'c', '/orders?stuck=2')
    await save(root, 'd', '/orders?stuck=3')
    await save(root, 'e', '/orders?stuck=4', forManagers)
    await save(root, 'f', '/orders?stuck=5', { group_id: 4 })
    t.same(defaults(), ['a', 'b', 'c', 'd', 'e', 'f'], 'of another list, person or group, each its own')
    t.equal(await opens(maria), '/orders?stuck=1', 'one’s own rather than the group’s')
    t.equal(await opens(await as('plain')), '/orders?stuck=4')
    t.equal(await opens(await as('pavel')), '/orders?stuck=5')
    t.equal(await opens(root), '/orders?stuck=3', 'what is shared with others changes nothing for oneself')
    t.equal(await opens(await as('admin')), '/orders')
    await save(maria, 'g', '/orders?stuck=6')
    t.same(defaults(), ['b', 'c', 'd', 'e', 'f', 'g'])
    t.equal(await opens(maria), '/orders?stuck=6')
    t.equal(await opens(maria, 'dealers'), '/dealers?q=b')
    await save(root, 'h', '/orders?stuck=7', forManagers)
    t.same(defaults(), ['b', 'c', 'd', 'f', 'g', 'h'])
    t.equal(await opens(await as('plain')), '/orders?stuck=7')
    await save(root, 'd', '/orders?stuck=8')
    t.same(defaults(), ['b', 'c', 'd', 'f', 'g', 'h'], 'one’s own leaves what one shared with others')
    t.equal((await maria.post('/views', { name: 'g', address: '/orders?stuck=6' })).statusCode, 303)
    t.equal(await opens(maria), '/orders?stuck=7', 'saved again without it, it is no default')
    await root.post('/views', { name: 'd', address: '/orders?stuck=8' })
    t.equal(await opens(root), '/orders')
    db.delete(savedViews).run()
  })

  t.test('the menu counts the rows of a view up to a thousand', async (t) => {
    await root.post('/views', { name: 'Zulu', address: '/orders?q=zulu' })
    await root.post('/views', { name: 'Alfa', address: '/orders?q=alfa' })
    const plant = (rows: number) =>
      db.run(sql`insert into orders (status_id, receiver) with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${rows})
        select 1, 'Zulu' from numbers`)
    plant(1000)
    t.same(await inMenu(root, 'Zulu'), { href: '/orders?q=zulu', name: 'Zulu', count: '1000' })
    plant(1)
    t.equal((await inMenu(root, 'Zulu'))?.count, '1000+')
    const menu = menuOf(await root.get('/profile')).map(({ name }) => name)
    t.same(
      menu.filter((name) => ['Alfa', 'Zulu'].includes(name)),
      ['Alfa', 'Zulu'],
      'by name',
    )
    const current = async (address: string) =>
      elementsOf((await root.get(address)).body, 'li > a:has(.count):not(.nav-link)[aria-current]').map((link) =>
        textOf(link).replace(/ .*/, ''),
      )
    t.same(await current('/orders?q=zulu'), ['Zulu'])
    t.same(await current('/orders'), [])
    db.delete(orders).where(eq(orders.receiver, 'Zulu')).run()
    db.delete(savedViews).run()
  })

  t.test('a list opens in its default view', async (t) => {
    const opens = async (browser: typeof maria) => parseHtml((await browser.get('/profile')).body)('li > a[href^="/orders"]').attr('href')
    t.equal(await opens(maria), '/orders')
    await root.post('/views', { name: 'For managers', address: '/orders?overdue=1', group_id: 3, is_default: 1 })
    t.equal(await opens(maria), '/orders?overdue=1')
    await maria.post('/views', { name: 'My own', address: '/orders?stuck=5', is_default: 1 })
    t.equal(await opens(maria), '/orders?stuck=5')
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
    const elsewhere = insert({ name: 'Elsewhere', list: 'no-such-list', query: 'a=1' })
    t.equal((await inMenu(maria, 'Old'))?.href, '/orders')
    t.equal(await inMenu(maria, 'Elsewhere'), undefined)
    t.equal((await mikhail.post(`/views/${old}/delete`)).statusCode, 403)
    t.equal((await maria.post(`/views/${old}/delete`)).statusCode, 303)
    t.equal(db.select().from(savedViews).where(eq(savedViews.id, old)).get(), undefined)
    t.equal((await maria.post('/views/9999/delete')).statusCode, 404)
    t.equal((await maria.post(`/views/${elsewhere}/delete`)).headers.location, '/', 'where its list is gone, too')
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
    t.equal((await maria.post('/views', { name: 'x'.repeat(60), address: '/orders?status=1' })).statusCode, 303)
    const mine = () => views().filter(({ user_id }) => user_id === cast.maria).length
    const answers = []
    for (let number = mine(); number < 22; number++)
      answers.push((await maria.post('/views', { name: `n${number}`, address: '/orders?status=1' })).statusCode)
    t.same(answers.slice(-3), [303, 422, 422], 'twenty and no more')
    t.equal(mine(), 20)
    t.equal((await maria.post('/views', { name: 'n19', address: '/orders?status=2' })).statusCode, 303, 'one of them can be replaced')
    t.equal(mine(), 20)
    t.equal((await mikhail.post('/views', { name: 'n19', address: '/orders?status=1' })).statusCode, 303, 'others have their own twenty')
    t.equal(mine(), 20, 'and their own names')
    db.delete(savedViews).run()
    for (const [address, is_default] of [
      ['/orders?q=a', 0],
      ['/dealers?q=a', 0],
      ['/orders?q=b', 1],
    ] as const)
      t.equal((await maria.post('/views', { name: 'Same', address, is_default })).statusCode, 303)
    t.same(
      views().map(({ list, query, is_default }) => `${list} ${query} ${is_default}`),
      ['dealers q=a false', 'orders q=b true'],
      'a name is taken in one list only, and a view is a default where that was asked for',
    )
  })
})
