import { eq } from 'drizzle-orm'
import t from 'tap'
import { group } from '../../src/core/access.ts'
import {
  accessRequests,
  companies,
  deliveries,
  manufactures,
  notifications,
  orderMessages,
  orders,
  policies,
  statuses,
  stocks,
  users,
} from '../../src/database/schema/index.ts'
import { createAccount } from '../../src/modules/users/accounts.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, names, revoke } from '../support/cast.ts'
import { idsOf, parseHtml, rowsOf, totalOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'

const day = 24 * 3600_000

interface Person {
  name: string
  id: number
  browser: Browser
}

/** Whom each order waits for, in SQL that shares nothing with the service: the words of the specification, table by table. */
const waiting = `
with final as (select id from statuses where id not in (select parent_status_id from status_transitions)),
onward as (
  select * from status_transitions as step where child_status_id not in (select id from final)
    or not exists (select 1 from status_transitions as other
      where other.parent_status_id = step.parent_status_id and other.child_status_id not in (select id from final))),
parties as (
  select id as status_id, case
    when id in (select id from final) then 'nobody'
    when expected <> 'default' then expected
    when exists (select 1 from onward where parent_status_id = statuses.id and dealer_can) then 'dealer'
    when exists (select 1 from onward where parent_status_id = statuses.id and manager_can) then 'manager'
    when exists (select 1 from onward where parent_status_id = statuses.id and production_can) then 'production'
    else 'nobody' end as party
  from statuses),
facts as (
  select orders.*, party, companies.manager_id as manager, companies.manufacture_id as site, companies.stock_id as stock
  from orders join parties using (status_id)
    left join users as dealer on dealer.id = orders.dealer_id
    left join companies on companies.id = iif(orders.dealer_id is null, orders.company_id, dealer.company_id)),
waits as (
  select facts.id, facts.status_since, facts.date_make, facts.status_id from facts, users as me where me.id = ? and case me.group_id
    when ${group.administrator} then party = 'manager' and manager is null and (me.superadmin or exists (
      select 1 from user_policies join policies on policies.id = policy_id where user_id = me.id and value and key = 'order_can_view'))
    when ${group.dealer} then party = 'dealer' and dealer_id = me.id
    when ${group.manager} then party = 'manager' and manager = me.id
    when ${group.production} then party = 'production' and (site = me.manufacture_id or stock = me.stock_id) end)`

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { db, cast } = cabinet
  const { alpha, beta, nobodys } = cast.companies
  const insert = (table: typeof stocks | typeof manufactures, name: string) =>
    Number(db.insert(table).values({ name, search: name }).run().lastInsertRowid)
  const [south, secondSite] = [insert(stocks, 'South'), insert(manufactures, 'Second')]
  db.update(companies).set({ manufacture_id: cast.site, stock_id: south }).where(eq(companies.id, alpha)).run()
  db.update(companies).set({ manufacture_id: secondSite, stock_id: cast.stock }).where(eq(companies.id, beta)).run()
  db.update(companies).set({ manufacture_id: secondSite }).where(eq(companies.id, nobodys)).run()
  const { password } = db.select().from(users).where(eq(users.id, cast.pavel)).get() as typeof users.$inferSelect
  const author = { id: null, name: 'The test' }
  const maker = (lastname: string, places: object) =>
    createAccount(db, group.production, { lastname, name: 'Petr', email: `${lastname}@example.com`, password, ...places }, author)
  const makers = { second: maker('second', { manufacture_id: secondSite, stock_id: null }), none: maker('none', {}) }
  revoke(db, cast.admin, 'order_can_view')
  db.update(statuses).set({ expected: 'production' }).where(eq(statuses.status_key, 'delivery')).run()
  db.update(statuses).set({ expected: 'nobody' }).where(eq(statuses.status_key, 'paid')).run()
  const people: Person[] = []
  for (const name of names.filter((name) => name !== 'ivan')) people.push({ name, id: cast[name], browser: await cabinet.as(name) })
  for (const [name, id] of Object.entries(makers)) {
    const browser = cabinet.newBrowser()
    await browser.post('/login', { email: `${name}@example.com`, password: 'a good password' })
    people.push({ name, id, browser })
  }
  plantOrders(cabinet)
  return { ...cabinet, people }
}

