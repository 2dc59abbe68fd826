import { load } from 'cheerio'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, orderItems, orders, statuses } from '../../src/database/schema/index.ts'
import { invalidQueries } from '../support/bad-input.ts'
import { type Answer, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { columnsOf, controlsOf, elementsOf, idsOf, isDocument, parseHtml, rowsOf, textOf, totalOf } from '../support/html.ts'

function plant({ db }: Cabinet, values: typeof orders.$inferInsert): number {
  return Number(db.insert(orders).values(values).run().lastInsertRowid)
}

/** The tabs above the table: what they are called and how many they hold. */
function tabsOf(body: string): Record<string, string> {
  const counts = elementsOf(body, 'nav.list-tabs a:has(.count)').map((link) => [textOf(link), textOf(elementsOf(link, '.count').join(''))])
  return Object.fromEntries(counts.map(([text = '', count = '']) => [text.slice(0, -count.length).trim(), count]))
}

t.test('the order list', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const { alpha, beta } = cast.companies
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, beta)).run()
  const first = cast.order
  const romans = plant(cabinet, {
    status_id: 2,
    dealer_id: cast.roman,
    company_id: alpha,
    specification_number: 4711,
    receiver: 'Ёлкина Анна',
    cost: 123456,
  })
  const darias = plant(cabinet, { status_id: 2, dealer_id: cast.daria, company_id: beta, specification_number: 12 })
  const orphan = plant(cabinet, { status_id: null, dealer_id: null, company_id: null, receiver: '100%_sure' })
  const list = async (name: Name, query = '', headers = {}) => (await as(name)).get(`/orders${query}`, headers)

  t.test('every user sees and counts only the orders that they may view', async (t) => {
    const seen: [Name, number[]][] = [
      ['root', [orphan, darias, romans, first]],
      ['admin', [orphan, darias, romans, first]],
      ['maria', [romans, first]],
      ['mikhail', [darias]],
      ['plain', []],
      ['denis', [romans, first]],
      ['vera', [darias]],
      ['pavel', [darias]],
    ]
    for (const [name, ids] of seen) {
      const page = await list(name, '?released=all')
      t.same(new Set(idsOf(page, 'orders')), new Set(ids), name)
      t.equal(totalOf(page, 'orders'), ids.length)
    }
    revoke(db, cast.clerk, 'order_can_view')
    t.equal((await list('clerk')).statusCode, 403)
    grant(db, cast.clerk, 'order_can_view')
  })

  t.test('the order list has the columns of the specification and answers htmx with its region only', async (t) => {
    const page = await list('root')
    t.same(columnsOf(page).slice(0, 7), ['id', 'specification_number', 'company', 'dealer', 'status', 'cost', 'created_at'])
    const row = rowsOf(page, 'orders').find(({ id }) => id === romans)
    t.match(row?.cells, {
      id: `#${romans}`,
      specification_number: '4711',
      company: 'Alpha Windows',
      dealer: 'Romanov Roman',
      status: 'Awaiting signing',
    })
    t.match(row?.html, 'data-kopecks="123456"')
    db.update(orders)
      .set({ status_since: Date.parse('2026-02-03T12:34:00'), created_at: 1 })
      .where(eq(orders.id, romans))
      .run()
    const waited = parseHtml((await list('root', '?cols=since')).body)(`#orders-${romans} [data-col=since]`)
    t.equal(waited.attr('title'), '03.02.2026 12:34')
    t.match(rowsOf(page, 'orders').find(({ id }) => id === orphan)?.cells, { company: '—', dealer: '—', status: 'No status' })
    t.notOk(isDocument(await list('root', '', htmx)))
  })

  t.test('an order is found by number, specification number, company, dealer and customer', async (t) => {
    const found: [string, number[]][] = [
      [`${romans}`, [romans]],
      ['4711', [romans]],
      ['471', [romans]],
      ['#4711', [romans]],
      ['№4711 alpha', [romans]],
      ['12', [darias]],
      ['#12', [darias]],
      ['#alpha', []],
      ['alpha', [romans, first]],
      ['бета елка', [darias]],
      ['romanov', [romans]],
      ['елкина', [romans]],
      ['анна roman', [romans]],
      ['100%', [orphan]],
      ['0_s', []],
      ['nothing', []],
    ]
    for (const [q, ids] of found) {
      const page = await list('root', `?q=${encodeURIComponent(q)}`)
      const expected = q === `${romans}` ? ids.every((id) => idsOf(page, 'orders').includes(id)) : undefined
      if (expected === undefined) t.same(new Set(idsOf(page, 'orders')), new Set(ids), q)
      else t.ok(expected, q)
    }
    t.same(idsOf(await list('denis', '?q=бета'), 'orders'), [], 'nothing beyond what they see')
  })

  t.test('status tabs count the orders left by the other filters, and filters are kept in the address', async (t) => {
    t.match(tabsOf((await list('root')).body), { New: '1', 'Awaiting signing': '2', 'No status': '1' })
    t.match(tabsOf((await list('maria')).body), { New: '1', 'Awaiting signing': '1' })
    t.match(tabsOf((await list('root', '?q=alpha&status=1')).body), { New: '1', 'Awaiting signing': '1' })
    t.match(tabsOf((await list('root', '?manager=none')).body), { 'No status': '1' })
    t.same(idsOf(await list('root', '?status=2&sort=id&dir=asc'), 'orders'), [romans, darias])
    t.same(idsOf(await list('root', '?status=none'), 'orders'), [orphan])
    t.same(idsOf(await list('root', `?company=${alpha}&status=2`), 'orders'), [romans])
    t.same(idsOf(await list('root', `?manager=${cast.mikhail}`), 'orders'), [darias])
    t.same(idsOf(await list('denis', `?company=${beta}`), 'orders'), [], 'a filter shows nobody more than they see')
    const [link] = (await list('root', '?status=2')).body.match(/href="[^"]*sort=cost[^"]*"/) ?? []
    t.match(link, /status=2/, 'every link keeps the filter')
    for (const odd of ['status=x', 'company=-1', 'manager=__proto__', 'status=99999', 'choose=x', ...invalidQueries])
      t.equal((await list('root', `?${odd}`)).statusCode, 200, odd)
  })

  t.test('every filter says what it narrows by', async (t) => {
    const closed = load((await list('root', '?status=2')).body)
    t.equal(closed('.further-filters').length, 0, 'what is seldom used loads only when it is opened')
    const address = closed('a:contains("More filters")').attr('href')
    t.match(address, /status=2/)
    const page = load((await (await as('root')).get(address ?? '')).body)
    const labels = page('details[id^=orders-] > summary, a[id^=orders-], .further-filters label, .filter-name')
      .get()
      .map((one) => page(one).text().replace(/\s+/g, ' ').trim())
    const ranges = ['Created', 'Production date', 'Delivery date', 'Payment date', 'Cost'].flatMap((one) => [`${one} from`, `${one} to`])
    const expected = ['Waiting for you', 'Overdue', 'Company', 'Manager', 'Warehouse', 'Production site', 'I can move', 'Category']
    const all = [...expected, ...ranges]
    t.same(
      all.filter((label) => labels.filter((one) => one === label).length !== 1),
      [],
    )
  })

  t.test('the filters offer a user only companies, dealers and managers whom they may know of', async (t) => {
    const choices = async (name: Name, filter: string) => {
      const page = load((await list(name, '?choose=filters')).body)
      return page(`button[name=${filter}]`)
        .get()
        .map((button) => page(button).text())
    }
    t.same(await choices('maria', 'company'), ['Alpha Windows'])
    t.same(await choices('maria', 'manager'), [])
    t.same(await choices('denis', 'company'), [])
    t.ok((await choices('root', 'manager')).includes('Petrova Maria Ivanovna'))
    for (const place of ['stock', 'manufacture']) {
      t.same(await choices('maria', place), [], `no ${place} of an order that she sees`)
      db.update(companies)
        .set({ [`${place}_id`]: place === 'stock' ? cast.stock : cast.site })
        .where(eq(companies.id, cast.companies.alpha))
        .run()
      t.equal((await choices('maria', place)).length, 1, place)
      t.same(await choices('denis', place), [], `${place}: dealers are told nothing of places`)
      db.update(companies)
        .set({ [`${place}_id`]: null })
        .where(eq(companies.id, cast.companies.alpha))
        .run()
    }
    const named = async (name: Name, dealer: number) => /Dealer: \p{Lu}\p{L}+/u.test(textOf((await list(name, `?dealer=${dealer}`)).body))
    t.same([await named('maria', cast.denis), await named('maria', cast.daria), await named('denis', cast.roman)], [true, false, false])
    t.equal(tabsOf((await list('root')).body)['No status'], '1')
    db.update(orders).set({ status_id: 1 }).where(eq(orders.id, orphan)).run()
    t.notMatch(textOf(elementsOf((await list('root')).body, 'nav.list-tabs').join()), 'No status', 'only while there is such an order')
    db.update(orders).set({ status_id: null }).where(eq(orders.id, orphan)).run()
  })

  t.test('orders are filtered by the category of a line', async (t) => {
    db.insert(orderItems).values({ order_id: darias, category_id: cast.category, name: 'x', quantity: 1, price: 1, discount: 0 }).run()
    db.insert(orderItems).values({ order_id: romans, name: 'y', quantity: 1, price: 1, discount: 0 }).run()
    t.same(idsOf(await list('root', `?category=${cast.category}`), 'orders'), [darias])
  })

  t.test('a filter with more than eight choices loads them only when it is opened', async (t) => {
    const add = (number: number) =>
      db
        .insert(companies)
        .values({ org: `Firm ${number}`, search: `firm ${number}` })
        .run()
    const choices = ({ body }: Answer) => controlsOf(body).filter(({ name }) => name === 'company').length
    for (let number = 4; number <= 8; number++) add(number)
    t.equal(choices(await list('root', '?status=2')), 8)
    add(9)
    const page = await list('root', '?status=2')
    t.equal(choices(page), 0)
    const address = parseHtml(page.body)('a[href$="choose=company"]').attr('href')
    t.match(address, /status=2/)
    const choosing = await (await as('root')).get(address ?? '')
    t.equal(choices(choosing), 9)
    t.match(textOf((await list('root', `?company=${alpha}`)).body), /Company: Alpha Windows/)
  })

  t.test('the orders of a deleted status stay in the list', async (t) => {
    db.delete(statuses).where(eq(statuses.id, 2)).run()
    t.same(new Set(idsOf(await list('root', '?status=none'), 'orders')), new Set([orphan, romans, darias]))
  })
})
