import { eq } from 'drizzle-orm'
import t from 'tap'
import { addDays } from '../../src/core/days.ts'
import { companies, orderItems, orders, statuses } from '../../src/database/schema/index.ts'
import { today } from '../../src/i18n/format.ts'
import { startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { elementsOf, idsOf, textOf } from '../support/html.ts'
import { insertOrder, statusId } from '../support/orders.ts'

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { as, cast, db } = cabinet
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  const page = async (name: Name, query = '') => (await (await as(name)).get(`/orders${query}`)).body
  const columns = async (name: Name, query?: string) =>
    elementsOf(await page(name, query), '#orders-table th[data-col]').map((cell) => /data-col="(\w+)"/.exec(cell)?.[1])
  const ids = async (name: Name, query?: string) =>
    elementsOf(await page(name, query), 'tr[id^=orders-]')
      .map((row) => Number(/orders-(\d+)/.exec(row)?.[1]))
      .sort((a, b) => a - b)
  const cell = async (name: Name, id: number, key: string, query?: string) =>
    elementsOf(await page(name, query), `#orders-${id} [data-col=${key}]`).map(textOf)
  return { ...cabinet, of, page, columns, ids, cell }
}

t.test('each role sees at first the columns that it needs, and has the others by `cols`', async (t) => {
  const { columns, cast, db } = await start(t)
  const put = (status: string) =>
    db
      .update(orders)
      .set({ status_id: statusId(status) })
      .where(eq(orders.id, cast.order))
      .run()
  put('completed')
  const dealers = ['id', 'specification_number', 'receiver', 'status', 'cost', 'created_at', 'date_make', 'lacks']
  t.same(await columns('denis'), dealers.slice(0, -1), 'where nothing is lacking no column says so')
  t.ok((await columns('maria', '?cols=lacks')).includes('lacks'), 'but to whoever chose it')
  put('production')
  t.same(await columns('denis'), dealers)
  t.same(await columns('pavel'), ['id', 'specification_number', 'company', 'products', 'status', 'date_make'])
  t.ok((await columns('pavel', '?cols=created_at')).includes('created_at'))
  const staff = ['id', 'specification_number', 'company', 'dealer', 'status', 'cost', 'created_at']
  for (const name of ['maria', 'root'] as const) t.same(await columns(name), staff, name)
  t.same(await columns('denis', '?cols=dealer,receiver'), ['id', 'specification_number', 'dealer', ...dealers.slice(2)])
  t.same(await columns('maria', '?cols=products'), [...staff.slice(0, 4), 'products', ...staff.slice(4)])
})

t.test('a search marks what it found, and says by what else it found an order, among those that somebody sees', async (t) => {
  const cabinet = await start(t)
  const { cast, db, of, ids, columns, page } = cabinet
  insertOrder(cabinet, 'new', of)
  const receiver = 'Пётр <b> Бендер & "Co"'
  db.update(orders).set({ receiver, phone: '+7(912) 345 67 89' }).where(eq(orders.id, cast.order)).run()
  const find = async (name: 'maria' | 'denis' | 'root', words: string) => {
    const html = await page(name, `?q=${encodeURIComponent(words)}`)
    return { marks: elementsOf(html, '#orders-rows mark').map(textOf), notes: elementsOf(html, '.found-by').map(textOf) }
  }
  for (const name of ['maria', 'root'] as const) {
    t.same(await find(name, 'бендер петр'), { marks: ['Пётр', 'Бендер'], notes: [`Customer: ${receiver}`] }, name)
    t.same(await find(name, '3456789'), { marks: ['345 67 89'], notes: ['Phone: +7(912) 345 67 89'] }, name)
    t.same(await columns(name, '?q=3456789'), await columns(name), `${name} finds the columns where they were`)
  }
  t.same(await find('denis', 'бендер'), { marks: ['Бендер'], notes: [] }, 'what stands in its row is only marked')
  t.same((await find('denis', 'amp')).marks, [], 'nothing is marked within what escapes a sign')
  t.same(await find('maria', `alpha #${cast.order}`), { marks: [String(cast.order), 'Alpha'], notes: [] }, 'a number with its sign')
  t.same(elementsOf(await page('maria', '?q=%D0%B1%D0%B5%D0%BD%D0%B4%D0%B5%D1%80'), '#orders-rows b'), [], 'and stays a text')
  const address = `${'Ленинский проспект, '.repeat(10)}дом Семёнова`
  db.update(orders).set({ address }).where(eq(orders.id, cast.order)).run()
  const long = 'Address: …пект, Ленинский проспект, дом Семёнова'
  t.same(await find('maria', 'семенов'), { marks: ['Семёнов'], notes: [long] }, 'of a long text what stands shortly before it')
  t.same(await find('maria', 'alpha семенов'), { marks: ['Alpha', 'Семёнов'], notes: [long] }, 'one word in a column, one in none')
  t.same(await ids('mikhail', encodeURI('?q=бендер')), [])
})

