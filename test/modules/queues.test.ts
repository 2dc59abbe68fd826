import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, orderHistory, orderMessages, orders, statusTransitions, stocks } from '../../src/database/schema/index.ts'
import { personReader } from '../../src/http/access/person-reader.ts'
import type { Person } from '../../src/http/request/person.ts'
import { shortDateFormatter } from '../../src/i18n/format.ts'
import { orderList } from '../../src/modules/orders/list.ts'
import { countOf } from '../../src/records/list/count.ts'
import { startCabinet } from '../support/cabinet.ts'
import { type Name, names } from '../support/cast.ts'
import { daysAgo } from '../support/days.ts'
import { columnsOf, elementsOf, idsOf, parseHtml, rowsOf, textOf, totalOf } from '../support/html.ts'
import { insertOrder, statusId } from '../support/orders.ts'
import { dayIn } from '../support/products.ts'

const day = 24 * 3600_000
const dayOf = (moment: number) => new Date(moment).toLocaleDateString('sv')
const inWords = (day: string) => shortDateFormatter('en', 'long')(new Date(`${day}T12:00`).getTime()).replace('\u00a0', ' ')
const [yesterday, tomorrow] = [dayOf(Date.now() - day), dayOf(Date.now() + day)]

t.test('work queues', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const { alpha, beta } = cast.companies
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, beta)).run()
  const stock = Number(db.insert(stocks).values({ name: 'South' }).run().lastInsertRowid)
  db.update(companies).set({ stock_id: stock }).where(eq(companies.id, alpha)).run()
  const [ofAlpha, ofBeta] = [
    { dealer_id: cast.denis, company_id: alpha },
    { dealer_id: cast.daria, company_id: beta },
  ]
  const late = insertOrder(cabinet, 'production', { ...ofBeta, date_make: yesterday })
  const due = insertOrder(cabinet, 'production', { ...ofBeta, date_make: tomorrow, cost: 50_000_00 })
  const made = insertOrder(cabinet, 'pickup', { ...ofBeta, date_make: yesterday, receiver: 'Anna Karenina', phone: '+7(999) 123 45 67' })
  const sent = insertOrder(cabinet, 'delivery', { ...ofAlpha, date_make: yesterday, date_delivery: yesterday, cost: 10_000_00 })
  const paid = insertOrder(cabinet, 'payment', { ...ofAlpha, date_payment: '2026-02-28' })
  const done = insertOrder(cabinet, 'completed', { ...ofAlpha, date_make: yesterday, date_delivery: yesterday })
  const nobodys = insertOrder(cabinet, 'new', { created_at: Date.now() - 30 * day })
  const list = async (name: Name, query = '') => (await as(name)).get(`/orders?${query}`)
  const found = async (name: Name, query: string) => new Set(idsOf(await list(name, query), 'orders'))

  t.test('the queue of orders awaiting a user has as many orders as the dashboard counts', async (t) => {
    for (const name of names.filter((name) => name !== 'ivan')) {
      const dashboard = await (await as(name)).get('/')
      const count = parseHtml(dashboard.body)('#waiting-title .count').text()
      if (count) t.equal(totalOf(await list(name, 'waiting=1'), 'orders'), Number(count), name)
    }
    t.same(await found('pavel', 'waiting=1'), new Set([late, due]))
    t.same(await found('maria', 'waiting=1'), new Set([sent]))
    t.same(await found('pavel', 'mine=1'), new Set([late, due, made]), 'what production can move as well')
    for (const name of ['root', 'admin'] as const)
      t.same(await found(name, 'mine=1'), new Set([cast.order, late, due, made, sent, paid, nobodys]), `${name}: all but what is done`)
    t.same(await found('denis', 'waiting=1'), new Set([cast.order, paid]))
    t.same(await found('root', 'waiting=1'), new Set())
    const colleagues = insertOrder(cabinet, 'new', { ...ofAlpha, dealer_id: cast.roman })
    t.same(await found('denis', 'waiting=1'), new Set([cast.order, paid]), 'what a colleague ordered waits for the colleague')
    t.same(await found('roman', 'waiting=1'), new Set([colleagues]))
    t.same([await found('denis', 'mine=1'), await found('roman', 'mine=1')], [new Set([cast.order, paid]), new Set([colleagues])])
    db.delete(orders).where(eq(orders.id, colleagues)).run()
    t.same(await found('pavel', 'waiting=2'), await found('pavel', ''), 'anything else filters nothing')
  })

  t.test('an order is overdue by the date of its current status', async (t) => {
    t.same(await found('root', 'overdue=1'), new Set([late, sent]))
    const shown = await list('root', 'overdue=1&cols=date_make,date_delivery')
    t.equal(textOf(shown.body).match(/days? late/g)?.length, 2, 'once in each row')
  })

  t.test('a production user reads the queue by production date, grouped by day', async (t) => {
    const links = parseHtml((await (await as('pavel')).get('/')).body)('.sidebar a[href^="/orders"]').toArray()
    t.match(
      links.map(({ attribs }) => attribs.href),
      ['/orders', /\?waiting=1/],
      'which stands in the menu beside all orders',
    )
    const queue = await list('pavel', 'waiting=1&sort=date_make&cols=date_make')
    t.same(idsOf(queue, 'orders'), [late, due])
    t.same(elementsOf(queue.body, '.list-heading th').map(textOf), ['Overdue', `Tomorrow, ${inWords(tomorrow)}`])
    const whole = await list('root', 'sort=date_make&dir=asc&cols=date_make')
    t.match([nobodys, paid, cast.order], new Set(idsOf(whole, 'orders').slice(-3)), 'orders without a date come last')
    t.match(elementsOf(whole.body, '.list-heading th').map(textOf), ['Before today'], 'which is not late where it may be done')
    const back = await list('root', 'sort=date_make&dir=desc')
    t.equal(idsOf(back, 'orders')[0], due)
    t.notOk((await list('root')).body.includes('list-heading'))
  })

  t.test('what is to be made today is not late, and what is late by both its dates by the first of them', async (t) => {
    const now = insertOrder(cabinet, 'production', { ...ofBeta, date_make: dayOf(Date.now()), date_delivery: dayOf(Date.now() - 9 * day) })
    const queue = await list('pavel', 'waiting=1&sort=date_make&dir=asc')
    const days = [`Today, ${inWords(dayOf(Date.now()))}`, `Tomorrow, ${inWords(tomorrow)}`]
    t.same(elementsOf(queue.body, '.list-heading th').map(textOf), ['Overdue', ...days])
    const required = db
      .select({ id: statusTransitions.id, required_fields: statusTransitions.required_fields })
      .from(statusTransitions)
      .all()
    db.update(statusTransitions).set({ required_fields: [] }).run()
    db.update(orders).set({ date_make: yesterday }).where(eq(orders.id, now)).run()
    t.match(textOf(elementsOf((await (await as('root')).get(`/orders/${now}`)).body, '.order-state').join()), '1 day late')
    for (const { id, required_fields } of required)
      db.update(statusTransitions).set({ required_fields }).where(eq(statusTransitions.id, id)).run()
    db.delete(orders).where(eq(orders.id, now)).run()
  })

  t.test('a later day is named with its weekday', async (t) => {
    const later = insertOrder(cabinet, 'production', { ...ofBeta, date_make: '2099-12-05' })
    const queue = await list('pavel', 'waiting=1&sort=date_make&dir=asc')
    t.equal(textOf(elementsOf(queue.body, '.list-heading th').at(-1) ?? ''), 'Saturday, 5 December 2099')
    db.delete(orders).where(eq(orders.id, later)).run()
  })

  t.test('a day has one heading, however many orders it has', async (t) => {
    const many = Array.from({ length: 120 }, () => insertOrder(cabinet, 'production', { ...ofBeta, date_make: tomorrow }))
    const queue = await list('pavel', 'waiting=1&sort=date_make&dir=asc&size=all')
    t.equal(idsOf(queue, 'orders').length, many.length + 2)
    t.same(elementsOf(queue.body, '.list-heading th').map(textOf), ['Overdue', `Tomorrow, ${inWords(tomorrow)}`])
    for (const id of many) db.delete(orders).where(eq(orders.id, id)).run()
  })

  t.test('how late an order is, is marked alike in list, page, board and dashboard', async (t) => {
    const marks = (body: string, selector: string) => elementsOf(body, `${selector} .overdue`).map(textOf)
    const shown = async (name: Name, id: number) => {
      const [page, board, dashboard] = [`/orders/${id}`, '/orders/board', '/'].map(async (path) => (await (await as(name)).get(path)).body)
      const lines = elementsOf((await dashboard) as string, '.order-lines > li')
      return [
        marks((await list(name)).body, `#orders-${id} td`),
        marks((await list(name, 'cols=date_make,date_delivery')).body, `#orders-${id} td`),
        marks((await page) as string, '.order-state'),
        marks((await board) as string, `[data-order="${id}"]`),
        marks(lines.find((line) => textOf(line).startsWith(`#${id} `)) ?? '', 'li'),
      ]
    }
    const at = (days: number) =>
      db
        .update(orders)
        .set({ date_make: dayOf(Date.now() - days * day) })
        .where(eq(orders.id, late))
        .run()
    for (const [days, mark] of [
      [16, ['16 days late']],
      [1, ['1 day late']],
      [0, []],
      [-1, []],
    ] as const) {
      at(days)
      t.same(await shown('pavel', late), [mark, mark, mark, mark, mark], `${days} days ago`)
    }
    at(1)
    t.match(await shown('maria', sent), [['1 day late'], ['1 day late'], ['1 day late']], 'by the delivery date')
    t.same((await shown('root', done)).flat(), [], 'not once it is done')
  })

  t.test('orders are listed by whose turn it is, and the dashboard says how many are delayed for each', async (t) => {
    const turn = (name: string) => found('root', `turn=${name}`)
    t.same(await turn('production'), new Set([late, due]))
    t.same(await turn('manager'), new Set([made, sent]))
    t.same(await turn('dealer'), new Set([cast.order, paid, nobodys]))
    t.same(await turn('administrator'), new Set(), 'each of those for a manager has one')
    db.update(orders).set({ owner_manager_id: null }).where(eq(orders.id, sent)).run()
    t.same([await turn('manager'), await turn('administrator')], [new Set([made]), new Set([sent])], 'what has no manager is theirs')
    db.update(orders).set({ owner_manager_id: cast.maria }).where(eq(orders.id, sent)).run()
    t.same(await turn('nobody'), await found('root', ''), 'anything else filters nothing')
    t.same(await found('denis', 'turn=manager'), new Set([sent]), 'of what they see')
    const delayed = parseHtml((await (await as('root')).get('/')).body)('section[aria-labelledby=delayed-title]')
    const links = delayed.find('.order-line-heading a').toArray()
    t.ok(links.length >= 2)
    for (const link of links) {
      const [, count] = textOf(delayed.find(link).html() ?? '').match(/(\d+)$/) ?? []
      t.equal(
        totalOf(await list('root', delayed.find(link).attr('href')?.split('?')[1]), 'orders'),
        Number(count),
        delayed.find(link).text(),
      )
    }
  })

  t.test('managers see which of their orders others delay, and what waits for them is not said again', async (t) => {
    const slow = insertOrder(cabinet, 'payment', { ...ofAlpha, created_at: daysAgo(5) })
    const beyond = insertOrder(cabinet, 'payment', { ...ofBeta, created_at: daysAgo(5) })
    const home = parseHtml((await (await as('maria')).get('/')).body)
    const delayed = home('section[aria-labelledby=delayed-title]')
    t.same(delayed.find('a.order-line').text(), `#${slow}`, 'without those of other managers')
    t.match(home('section[aria-labelledby=waiting-title] a.order-line').text(), `#${sent}`)
    t.equal(delayed.find('.card-title .count').text(), '2', 'as many as are delayed')
    t.match(delayed.find('header').text(), 'above: 1')
    t.equal(delayed.find('.order-lines-more').length, 0, 'none of which is out of sight')
    for (const id of [slow, beyond]) db.delete(orders).where(eq(orders.id, id)).run()
  })

  t.test('the time in a status is a plain number in the list, and words in red on the dashboard', async (t) => {
    const cell = elementsOf((await list('root', 'cols=since')).body, `#orders-${nobodys} [data-col=since]`)[0] as string
    t.equal(textOf(cell), '30 days')
    t.same(parseHtml(cell)('td').attr('class'), 'moment', 'it is not marked as late')
    const home = parseHtml((await (await as('root')).get('/')).body)
    t.same(home('[aria-labelledby=delayed-title] .order-line-since.is-late').text().trim(), '30 days without progress')
  })

  t.test('administrators see first what has been overdue longest, then what has been longest in its status', async (t) => {
    const delayed = async () =>
      elementsOf((await (await as('root')).get('/')).body, '[aria-labelledby=delayed-title] a.order-line').map((line) => textOf(line))
    const longest = insertOrder(cabinet, 'production', { ...ofBeta, date_make: dayIn(-9) })
    t.same((await delayed()).slice(0, 2), [`#${longest}`, `#${late}`], 'though it is newer in its status')
    t.ok((await delayed()).indexOf(`#${nobodys}`) > 1)
    const since = (days: number) => insertOrder(cabinet, 'apply', { ...ofBeta, created_at: daysAgo(days) })
    const [new_, ...old] = [2, 3, 4, 5].map(since)
    const ended = insertOrder(cabinet, 'completed', { ...ofBeta, created_at: Date.now() - 9 * day, date_make: yesterday })
    const all = await found('root', 'delayed=1')
    t.same(all, new Set([longest, late, sent, nobodys, ...old]), 'and the list has no others')
    const home = parseHtml((await (await as('root')).get('/')).body)('section[aria-labelledby=delayed-title]')
    t.same([home.find('.card-title .count').text(), textOf(home.find('.order-lines-more').html() ?? '')], [String(all.size), 'and 2 more'])
    for (const id of [longest, new_ as number, ...old, ended]) db.delete(orders).where(eq(orders.id, id)).run()
  })

  t.test('production sees what is to be made first, day by day, on dashboard and board', async (t) => {
    const undated = insertOrder(cabinet, 'production', { ...ofBeta, created_at: Date.now() - 90 * day })
    const linesOfPavel = async () =>
      elementsOf((await (await as('pavel')).get('/')).body, '.order-lines > li').map((line) => textOf(line).replace(/ .*/, ''))
    t.same(await linesOfPavel(), ['Overdue', `#${late}`, 'Tomorrow,', `#${due}`, 'No', `#${undated}`])
    const second = insertOrder(cabinet, 'production', { ...ofBeta, date_make: tomorrow })
    t.same(
      await linesOfPavel(),
      ['Overdue', `#${late}`, 'Tomorrow,', `#${due}`, `#${second}`, 'No', `#${undated}`],
      'a day has one heading',
    )
    db.delete(orders).where(eq(orders.id, second)).run()
    const link = parseHtml((await (await as('pavel')).get('/')).body)('[aria-labelledby=waiting-title] header a').attr('href') as string
    t.same(idsOf(await (await as('pavel')).get(link), 'orders'), [late, due, undated], 'the list goes on in the same order')
    const many = Array.from({ length: 9 }, (_, at) =>
      insertOrder(cabinet, 'production', { ...ofBeta, date_make: dayOf(Date.now() + (20 - at) * day) }),
    )
    const onBoard = async (name: Name) => {
      const column = elementsOf(
        (await (await as(name)).get('/orders/board')).body,
        `[data-status="${statusId('production')}"]`,
      )[0] as string
      return {
        ids: elementsOf(column, '[data-order]').map((card) => Number(parseHtml(card)('li').attr('data-order'))),
        more: parseHtml(column)('section > p a').attr('href') as string,
      }
    }
    const { ids, more } = await onBoard('pavel')
    t.same(ids, [late, due, ...many.toReversed().slice(0, 8)])
    t.same(idsOf(await (await as('pavel')).get(more), 'orders').slice(0, 10), ids)
    t.equal((await onBoard('mikhail')).ids[0], undated, 'everybody else sees what has waited longest')
    for (const id of [undated, ...many]) db.delete(orders).where(eq(orders.id, id)).run()
  })

  t.test('an order is stuck after the given number of days in a status that is not final', async (t) => {
    t.same(await found('root', 'stuck=30'), new Set([nobodys]))
    for (const days of [31, 365, 9999]) t.same(await found('root', `stuck=${days}`), new Set(), String(days))
    t.notOk((await found('root', 'stuck=0')).has(done))
    const at = daysAgo(1) - 1
    const old = insertOrder(cabinet, 'apply', { ...ofAlpha, created_at: Date.now() - 9 * day })
    db.insert(orderHistory).values({ order_id: old, at, to_status_id: 2, actor_name: 'x' }).run()
    t.same(await found('root', 'stuck=2'), new Set([nobodys, old]))
    t.same(await found('root', 'stuck=3'), new Set([nobodys]), 'since when it is in its status, however old it is')
    t.match(textOf((await list('root', 'cols=since&sort=since&dir=asc')).body), /30 days/)
    db.delete(orders).where(eq(orders.id, old)).run()
  })

  t.test('orders are filtered by every date and by cost, both limits included', async (t) => {
    t.same(await found('root', `date_make_from=${tomorrow}`), new Set([due]))
    t.same(await found('root', `date_make_until=${yesterday}&date_delivery_from=${yesterday}`), new Set([sent, done]))
    t.same(await found('root', 'date_payment_from=2026-02-28&date_payment_until=2026-02-28'), new Set([paid]))
    t.same(await found('root', `created_until=${dayOf(Date.now() - 29 * day)}`), new Set([nobodys]))
    t.same(await found('root', 'cost_from=10000&cost_until=10000,00'), new Set([sent]))
    t.same(await found('root', `created_from=${tomorrow}&created_until=${yesterday}`), new Set(), 'from after until finds nothing')
    for (const odd of ['created_from=2026-02-30', 'date_make_until=tomorrow', 'cost_from=-1', 'stuck=-1', 'stuck=1e9', 'overdue=yes'])
      t.same(await found('root', odd), await found('root', ''), odd)
  })

  t.test('orders are filtered by warehouse, by production site and by having no manager', async (t) => {
    t.same(await found('root', `stock=${stock}`), new Set([cast.order, sent, paid, done]))
    t.same(await found('root', `manufacture=${cast.site}`), new Set([late, due, made]))
    t.same(await found('root', 'manager=none'), new Set([nobodys]))
    t.same(await found('denis', `manufacture=${cast.site}`), new Set())
  })

  t.test('customer and phone are optional columns of the order list', async (t) => {
    const page = await list('root', `cols=receiver,phone,date_delivery&status=${statusId('pickup')}`)
    t.same(
      columnsOf(page)
        .filter((name) => ['date_delivery', 'receiver', 'phone'].includes(name))
        .toSorted(),
      ['date_delivery', 'phone', 'receiver'],
    )
    t.match(textOf(page.body), /Anna Karenina.*\+7\(999\) 123 45 67/s)
  })
  t.test('the time of the last message is an optional column that ignores internal and withdrawn messages', async (t) => {
    const at = Date.UTC(2026, 0, 15, 12)
    const message = { order_id: sent, author_id: cast.maria, author_name: 'Maria', author_group: 3, text: 'x' }
    db.insert(orderMessages)
      .values([
        { ...message, at },
        { ...message, at: at + 40 * day, internal: true },
        { ...message, at: at + 80 * day, withdrawn_at: at },
      ])
      .run()
    for (const name of ['root', 'denis'] as const) {
      const row = rowsOf(await list(name, 'cols=last_message'), 'orders').find(({ id }) => id === sent)
      t.match(row?.cells.last_message, '15 Jan', name)
    }
  })
})

t.test('what waits is counted for each person by itself, also where nothing was written between', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  for (const dealer of [cast.denis, cast.denis, cast.daria]) insertOrder(cabinet, 'new', { dealer_id: dealer })
  const waiting = (id: number) => countOf(db, orderList(db), personReader(db)(id) as Person, 'waiting=1')
  t.same([waiting(cast.denis), waiting(cast.daria), waiting(cast.denis)], [3, 1, 3], 'with the one of the cast')
})