/** Each owner has a different number of orders in each status, more than the dashboard and a column of the board show. */
function plantOrders(cabinet: Cabinet) {
  const { cast } = cabinet
  const { alpha, beta, nobodys } = cast.companies
  const owners = [
    { dealer_id: cast.denis, company_id: alpha },
    { dealer_id: cast.roman, company_id: alpha },
    // The company is that of the dealer, whatever the order says.
    { dealer_id: cast.vera, company_id: nobodys },
    { dealer_id: cast.daria, company_id: beta },
    { dealer_id: null, company_id: nobodys },
    { dealer_id: null, company_id: null },
    { dealer_id: null, company_id: alpha },
  ]
  const keys = ['new', 'apply', 'payment', 'paid', 'production', 'delivery', 'pickup', 'completed', 'canceled']
  const date = (days: number) => new Date(Date.now() + days * day).toLocaleDateString('sv')
  for (const [at, owner] of owners.entries())
    for (const [rank, key] of keys.entries())
      for (let copy = 0; copy < 1 + ((at * 5 + rank * 3) % 7); copy++) {
        const moment = Date.now() - ((at * 31 + rank * 7 + copy * 11) % 40) * day - 1000
        const date_make = copy % 3 ? date(((at + rank * 5 + copy * 3) % 9) - 4) : null
        insertOrder(cabinet, key, { ...owner, created_at: moment, status_since: moment, date_make })
      }
}

const numberIn = (text: string) => Number(text.replace(/[^\d]/g, '') || 'NaN')

t.test('dashboard, list, menu and board agree with a plain query about whom every order waits for', async (t) => {
  const { db, people } = await start(t)
  const longest = new Map<string, number>()
  for (const { name, id, browser } of people)
    t.test(name, async (t) => {
      const production = db.select().from(users).where(eq(users.id, id)).get()?.group_id === group.production
      const by = production ? 'date_make nulls last' : 'status_since'
      const mine = db.$client.prepare<[number], number>(`${waiting} select id from waits order by ${by}, id`).pluck().all(id)
      longest.set(name, mine.length)
      const home = parseHtml((await browser.get('/')).body)
      if (name === 'admin') return t.equal(home('#waiting-title').length, 0, 'who sees no orders has no queue')
      t.equal(numberIn(home('#waiting-title .count').text() || '0'), mine.length, 'the heading of the dashboard')
      const lines = home('[aria-labelledby=waiting-title] a.order-line').toArray()
      t.same(
        lines.map((line) => Number(/orders\/(\d+)/.exec(line.attribs.href ?? '')?.[1])),
        mine.slice(0, 10),
        'the first ten, in their order',
      )
      const view = home('.menu-views a').filter((_, one) => (home(one).attr('href') ?? '').includes('waiting=1'))
      t.equal(numberIn(view.find('.count, .menu-count').text() || '0'), mine.length, 'the view in the menu, where there is something')
      t.equal(view.length, mine.length > 0 ? 1 : 0)
      t.equal(view.find('.menu-count:not(.is-news)').length, mine.length > 0 ? 1 : 0, 'is red where something waits')
      const others = home('.order-lines:not([aria-label="Waiting for you"]) a.order-line').toArray()
      for (const { attribs } of others)
        t.notOk(mine.includes(Number(/orders\/(\d+)/.exec(attribs.href ?? '')?.[1])), 'no order stands twice')
      for (const link of [view.attr('href'), home('[aria-labelledby=waiting-title] header a').attr('href')]) {
        if (link === undefined) continue
        const list = await browser.get(`${link}&size=all`)
        t.same(new Set(idsOf(list, 'orders')), new Set(mine), link)
        const $ = parseHtml(list.body)
        t.equal(Number($('#orders-table').attr('data-total')), mine.length, `the list ${link}`)
        t.equal(numberIn($('.title-count').text()), mine.length, `the heading of ${link}`)
      }
      const board = parseHtml((await browser.get('/orders/board')).body)
      const cards = board('[data-order]').toArray()
      const turns = cards.filter((card) => board(card).find('.badge-turn').length > 0).map((card) => Number(card.attribs['data-order']))
      const shown = new Set(cards.map((card) => Number(card.attribs['data-order'])))
      t.same(turns.toSorted(), mine.filter((one) => shown.has(one)).toSorted(), 'the cards of the board that say “Your turn”')
    })
  t.test('the numbers differ, and some exceed what is shown at once', async (t) => {
    const of = (...wanted: string[]) => wanted.map((name) => longest.get(name))
    const compared = of('denis', 'roman', 'daria', 'vera', 'maria', 'mikhail', 'root', 'pavel', 'second')
    t.equal(new Set(compared).size, compared.length, compared.join())
    t.same(of('plain', 'none'), [0, 0])
    t.equal(longest.get('clerk'), longest.get('root'))
    t.ok(Math.max(...longest.values()) > 20)
  })
})

