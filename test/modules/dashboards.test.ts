import { eq, inArray } from 'drizzle-orm'
import t from 'tap'
import { addDays } from '../../src/core/days.ts'
import {
  accessRequests,
  companies,
  orderItems,
  orders,
  payments,
  policies,
  statuses,
  statusTransitions,
} from '../../src/database/schema/index.ts'
import { formatDateTime, formatPeriod, shortDateFormatter, today } from '../../src/i18n/format.ts'
import { type Answer, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { daysAgo } from '../support/days.ts'
import { attributesOf, columnsOf, elementsOf, hiddenOf, idsOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { at } from '../support/later.ts'
import { insertOrder, statusId } from '../support/orders.ts'

const day = 24 * 3600_000
const dayOf = (moment: number) => new Date(moment).toLocaleDateString('sv')

const linesOf = ({ body }: Answer, caption: string) =>
  elementsOf(body, `.order-lines[aria-label="${caption}"] > li:not(.order-line-heading:not(.order-line-day))`).map((line) => ({
    id: Number(/#(\d+)/.exec(textOf(line))?.[1]),
    text: textOf(line),
    line,
  }))
const idsIn = (answer: Answer, caption: string) => linesOf(answer, caption).map(({ id }) => id)
const headings = ({ body }: Answer) => elementsOf(body, 'main h2').map((heading) => textOf(heading).replace(/ \d+$/, ''))

t.test('dashboards', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  const home = async (name: Name) => (await as(name)).get('/')
  const setOrderFiles = (id: number) => db.update(orders).set({ specification: 'a.pdf', invoice: 'b.pdf' }).where(eq(orders.id, id)).run()

  t.test('each group sees its own parts', async (t) => {
    const tiles = ['Overdue', 'No progress']
    const shown = async (name: Name) => (await home(name)).body
    const has = async (name: Name, expected: string[], absent: string[]) => {
      const found = headings(await home(name))
      for (const title of expected) t.ok(found.includes(title), `${name} sees ${title}`)
      for (const title of absent) t.notOk(found.includes(title), `${name} does not see ${title}`)
    }
    const since = (days: number) =>
      db
        .update(orders)
        .set({ status_since: daysAgo(days) })
        .run()
    since(2)
    await has('root', tiles, ['Delayed orders'])
    since(3)
    const rootHome = await home('root')
    await has('root', [...tiles, 'Orders this month', 'Revenue this month', 'Orders in progress', 'Delayed orders'], ['Finished orders'])
    const [figures, slowest] = ['Overdue', 'Delayed orders'].map((title) => headings(rootHome).indexOf(title))
    t.ok((slowest as number) < (figures as number), 'what is late stands above the numbers')
    await has('maria', [...tiles, 'Orders this month', 'Revenue this month', 'Orders in progress', 'Delayed orders'], ['Finished orders'])
    const ofSales = [...tiles, 'Orders in progress', 'Finished orders', 'Delayed orders', 'Orders this month', 'Revenue this month']
    await has('pavel', [], ofSales)
    await has('denis', ['Waiting for you'], ['Orders in progress', 'Finished orders', 'Overdue', 'Delayed orders', 'Orders this month'])
    for (const [name, offered] of [
      ['denis', true],
      ['maria', true],
      ['pavel', false],
      ['root', true],
    ] as const)
      t.equal(elementsOf(await shown(name), '.page-header a[href="/orders/add"]').length === 1, offered, `${name} is offered a new order`)
    revoke(db, cast.clerk, 'order_can_view')
    await has('clerk', [], ['Orders in progress', 'Delayed orders'])
    await (await as('denis')).post(`/orders/${cast.order}/messages`, { text: 'When?' })
    t.match(textOf(await shown('maria')), 'Orders Unread messages: 1')
    t.equal(elementsOf(await shown('maria'), '.menu-count:not(.is-news)').length, 0, 'which is news and no work')
    t.equal(elementsOf(await shown('maria'), '.pending-task').length, 0, 'unread orders are no task of their own')
  })

  t.test('that nothing waits is said where nothing else is to be done', async (t) => {
    const waiting = async () =>
      elementsOf((await home('root')).body, '.caught-up')
        .map(textOf)
        .join()
    t.equal(await waiting(), '', 'not above what is late')
    db.update(orders).set({ status_since: Date.now() }).run()
    t.match(await waiting(), "You're all caught up.")
    const payment = { order_id: cast.order, company_id: cast.companies.alpha, amount: 100, date: dayOf(Date.now()) }
    const reported = db
      .insert(payments)
      .values({ ...payment, kind: 'transfer', state: 'reported', reporter_name: 'Denis', at: Date.now() } as never)
      .returning()
      .get()
    t.equal(elementsOf((await home('root')).body, '.pending-task').length, 0, 'what is listed is not counted above')
    t.equal(elementsOf((await home('root')).body, '.reported-lines li').length, 1)
    t.equal(await waiting(), '')
    db.delete(payments).where(eq(payments.id, reported.id)).run()
    t.match(await waiting(), "You're all caught up.")
    const policy = db.select().from(policies).get()?.id as number
    const asked = db.insert(accessRequests).values({ user_id: cast.plain, policy_id: policy, created_at: 1 }).returning().get()
    t.equal(await waiting(), '', 'nor where a task has no part of its own')
    db.delete(accessRequests).where(eq(accessRequests.id, asked.id)).run()
  })

  t.test('payments that wait for a confirmation are confirmed where one sees them, by whoever may', async (t) => {
    const payment = { order_id: cast.order, company_id: cast.companies.alpha, kind: 'transfer', reporter_name: 'Denis', at: Date.now() }
    const rows = [100, 200, 300, 400, 500, 600].map((amount) => {
      const file = amount === 600 ? '00000000000000000000000000000000.pdf' : null
      return { ...payment, amount, file, state: 'reported', date: '2026-03-04' }
    })
    const stored = db
      .insert(payments)
      .values(rows as never)
      .returning()
      .all()
    const shown = async (name: Name) => elementsOf((await home(name)).body, '.reported-lines > li').map(textOf)
    t.equal((await shown('root')).length, 5)
    const links = elementsOf((await home('root')).body, '.reported-tools a').map(attributesOf)
    t.match(
      links.map(({ href }) => href?.replace(/\d+/, 'N')),
      ['/payments/N/reject?home=1', '/files/N.pdf/preview', ...Array(4).fill('/payments/N/reject?home=1')],
      'the refusal of each, and then the slip of the one that has it',
    )
    t.match((await shown('root'))[0], /^#\d+ Alpha Windows Denis · \S*2026 .*Confirm Reject$/, 'the keyboard comes to Confirm first')
    t.match(textOf(elementsOf((await home('root')).body, '[aria-labelledby=reported-title]').join()), /Payments to confirm 6 .* and 1 more/)
    t.same(await shown('maria'), [], 'who may not confirm is not asked to')
    const root = await as('root')
    const [first, second] = elementsOf((await home('root')).body, '.reported-lines form').map((form) => attributesOf(form).action ?? '')
    const answer = await root.post(first as string, { home: '1' })
    t.same([answer.statusCode, answer.headers.location], [303, '/'])
    const stateOf = (action = '') =>
      db
        .select()
        .from(payments)
        .where(eq(payments.id, Number(/\d+/.exec(action)?.[0])))
        .get()?.state
    t.same([stateOf(first), stateOf(second)], ['confirmed', 'reported'])
    t.equal((await shown('root')).length, 5, 'the next one has moved up')
    t.equal((await (await as('maria')).post(second as string, { home: '1' })).statusCode, 403)
    for (const { id } of stored) db.delete(payments).where(eq(payments.id, id)).run()
  })

  t.test('whoever signs in is greeted by name', async (t) => {
    t.same(elementsOf((await home('root')).body, 'h1').map(textOf), ['Hello, Olga'])
    t.same(elementsOf((await home('denis')).body, 'h1').map(textOf), ['Hello, Denis'])
  })

  t.test('the queues show the orders that have waited longest, the latest ones the newest', async (t) => {
    db.delete(orders).run()
    const ages = [4, 9, 2, 7, 1, 8, 3, 6, 5, 12, 10, 11]
    const ids = ages.map((age) => insertOrder(cabinet, 'new', { ...of, created_at: Date.now() - age * day }))
    const done = insertOrder(cabinet, 'completed', { ...of, created_at: Date.now() - 99 * day })
    const asked = insertOrder(cabinet, 'apply', { ...of, created_at: daysAgo(0) })
    const byAge = [...ids].sort((a, b) => (ages[ids.indexOf(b)] as number) - (ages[ids.indexOf(a)] as number))
    const denis = await home('denis')
    t.same(idsIn(denis, 'Waiting for you'), byAge.slice(0, 10))
    t.equal(textOf(elementsOf(denis.body, '#waiting-title .count').join()), '12')
    const more = parseHtml(denis.body)('.order-lines-more a')
    t.equal(more.text(), 'and 2 more')
    t.equal(more.attr('href'), parseHtml(denis.body)('[aria-labelledby=waiting-title] header a').attr('href'))
    t.same(
      [idsIn(denis, 'Orders in progress'), idsIn(denis, 'Finished orders')],
      [[asked], [done]],
      'none of those that wait for the dealer',
    )
    const waits = elementsOf(denis.body, '[aria-labelledby=in-progress-title], [aria-labelledby=finished-title]').flatMap((part) =>
      elementsOf(part, '.order-line-since').map(textOf),
    )
    t.same(
      waits,
      ['today', `since ${shortDateFormatter('en')(Date.now() - 99 * day).replace(/\u00a0/g, ' ')}`],
      'what is done says since when',
    )
    const later = insertOrder(cabinet, 'apply', { ...of, created_at: daysAgo(1) })
    db.update(orders).set({ status_since: Date.now() }).where(eq(orders.id, later)).run()
    t.same(idsIn(await home('denis'), 'Orders in progress'), [later, asked], 'the one that moved last comes first')
    db.delete(orders).where(eq(orders.id, later)).run()
    for (let count = 0; count < 5; count++) insertOrder(cabinet, 'canceled', { ...of, created_at: Date.now() - (20 + count) * day })
    t.equal(idsIn(await home('denis'), 'Finished orders').length, 3, 'of what is finished there are few')
    const made = Array.from({ length: 6 }, () => insertOrder(cabinet, 'production', { ...of, date_make: '2099-01-05' }))
    const busy = await home('denis')
    t.same(idsIn(busy, 'Orders in progress').length, 5)
    t.match(
      textOf(elementsOf(busy.body, '[aria-labelledby=in-progress-title]').join()),
      /by 5 Jan 2099 .* and 2 more$/,
      'by when, and how many more',
    )
    db.delete(orders).where(inArray(orders.id, made)).run()
    const root = await home('root')
    const { href } = attributesOf(elementsOf(root.body, '[aria-labelledby=delayed-title] a.order-line')[0] ?? '')
    const opened = parseHtml((await (await as('root')).get(href as string)).body)
    t.same(
      [opened('.back-link').attr('href'), textOf(opened('.back-link').html() ?? '')],
      ['/', 'Dashboard'],
      'and back to where they stand',
    )
    t.match(opened('[rel=next]').attr('href'), `/orders/${byAge[1]}?`, 'with the next one of their list')
    t.same(idsIn(root, 'Delayed orders'), byAge.slice(0, 5), 'without those that are done')
    const pipeline = parseHtml(root.body)('[aria-labelledby=pipeline-title] header a').attr('href')
    t.equal(pipeline, '/orders?open=1', 'all in progress, and no others')
    for (const [title, answer] of [
      ['waiting-title', denis],
      ['delayed-title', root],
    ] as const) {
      const href = parseHtml(answer.body)(`[aria-labelledby=${title}] header a`).attr('href') as string
      const list = await (await as(answer === root ? 'root' : 'denis')).get(href)
      t.same(idsOf(list, 'orders').slice(0, 6), byAge.slice(0, 6), 'the list goes on in the same order')
      t.ok(columnsOf(list).includes('since'), 'and says how long each has waited')
    }
    db.delete(orders).where(inArray(orders.id, ids)).run()
    t.same(idsIn(await home('denis'), 'Orders in progress'), [asked], 'whether any waits or not')
  })

  t.test('an order whose payment somebody may confirm stands there alone, and waits for nobody who may not', async (t) => {
    db.delete(orders).run()
    const long = { ...of, created_at: Date.now() - 9 * day }
    const [paid, other] = ['apply', 'apply'].map((status) => insertOrder(cabinet, status, { ...long, cost: 100 }))
    const payment = { order_id: paid, company_id: cast.companies.alpha, amount: 100, date: '2026-03-04', kind: 'transfer', at: Date.now() }
    const insert = (state: string) =>
      db
        .insert(payments)
        .values({ ...payment, state, reporter_name: 'Denis' } as never)
        .returning()
        .get().id
    const kept = [insert('rejected'), insert('reported')]
    t.same(idsIn(await home('root'), 'Delayed orders'), [other])
    t.same(idsIn(await home('maria'), 'Waiting for you'), [other])
    t.same(idsOf(await (await as('maria')).get('/orders?waiting=1'), 'orders'), [other], 'in the list as on the dashboard')
    t.equal(textOf(elementsOf((await home('maria')).body, '#waiting-title .count').join()), '1')
    revoke(db, cast.maria, 'order_can_view_prices')
    t.same(idsIn(await home('maria'), 'Waiting for you'), [paid, other], 'who sees no prices knows of no payment')
    grant(db, cast.maria, 'order_can_view_prices')
    grant(db, cast.maria, 'payment_can_confirm')
    const may = await home('maria')
    t.same([idsIn(may, 'Payments to confirm'), idsIn(may, 'Waiting for you')], [[paid], [other]])
    revoke(db, cast.maria, 'payment_can_confirm')
    db.update(orders)
      .set({ status_id: statusId('payment') })
      .run()
    t.same(idsIn(await home('denis'), 'Waiting for you'), [paid, other], 'a dealer goes on reporting')
    db.update(orders)
      .set({ status_id: statusId('apply') })
      .run()
    db.delete(payments).where(inArray(payments.id, kept)).run()
    t.same(idsIn(await home('root'), 'Delayed orders'), [paid, other], 'once it is decided it is one of them again')
  })

  t.test('an order that waits names the steps that are next for this user, without giving up', async (t) => {
    db.delete(orders).run()
    db.insert(statusTransitions)
      .values({ parent_status_id: statusId('new'), child_status_id: statusId('paid'), manager_can: true, action_name: 'Skip' })
      .run()
    const [fresh, last] = [insertOrder(cabinet, 'new', of), insertOrder(cabinet, 'install', of)]
    const asked = insertOrder(cabinet, 'apply', of)
    const next = async (name: Name) =>
      Object.fromEntries(
        linesOf(await home(name), 'Waiting for you').map(({ id, line }) => [id, textOf(elementsOf(line, '.order-line-next').join())]),
      )
    t.same(await next('maria'), { [asked]: 'Request payment', [last]: 'Complete order' })
    t.same(await next('denis'), { [fresh]: 'Send for signing' })
    db.update(statusTransitions).set({ action_name: '' }).where(eq(statusTransitions.action_name, 'Skip')).run()
    db.update(statuses)
      .set({ expected: 'manager' })
      .where(eq(statuses.id, statusId('new')))
      .run()
    t.match(await next('maria'), { [fresh]: 'Send for signing Move to Under review' })
    t.same(await next('denis'), {})
    db.update(statuses)
      .set({ expected: 'default' })
      .where(eq(statuses.id, statusId('new')))
      .run()
  })

  t.test('a step is taken in its row, asks in the dialog for what it requires, and is undone where it was taken', async (t) => {
    db.delete(orders).run()
    const [first, second] = [insertOrder(cabinet, 'new', of), insertOrder(cabinet, 'new', of)]
    const statusOf = (id: number) => db.select().from(orders).where(eq(orders.id, id)).get()?.status_id
    const denis = await as('denis')
    const formIn = async (browser: typeof denis, id: number) => {
      const $ = parseHtml((await browser.get('/')).body)
      const form = $(`.order-lines li:has(a[href^="/orders/${id}?"]) .order-line-next form`)
      const fields = form
        .find('input')
        .toArray()
        .map((input) => [input.attribs.name, input.attribs.value])
      const button = form.find('button')
      const attributes: Record<string, string> = form.attr() ?? {}
      return {
        ...attributes,
        action: attributes.action ?? '',
        fields: { ...Object.fromEntries(fields), transition_id: button.attr('value') },
        label: button.attr('aria-label'),
      }
    }
    const sends = await formIn(denis, second)
    t.equal(sends.label, `Send for signing: #${second}`)
    const sent = await denis.post(sends.action, sends.fields)
    t.same([sent.statusCode, sent.headers.location], [303, '/'])
    t.same([statusOf(first), statusOf(second)], [statusId('new'), statusId('apply')], 'the order of the row, and no other')
    const after = await denis.get('/')
    t.match(textsByRole(after, 'status').join(), `Order #${second} moved to Awaiting signing`)
    const undo = parseHtml(after.body)('.flash form')
    const undone = await denis.post(
      undo.attr('action') as string,
      Object.fromEntries(
        undo
          .find('input')
          .toArray()
          .map(({ attribs }) => [attribs.name, attribs.value]),
      ),
      { referer: 'http://localhost/' },
    )
    t.equal(undone.headers.location, '/')
    t.equal(statusOf(second), statusId('new'))
    db.update(orders)
      .set({ status_id: statusId('apply') })
      .where(eq(orders.id, first))
      .run()
    const maria = await as('maria')
    const asks = await formIn(maria, first)
    t.match(asks, { method: 'get', action: `/orders/${first}#step`, 'hx-get': `/orders/${first}`, 'hx-target': '#dialog' })
    const query = new URLSearchParams(asks.fields as Record<string, string>)
    for (const headers of [{}, htmx]) {
      const asked = await maria.get(`/orders/${first}?${query}`, headers)
      t.same(hiddenOf(asked, 'home').slice(0, 1), ['1'], 'the form of the step knows where it was asked for')
    }
    const refused = await maria.post(`/orders/${first}/transition`, asks.fields as Record<string, string>)
    t.equal(refused.statusCode, 422)
    t.same(hiddenOf(refused, 'home').slice(0, 1), ['1'], 'and still does when something is missing')
    setOrderFiles(first)
    const moved = await maria.post(`/orders/${first}/transition`, asks.fields as Record<string, string>)
    t.same([moved.statusCode, moved.headers.location], [303, '/'])
    t.equal(statusOf(first), statusId('payment'))
  })

  t.test('a late order is marked, and one says how long it has waited', async (t) => {
    db.delete(orders).run()
    const made = { ...of, created_at: daysAgo(3) }
    const late = insertOrder(cabinet, 'production', { ...made, date_make: '2020-01-01' })
    const early = insertOrder(cabinet, 'production', { ...made, date_make: '2099-01-01' })
    const marks = linesOf(await home('root'), 'Delayed orders').map(({ id, text, line }) => [
      id,
      /3 days/.test(text) && elementsOf(line, '.order-line-since')[0]?.includes(`title="${formatDateTime(made.created_at)}"`),
      elementsOf(line, '.overdue').map(textOf).join(),
    ])
    t.same(marks, [
      [late, true, `${Math.round((Date.parse(dayOf(Date.now())) - Date.parse('2020-01-01')) / day)} days late`],
      [early, true, ''],
    ])
  })

  t.test('an administrator sees first what is overdue, then what has been longest in its status, and for whom each waits', async (t) => {
    db.delete(orders).run()
    const created = (days: number) => ({ ...of, created_at: daysAgo(days) })
    const slow = insertOrder(cabinet, 'apply', created(20))
    const late = insertOrder(cabinet, 'production', { ...created(1), date_make: '2020-01-01' })
    insertOrder(cabinet, 'production', created(1))
    const slowest = insertOrder(cabinet, 'new', created(30))
    db.insert(orderItems).values({ order_id: slow, name: 'Gate', quantity: 1, price: 1, discount: 0 }).run()
    const delayed = async () => elementsOf((await home('root')).body, '[aria-labelledby=delayed-title] li').map(textOf)
    t.match(await delayed(), [
      /^Orders that wait for production 1$/,
      new RegExp(`^#${late} Alpha Windows .* late 1 day in this status 0,00 ₽$`),
      /^Orders that wait for the dealer 1$/,
      new RegExp(`^#${slowest} .* 30 days without progress .* Remind$`),
      /^Orders that wait for the manager 1$/,
      new RegExp(`^#${slow} Alpha Windows Gate Awaiting signing 20 days without progress`),
    ])
    const second = insertOrder(cabinet, 'apply', created(19))
    const shown = await delayed()
    t.match(shown, [/production 1$/, `#${late}`, /dealer 1$/, `#${slowest}`, /manager 2$/, `#${slow}`, `#${second}`], 'each is said once')
    t.equal(shown.length, 7, 'none that came into its status yesterday')
    for (let more = 0; more < 10; more++) insertOrder(cabinet, 'production', { ...created(1), date_make: '2020-01-02' })
    const lines = await delayed()
    t.match(lines.slice(0, 2), [/production 11$/, `#${late}`])
    t.same(
      [lines.length, lines.filter((line) => line.includes('late')).length],
      [11, 10],
      'up to ten that are overdue, and then nothing else',
    )
  })

  t.test('what waits for somebody says what it costs, to whoever sees prices, and in red once it is forgotten', async (t) => {
    db.delete(orders).run()
    for (const days of [13, 14]) insertOrder(cabinet, 'apply', { ...of, cost: 700_00, created_at: daysAgo(days) })
    const shown = async () =>
      linesOf(await home('maria'), 'Waiting for you').map(({ line }) => [
        ...elementsOf(line, '.order-line-cost').map((cost) => attributesOf(cost)['data-kopecks']),
        ...elementsOf(line, '.order-line-since.is-late').map(textOf),
      ])
    t.same(await shown(), [['70000', '14 days without progress'], ['70000']])
    t.match(textOf(elementsOf((await home('maria')).body, '.tile-number.is-late').join()), /^1$/, 'as many as the figure says')
    revoke(db, cast.maria, 'order_can_view_prices')
    t.same(await shown(), [['14 days without progress'], []])
    grant(db, cast.maria, 'order_can_view_prices')
    insertOrder(cabinet, 'completed', { ...of, created_at: Date.now() - 30 * day })
    const finished = linesOf(await home('denis'), 'Finished orders').map(({ line }) => elementsOf(line, '.is-late').length)
    t.same(finished, [0], 'what is finished is not forgotten')
    insertOrder(cabinet, 'production', { ...of, date_make: '2020-01-01', created_at: Date.now() - 30 * day })
    const delayed = linesOf(await home('root'), 'Delayed orders').map(({ line }) => [
      /\d days late/.test(textOf(line)),
      /without progress/.test(textOf(line)),
    ])
    t.same(delayed[0], [true, false], 'what is late says that')
  })

  t.test('overdue orders say for how long the oldest of them is', async (t) => {
    db.delete(orders).run()
    const note = async () => textOf(elementsOf((await home('root')).body, '.tile-note')[0] ?? '')
    insertOrder(cabinet, 'production', { ...of, date_make: today() })
    t.equal(await note(), 'all in time')
    insertOrder(cabinet, 'production', { ...of, date_make: addDays(today(), -2) })
    insertOrder(cabinet, 'production', { ...of, date_make: addDays(today(), -5) })
    t.equal(await note(), 'the oldest 5 days')
  })

  t.test('production reads what is late once, at the head of the queue, and nothing of what there is none', async (t) => {
    db.delete(orders).run()
    db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
    const made = { ...of, manufacture_id: cast.site, date_make: '2020-01-01' }
    const late = [insertOrder(cabinet, 'production', made), insertOrder(cabinet, 'production', made)]
    insertOrder(cabinet, 'production', { ...made, date_make: today() })
    insertOrder(cabinet, 'delivery', { ...made, date_delivery: '2020-01-02' })
    const pavel = await home('pavel')
    const page = parseHtml(pavel.body)
    t.match(textOf(page('.order-line-heading').first().html() ?? ''), /^Overdue 2 orders/)
    t.same(idsIn(pavel, 'Waiting for you').filter(Number.isInteger).slice(0, 2).sort(), late)
    t.equal(linesOf(pavel, 'Waiting for you').filter(({ line }) => elementsOf(line, '.overdue').length).length, 2)
    t.same(
      page('.tile h2')
        .toArray()
        .map((one) => page(one).text()),
      ['To make today', 'To make this week'],
    )
  })

  t.test('a week is from Monday to Sunday in the time zone, and its line is of the orders that one sees', async (t) => {
    db.delete(orders).run()
    const now = new Date()
    const monday = now.getDate() - ((now.getDay() + 6) % 7)
    const at = (days: number, hour: number) => new Date(now.getFullYear(), now.getMonth(), monday + days, hour, 10).getTime()
    for (const [cost, days, hour] of [
      [100_00, 0, 0],
      [200_00, -1, 23],
      [400_00, -7, 0],
      [800_00, -77, 0],
      [1600_00, -78, 23],
    ] as const)
      insertOrder(cabinet, 'completed', { ...of, cost, created_at: at(days, hour) })
    insertOrder(cabinet, 'new', { dealer_id: cast.daria, company_id: cast.companies.beta, cost: 3200_00, created_at: at(0, 0) })
    const weeks = async (name: Name, title: string) =>
      elementsOf(
        (await (await as(name)).get(title === 'Orders by week' ? '/' : '/?chart=amount')).body,
        `.chart[aria-label="${title}"] title`,
      ).map((words) => Number(textOf(words).split(': ')[1]?.replace(/\D/g, '')))
    const none = Array.from({ length: 9 }, () => 0)
    t.same(await weeks('maria', 'Orders by week'), [1, ...none, 2, 1])
    t.same(await weeks('maria', 'Amounts by week'), [800, ...none, 600, 100])
    t.same(await weeks('root', 'Amounts by week'), [800, ...none, 600, 3300])
    const name = elementsOf((await home('maria')).body, '.chart[aria-label="Orders by week"] [role=rowheader]').at(-1) as string
    const [from, until] = [at(0, 0), at(6, 0)].map((moment) => new Date(moment).toLocaleDateString('ru'))
    t.equal(attributesOf(name)['aria-label'], `${from} – ${until}`)
  })

  t.test('the age of orders in progress counts days since they were created', async (t) => {
    db.delete(orders).run()
    const now = new Date()
    const at = (days: number, hour: number, minute: number) =>
      new Date(now.getFullYear(), now.getMonth(), now.getDate() - days, hour, minute).getTime()
    for (const [days, hour, minute] of [
      [3, 0, 1],
      [4, 23, 59],
      [7, 0, 1],
      [8, 23, 59],
      [14, 0, 1],
      [15, 23, 59],
      [99, 1, 1],
      [100, 1, 1],
    ] as const)
      insertOrder(cabinet, 'new', { ...of, created_at: at(days, hour, minute) })
    insertOrder(cabinet, 'completed', { ...of, created_at: at(99, 1, 1) })
    const ages = elementsOf((await home('maria')).body, '.chart[aria-label="Age of orders in progress"] title').map(textOf)
    t.same(ages, ['0 to 3 days: 1', '4 to 7 days: 2', '8 to 14 days: 2', '15 days or more: 3'])
  })

  t.test('a status says how long half of its orders have been in it, of those that one sees', async (t) => {
    db.delete(orders).run()
    const insert = (status: string, days: number, owner: object) => insertOrder(cabinet, status, { ...owner, created_at: daysAgo(days) })
    const ofBeta = { dealer_id: cast.daria, company_id: cast.companies.beta }
    for (const days of [1, 2, 9]) insert('new', days, of)
    for (const days of [20, 30]) insert('new', days, ofBeta)
    insert('paid', 1, of)
    const medians = async (name: Name) => {
      const rows = elementsOf((await home(name)).body, '.pipeline-stages tbody tr').map((row) => elementsOf(row, 'th, td').map(textOf))
      return Object.fromEntries(rows.map(([status, count, median]) => [status, `${count}: ${median}`]))
    }
    t.strictSame(await medians('maria'), { New: '3: 2 days', 'Under review': '1: 1 day' }, 'what has no orders takes no line')
    const widths = async (name: Name) => {
      const bars = elementsOf((await home(name)).body, '.stage-bar rect')
      return [...new Set(bars.map((bar) => parseHtml(bar)('rect').attr('width')))].sort()
    }
    t.same(await widths('maria'), ['100%', '33%'], 'bars compare with the fullest status')
    t.match(await medians('mikhail'), { New: '2: 30 days' })
    t.match(await medians('root'), { New: '5: 9 days' })
    insert('apply', 0, of)
    t.match(await medians('maria'), { 'Awaiting signing': '1: < 1 day' })
    for (let count = 0; count < 10; count++) insert('completed', 1, of)
    t.same(await widths('root'), ['100%', '20%'], 'of those in progress')
  })

  t.test('a dealer sees customer and first product of each order, not the own company', async (t) => {
    db.delete(orders).run()
    const id = insertOrder(cabinet, 'new', { ...of, receiver: 'Ann Customer', created_at: Date.now() - 9 * day })
    for (const name of ['Gate', 'Motor']) db.insert(orderItems).values({ order_id: id, name, quantity: 1, price: 1, discount: 0 }).run()
    for (const [caption, status] of [
      ['Waiting for you', 'new'],
      ['Orders in progress', 'paid'],
    ] as const) {
      db.update(orders)
        .set({ status_id: statusId(status) })
        .run()
      const [line] = linesOf(await home('denis'), caption)
      t.match(line?.text, new RegExp(`^#${id} Ann Customer Gate ${status === 'new' ? 'New' : 'Under review'}`), caption)
      t.notMatch(line?.text, /Alpha|Motor/, caption)
    }
    t.match(linesOf(await home('root'), 'Delayed orders')[0]?.text, new RegExp(`^#${id} Alpha Windows `))
    db.update(orders)
      .set({ status_id: statusId('production'), date_make: '2099-01-05' })
      .run()
    db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
    const queue = async () => linesOf(await home('pavel'), 'Waiting for you').map(({ text }) => text)
    const toMake = `#${id} Alpha Windows Gate · 1 pcs; Motor · 1 pcs`
    const steps = 'Hand over for delivery Ready for pickup'
    t.same(await queue(), ['Monday, 5 January 2099 1 order · 2 pcs', `${toMake} ${steps}`], 'all that is to be made, under its day')
    const second = insertOrder(cabinet, 'production', { ...of, date_make: '2099-01-05' })
    t.match(await queue(), ['5 January 2099 2 orders · 2 pcs', `#${id} `, `#${second} `], 'orders of a day have one heading')
    db.delete(orders).where(eq(orders.id, second)).run()
    db.update(orders).set({ date_make: '2020-01-05' }).run()
    t.match(
      await queue(),
      ['Overdue 1 order · 2 pcs', new RegExp(`^${toMake} \\d+ days late by 5 Jan 2020 ${steps}$`)],
      'what is late has its own',
    )
    const delivered = db
      .select()
      .from(statuses)
      .where(eq(statuses.id, statusId('delivery')))
      .get()
    db.update(statuses)
      .set({ expected: 'production' })
      .where(eq(statuses.id, statusId('delivery')))
      .run()
    t.match((await queue())[1], 'In production', 'where production sees to several statuses each row names its own')
    db.update(statuses)
      .set({ expected: delivered?.expected })
      .where(eq(statuses.id, statusId('delivery')))
      .run()
    db.update(orders).set({ date_make: '2099-01-05' }).run()
    t.notMatch((await home('pavel')).body, 'order-lines-more', 'there are no more')
  })

  t.test('charts are tables: a head, then a name and a value that leads to its list in each row', async (t) => {
    insertOrder(cabinet, 'production', { ...of, created_at: Date.now() - 20 * day })
    const { body } = await home('root')
    const charts = elementsOf(body, 'svg[role=table]')
    t.equal(charts.length, 2)
    for (const chart of charts) {
      const [head, ...rows] = elementsOf(chart, '[role=row]')
      t.equal(elementsOf(head as string, '[role=columnheader]').length, 2)
      for (const row of rows) {
        t.equal(elementsOf(row, '[role=rowheader]').length, 1)
        t.equal(elementsOf(row, '[role=cell] > a[href] > title').length, 1)
      }
    }
  })

  t.test('one curve is drawn, of orders or of amounts, with round values at its side, and a link leads to the other', async (t) => {
    db.delete(orders).run()
    insertOrder(cabinet, 'paid', { ...of, cost: 130_000_00, created_at: Date.now() })
    insertOrder(cabinet, 'production', { ...of, created_at: Date.now(), date_make: '2020-01-01' })
    const shown = async (name: Name, query: string) => {
      const page = parseHtml((await (await as(name)).get(`/${query}`)).body)
      const texts = (selector: string) =>
        page(selector)
          .toArray()
          .map((one) => page(one).text().trim())
      const drawn = page('.figures .chart').attr('aria-label')
      return { drawn, axis: texts('.chart-tick'), links: texts('.figures .segment a'), current: texts('.figures [aria-current]') }
    }
    t.equal((await shown('root', '')).drawn, undefined, 'one week has nothing to be compared with')
    insertOrder(cabinet, 'completed', { ...of, cost: 10_000_00, created_at: Date.now() - 8 * day })
    const links = ['Orders', '₽']
    for (const query of ['', '?chart=count', '?chart=other'])
      t.same(await shown('root', query), { drawn: 'Orders by week', axis: ['1', '2'], links, current: ['Orders'] }, query)
    const amounts = ['50 000 ₽', '100 000 ₽', '150 000 ₽']
    const found = await shown('root', '?chart=amount')
    t.same(
      { ...found, axis: found.axis.map((text) => text.replaceAll('\u00a0', ' ')) },
      { drawn: 'Amounts by week', axis: amounts, links, current: ['₽'] },
    )
    const late = parseHtml((await home('root')).body)('.tile-number.is-late')
    t.same([late.length, late.text()], [1, '1'], 'what is overdue is red')
    revoke(db, cast.maria, 'order_can_view_prices')
    t.same(
      await shown('maria', '?chart=amount'),
      { drawn: 'Orders by week', axis: ['1', '2'], links: [], current: [] },
      'who sees no prices',
    )
    grant(db, cast.maria, 'order_can_view_prices')
    db.delete(orders)
      .where(eq(orders.status_id, statusId('production')))
      .run()
    t.equal(parseHtml((await home('root')).body)('.is-late').length, 0, 'and nothing where nothing is')
  })

  t.test('figures of this month are compared with those of the last one up to the same day', async (t) => {
    db.delete(orders).run()
    const now = new Date()
    const thisMonth = new Date(now.getFullYear(), now.getMonth(), 1, 0, 1).getTime()
    const lastMonth = new Date(now.getFullYear(), now.getMonth() - 1, 1, 12).getTime()
    const add = (count: number, created_at: number) => {
      for (let number = 0; number < count; number++) insertOrder(cabinet, 'new', { ...of, created_at, cost: 100_00 })
    }
    const compare = async () =>
      elementsOf((await home('root')).body, '.tile-comparison').map(
        (words) => `${textOf(parseHtml(words)('a').attr('title') ?? '')} ${attributesOf(words).class?.split('is-')[1]}`,
      )
    const plain = (text: string) => text.replaceAll(/\s/g, ' ')
    const brief = async () => elementsOf((await home('root')).body, '.tile-comparison').map((one) => plain(textOf(one)))
    add(3, thisMonth)
    t.same(await compare(), ['None by this date last month same', 'None by this date last month same'])
    const nothing = await brief()
    add(2, lastMonth)
    t.same(await compare(), ['By this date last month: 2 up', 'By this date last month: 200 ₽ up'])
    const few = await brief()
    add(12, thisMonth)
    add(8, lastMonth)
    t.same(await compare(), ['+50% vs. this date last month: 10 up', '+50% vs. this date last month: 1 000 ₽ up'])
    const lastDay = Math.min(now.getDate(), new Date(now.getFullYear(), now.getMonth(), 0).getDate())
    const days = plain(formatPeriod(dayOf(lastMonth), dayOf(new Date(now.getFullYear(), now.getMonth() - 1, lastDay).getTime()), 'en'))
    t.same(await brief(), [`+50% vs. ${days}`, `+50% vs. ${days}`], 'the days that are compared')
    t.same(few, [`+1 vs. ${days}`, `+100 ₽ vs. ${days}`], 'a percentage of few says nothing')
    t.same(nothing, [`No orders ${days}`, `No orders ${days}`], 'and those without anything to compare')
    add(5, lastMonth)
    t.match(await compare(), ['0% vs. this date last month: 15 same'])
    add(15, lastMonth)
    t.match(await compare(), ['−50% vs. this date last month: 30 down'])
    add(2, new Date(now.getFullYear(), now.getMonth(), 0, 23, 30).getTime())
    if (now.getDate() < 28)
      t.match(await compare(), ['−50% vs. this date last month: 30 down'], 'what came later last month does not count')
    db.delete(orders).run()
    add(5, new Date(2026, 2, 31, 9).getTime())
    add(10, new Date(2026, 1, 28, 23).getTime())
    await at(new Date(2026, 2, 31, 12).getTime(), async () =>
      t.match(await compare(), ['−50% vs. this date last month: 10 down'], 'a shorter month ends with its last day'),
    )
  })
})