t.test('production sees what has come to it, with the number of the rest, which is a click away', async (t) => {
  const cabinet = await start(t)
  const { cast, db, of, page, ids } = cabinet
  const [made, gone, lost] = (['production', 'delivery', 'canceled'] as const).map((status) => insertOrder(cabinet, status, of))
  const came = [made, gone, lost] as number[]
  const paid = insertOrder(cabinet, 'paid', of)
  const coming = [cast.order, paid]
  const bare = insertOrder(cabinet, 'new', { ...of, status_id: null })
  insertOrder(cabinet, 'new', { dealer_id: cast.daria, company_id: cast.companies.beta })
  const folds = async (query?: string) => elementsOf(await page('pavel', query), '[data-fold]').map(textOf)
  t.same(await ids('pavel'), [made, gone, bare])
  t.same(await folds(), ['Not yet released: 2', 'Completed or canceled: 1'])
  t.same([await ids('pavel', '?released=ended'), await folds('?released=ended')], [[lost], []])
  t.same(await ids('pavel', '?released=1'), [...came, bare])
  t.same([await ids('pavel', '?released=0'), await folds('?released=0')], [coming, []])
  t.same([await ids('pavel', '?released=all'), await folds('?released=all')], [[cast.order, ...came, paid, bare], []])
  t.same(await ids('pavel', `?q=${paid}`), [paid], 'a search looks through all')
  t.same(await ids('pavel', `?status=${statusId('paid')}`), [paid], 'so does a filter')
  const links = elementsOf(await page('pavel'), '.list-tabs a').map((link) => /href="([^"]+)"/.exec(link)?.[1])
  t.same(links[0], '/orders')
  t.ok(links.includes(`/orders?status=${statusId('paid')}`), 'tabs lead to all orders of a status')
  const filters = async (query?: string) => elementsOf(await page('pavel', query), 'a.tag').map((tag) => /href="([^"]+)"/.exec(tag)?.[1])
  t.same(await filters(), [], 'what is usual is not shown as a filter that somebody has set')
  t.same(await filters('?released=0'), ['/orders?released=all'])
  t.same(elementsOf(await page('maria'), '[data-fold]'), [])
  t.same(await ids('maria'), [cast.order, ...came, paid, bare])
  t.same(await ids('maria', '?released=1'), [...came, bare])
  const csv = async (name: Name) => (await (await cabinet.as(name)).get('/orders/export?format=csv')).body.trim().split('\n').length - 1
  t.same([await csv('pavel'), await csv('maria')], [3, 6], 'a spreadsheet has the rows of the screen')
  db.update(statuses).set({ expected: 'nobody' }).run()
  t.same(
    [(await ids('pavel')).length, await folds()],
    [5, ['Completed or canceled: 1']],
    'where production is never expected nothing has yet to come',
  )
})