t.test('badges of the menu, tasks of the dashboard and the bell are what plain queries count', async (t) => {
  const cabinet = await start(t)
  const { db, people } = cabinet
  plantNotifications(cabinet)
  plantRequests(cabinet)
  const one = (query: string, ...values: number[]) => db.$client.prepare(query).pluck().get(values) as number
  const holds = (key: string) =>
    `(me.superadmin or exists (select 1 from user_policies join policies as held on held.id = policy_id where user_id = me.id and value and held.key = ${key}))`
  const deciding = (of: number, kind: string) =>
    `asker.group_id = ${of} and ${holds(`'${kind}_can_view'`)} and ${holds(`'${kind}_can_edit_policy'`)}`
  const counted: Record<string, { query: string; values?: number[] }> = {
    Orders: {
      query: 'select count(distinct order_id) from notifications where user_id = ? and message_id is not null and read_at is null',
    },
    'Access requests': {
      query: `select count(*) from access_requests as asked join users as asker on asker.id = asked.user_id
        join policies as wanted on wanted.id = asked.policy_id, users as me
        where me.id = ? and state = 'open' and asker.active and (me.superadmin or asker.id <> me.id and not asker.superadmin)
          and ${holds('wanted.key')}
          and (${deciding(1, 'admin')} or ${deciding(3, 'manager')} or ${deciding(4, 'production')})`,
    },
    Outbox: {
      query: `select count(*) from deliveries, users as me where me.id = ? and me.group_id = 1 and ${holds("'order_can_view'")}
        and state = 'failed' and next_at > ?`,
      values: [Date.now() - 7 * day],
    },
  }
  const seen: Record<string, Set<number>> = { Orders: new Set(), 'Access requests': new Set(), Outbox: new Set(), bell: new Set() }
  for (const { name, id, browser } of people)
    t.test(name, async (t) => {
      const $ = parseHtml((await browser.get('/')).body)
      const items = $('.sidebar-menu li > a:has(.menu-label)').toArray()
      const badges = items
        .filter((item) => $(item).find('.menu-count').length > 0)
        .map((item) => [$(item).find('.menu-label').text(), numberIn($(item).find('.menu-count').text())])
      const news = items.filter((item) => $(item).find('.is-news').length > 0).map((item) => $(item).find('.menu-label').text())
      t.same(news, one(counted.Orders?.query ?? '', id) > 0 ? ['Orders'] : [], 'unread messages are news, the others work')
      const expected = Object.entries(counted).map(([label, { query, values = [] }]) => [label, one(query, id, ...values)] as const)
      for (const [label, count] of expected) seen[label]?.add(count)
      t.same(Object.fromEntries(badges), Object.fromEntries(expected.filter(([, count]) => count > 0)), 'the badges of the menu')
      const tasks = $('.pending-task')
        .toArray()
        .map((task) => [$(task).find('a').text(), numberIn($(task).find('strong').text())])
      const others = expected.filter(([label, count]) => count > 0 && label !== 'Orders')
      t.same(Object.fromEntries(tasks), Object.fromEntries(others), 'what needs attention on the dashboard')
      const bell = one('select count(*) from notifications where user_id = ? and read_at is null', id)
      seen.bell?.add(bell)
      t.equal(numberIn($('.bell .badge').first().text() || '0'), bell, 'the bell')
      t.equal(totalOf(await browser.get('/notifications?unread=1'), 'notifications'), bell, 'and the inbox lists as many')
      const fragment = parseHtml((await browser.get('/notifications/unread')).body)
      t.equal(numberIn(fragment('.badge').first().text() || '0'), bell, 'the fragment that replaces it')
      const outbox = items.find((item) => $(item).find('.menu-label').text() === 'Outbox')
      const failed = expected.find(([label]) => label === 'Outbox')?.[1] ?? 0
      if (outbox && failed > 0) {
        const list = await browser.get(outbox.attribs.href ?? '')
        t.equal(rowsOf(list, 'outbox').length, failed, 'and the badge leads to exactly those')
      }
    })
  t.test('the numbers of different people differ', async (t) => {
    for (const [label, values] of Object.entries(seen)) t.ok(values.size >= (label === 'Outbox' ? 2 : 3), `${label}: ${[...values]}`)
  })
})

function plantNotifications({ db, cast }: Cabinet) {
  const all = db.select({ id: orders.id }).from(orders).all()
  const add = (user_id: number, values: object) =>
    Number(
      db
        .insert(notifications)
        .values({ user_id, status_name: 'New', created_at: Date.now(), ...values })
        .run().lastInsertRowid,
    )
  const message = (order_id: number) =>
    Number(
      db
        .insert(orderMessages)
        .values({ order_id, at: Date.now(), author_id: cast.root, author_name: 'Root', author_group: 1, text: 'x' })
        .run().lastInsertRowid,
    )
  const addressees = [cast.denis, cast.daria, cast.roman, cast.maria, cast.mikhail, cast.pavel, cast.root, cast.clerk]
  for (const [at, user] of addressees.entries())
    for (const { id: order_id } of all.slice(at, at * 2 + 1)) {
      // Two messages and a step about one order, one more that was read, and an event that is about no order.
      for (const read_at of [null, null, 1]) add(user, { order_id, message_id: message(order_id), read_at })
      add(user, { order_id })
    }
  for (const [at, user] of addressees.entries()) {
    for (let copy = 0; copy <= at % 3; copy++) add(user, { event: 'password-changed' })
    add(user, { order_id: all.at(-1)?.id, read_at: at % 2 ? 1 : null })
  }
  const failed = add(cast.denis, { read_at: 1 })
  const channels = ['email', 'telegram', 'sms', 'fax', 'pager'] as const
  const ages = [0, 6.9, 7.1, 30, 1]
  for (const [at, channel] of channels.entries())
    db.insert(deliveries)
      .values({
        notification_id: failed,
        channel,
        state: at === 4 ? 'waiting' : 'failed',
        next_at: Date.now() - (ages[at] as number) * day,
      })
      .run()
}

function plantRequests({ db, cast }: Cabinet) {
  grant(db, cast.admin, 'manager_can_view', 'manager_can_edit_policy', 'admin_can_view', 'admin_can_edit_policy')
  grant(db, cast.maria, 'manager_can_view', 'manager_can_edit_policy', 'production_can_view', 'production_can_edit_policy')
  grant(db, cast.clerk, 'admin_can_edit_policy')
  const policyId = (key: 'company_can_view' | 'dealer_can_add' | 'stock_can_view') =>
    db.select().from(policies).where(eq(policies.key, key)).get()?.id as number
  const ask = (name: Name, key: Parameters<typeof policyId>[0], values: object = {}) =>
    db
      .insert(accessRequests)
      .values({ user_id: cast[name], policy_id: policyId(key), created_at: 1, ...values })
      .run()
  ask('plain', 'company_can_view')
  ask('plain', 'dealer_can_add')
  ask('mikhail', 'company_can_view', { state: 'granted' })
  ask('mikhail', 'stock_can_view')
  ask('maria', 'company_can_view')
  // Only superadministrators decide on their own requests and on those of superadministrators.
  ask('maria', 'dealer_can_add')
  ask('root', 'company_can_view')
  ask('pavel', 'dealer_can_add')
  ask('pavel', 'stock_can_view')
  ask('clerk', 'company_can_view')
  ask('admin', 'stock_can_view', { state: 'declined' })
}