t.test('production begins with what is due first of what it still has to do; what is over comes last first', async (t) => {
  const cabinet = await start(t)
  const { of, page } = cabinet
  const add = (status: string, days: number) => insertOrder(cabinet, status, { ...of, date_make: addDays(today(), days) })
  const [later, soon, late] = [add('production', 9), add('production', 1), add('production', -3)]
  const [older, newer] = [add('completed', -30), add('completed', -20)]
  const order = async (query?: string) => idsOf(await (await cabinet.as('pavel')).get(`/orders${query ?? ''}`), 'orders')
  t.same(await order(), [late, soon, later])
  t.same(await order(`?status=${statusId('production')}`), [late, soon, later])
  t.same(await order(`?status=${statusId('completed')}`), [newer, older])
  t.same(await order('?released=1'), [later, soon, late, newer, older])
  const tabs = async (query?: string) =>
    elementsOf(await page('pavel', query), '.list-tabs a').map((tab) => textOf(tab).replaceAll(/\s+/g, ' '))
  t.same((await tabs()).slice(0, 2), ['Current 3', 'All 6'])
  t.same((await tabs('?overdue=1')).slice(0, 2), ['Current', 'All 1'], 'what the first leads to is not counted beside what is narrower')
})

t.test('production reads of an order its first two lines with their sizes, and how many more there are', async (t) => {
  const cabinet = await start(t)
  const { cast, db, of, cell } = cabinet
  const [five, two, none] = [5, 2, 0].map((count) => {
    const id = insertOrder(cabinet, 'production', of)
    for (let place = 1; place <= count; place++)
      db.insert(orderItems)
        .values({
          order_id: id,
          category_id: cast.category,
          name: `Window ${place}`,
          quantity: place,
          discount: 0,
          width: 1200,
          height: 900,
        })
        .run()
    return id
  }) as [number, number, number]
  const first = 'Window 1 · 1200 × 900 mm · 1 pcs'
  const second = 'Window 2 · 1200 × 900 mm · 2 pcs'
  const lines = async (id: number) => (await cell('pavel', id, 'products')).map((text) => text.replaceAll('\u00a0', ' '))
  t.same(await lines(five), [`${first}; ${second}; and 3 more`])
  t.same(await lines(two), [`${first}; ${second}`])
  t.same(await lines(none), ['—'])
})

t.test('a dealer reads in the list what an order lacks and that it is not sent yet, and at home that it is to be sent', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, of, cell } = cabinet
  const lacks = async (values: Partial<typeof orders.$inferInsert>) => {
    db.update(orders).set(values).where(eq(orders.id, cast.order)).run()
    return (await cell('denis', cast.order, 'lacks'))[0]
  }
  t.equal(await lacks({ sn: null }), 'Customer full name, Phone, Address')
  t.equal(await lacks({ phone: '+7(900) 000 00 00', receiver: 'Olga' }), 'Address')
  t.equal(await lacks({ delivery: 'pickup' }), undefined, 'what is fetched needs no address')
  t.equal(await lacks({ delivery: 'address' }), 'Address')
  t.equal(await lacks({ status_id: statusId('completed') }), undefined)
  t.equal(await lacks({ status_id: statusId('new') }), 'Address')
  const colleagues = insertOrder(cabinet, 'new', { ...of, dealer_id: cast.roman })
  const status = async (name: Name, id: number) => (await cell(name, id, 'status'))[0]
  t.match(await status('denis', cast.order), /Not sent yet/)
  for (const [name, id] of [
    ['denis', colleagues],
    ['maria', cast.order],
  ] as const)
    t.notMatch(await status(name, id), /Not sent yet/)
  const home = async (name: Name) =>
    elementsOf((await (await as(name)).get('/')).body, '.order-line-next')
      .map(textOf)
      .filter((text) => text.includes('Send for signing'))
  t.same([(await home('denis')).length, await home('maria')], [1, []])
  await lacks({ status_id: statusId('apply') })
  t.same([await home('denis'), /Not sent/.test((await status('denis', cast.order)) ?? '')], [[], false])
})
