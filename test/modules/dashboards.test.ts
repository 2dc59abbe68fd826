import { eq } from 'drizzle-orm'
import t from 'tap'
import { orders, statuses, statusTransitions } from '../../src/database/schema/index.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { type Name, revoke } from '../support/cast.ts'
import { attributesOf, elementsOf, idsOf, parseHtml, textOf } from '../support/html.ts'
import { insertOrder, statusId } from '../support/orders.ts'

const day = 24 * 3600_000
const dayOf = (moment: number) => new Date(moment).toLocaleDateString('sv')

const linesOf = ({ body }: Answer, caption: string) =>
  elementsOf(body, `.order-lines[aria-label="${caption}"] > li`).map((line) => ({
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

  t.test('each group sees its own parts', async (t) => {
    const tiles = ['Waiting for you', 'Overdue', 'No progress for 14 days']
    const shown = async (name: Name) => (await home(name)).body
    const has = async (name: Name, expected: string[], absent: string[]) => {
      const found = headings(await home(name))
      for (const title of expected) t.ok(found.includes(title), `${name} sees ${title}`)
      for (const title of absent) t.notOk(found.includes(title), `${name} does not see ${title}`)
    }
    await has(
      'root',
      ['Orders this month', 'Revenue this month', 'In production', 'Orders in progress', 'Slowest orders'],
      ['Overdue', 'Latest orders'],
    )
    await has('maria', tiles, ['Latest orders', 'Slowest orders', 'Revenue this month'])
    await has('pavel', tiles, ['Latest orders', 'Slowest orders'])
    await has('denis', ['Waiting for you', 'Latest orders'], ['Overdue', 'Slowest orders', 'Orders this month'])
    for (const [name, offered] of [
      ['denis', true],
      ['maria', true],
      ['pavel', false],
      ['root', false],
    ] as const)
      t.equal(elementsOf(await shown(name), '.page-header a[href="/orders/add"]').length === 1, offered, `${name} is offered a new order`)
    revoke(db, cast.clerk, 'order_can_view')
    await has('clerk', [], ['Orders in progress', 'Slowest orders'])
    await (await as('denis')).post(`/orders/${cast.order}/messages`, { text: 'When?' })
    t.match(textOf(await shown('maria')), 'Orders Pending: 1')
    t.equal(elementsOf(await shown('maria'), '.pending-task').length, 0, 'unread orders are no task of their own')
  })

  t.test('the greeting goes by the hour of the time zone', async (t) => {
    const before = process.env.TZ
    const root = await as('root')
    for (const [hour, greeting] of [
      [4, 'Good evening'],
      [5, 'Good morning'],
      [11, 'Good morning'],
      [12, 'Good afternoon'],
      [17, 'Good afternoon'],
      [18, 'Good evening'],
    ] as const) {
      const ahead = ((hour - new Date().getUTCHours() + 36) % 24) - 12
      process.env.TZ = `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
      t.match(elementsOf((await root.get('/')).body, 'h1').map(textOf), [`${greeting}, Olga`], `at ${hour}`)
    }
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  })

  t.test('the queues show the orders that have waited longest, the latest ones the newest', async (t) => {
    db.delete(orders).run()
    const ages = [4, 9, 2, 7, 1, 8, 3, 6, 5, 10]
    const ids = ages.map((age) => insertOrder(cabinet, 'new', { ...of, created_at: Date.now() - age * day }))
    insertOrder(cabinet, 'completed', { ...of, created_at: Date.now() - 99 * day })
    insertOrder(cabinet, 'apply', { ...of, created_at: Date.now() - 0.5 * day })
    const byAge = [...ids].sort((a, b) => (ages[ids.indexOf(b)] as number) - (ages[ids.indexOf(a)] as number))
    const denis = await home('denis')
    t.same(idsIn(denis, 'Waiting for you'), byAge.slice(0, 8))
    t.equal(textOf(elementsOf(denis.body, '#waiting-title .count').join()), '10')
    const latest = idsIn(denis, 'Latest orders')
    t.equal(latest.length, 5)
    t.same(latest.slice(1), byAge.toReversed().slice(0, 4), 'whatever their status')
    const root = await home('root')
    t.same(idsIn(root, 'Slowest orders'), byAge.slice(0, 6), 'without those that are done')
    for (const [title, answer] of [
      ['waiting-title', denis],
      ['slowest-title', root],
    ] as const) {
      const href = parseHtml(answer.body)(`[aria-labelledby=${title}] header a`).attr('href') as string
      const list = await (await as(answer === root ? 'root' : 'denis')).get(href)
      t.same(idsOf(list, 'orders').slice(0, 6), byAge.slice(0, 6), 'the list goes on in the same order')
    }
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
    t.match(await next('maria'), { [fresh]: 'Send for signing, Move to Under review' })
    t.same(await next('denis'), {})
    db.update(statuses)
      .set({ expected: 'default' })
      .where(eq(statuses.id, statusId('new')))
      .run()
  })

  t.test('a late order is marked, and one says how long it has waited', async (t) => {
    db.delete(orders).run()
    const made = { ...of, created_at: Date.now() - 3.5 * day }
    const late = insertOrder(cabinet, 'production', { ...made, date_make: '2020-01-01' })
    const early = insertOrder(cabinet, 'production', { ...made, date_make: '2099-01-01' })
    const marks = linesOf(await home('root'), 'Slowest orders').map(({ id, text, line }) => [
      id,
      /3 days/.test(text),
      elementsOf(line, '.overdue').map(textOf).join(),
    ])
    t.same(marks, [
      [late, true, `Overdue ${Math.round((Date.parse(dayOf(Date.now())) - Date.parse('2020-01-01')) / day)} d`],
      [early, true, ''],
    ])
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
        (words) => `${textOf(words)} ${attributesOf(words).class?.split('is-')[1]}`,
      )
    add(3, thisMonth)
    t.same(await compare(), ['None by this date last month same', 'None by this date last month same'])
    add(2, lastMonth)
    t.same(await compare(), ['+50 % vs. this date last month: 2 up', '+50 % vs. this date last month: 200 ₽ up'])
    add(1, lastMonth)
    t.match(await compare(), ['0 % vs. this date last month: 3 same'])
    add(3, lastMonth)
    t.match(await compare(), ['−50 % vs. this date last month: 6 down'])
    add(2, new Date(now.getFullYear(), now.getMonth(), 0, 23, 30).getTime())
    if (now.getDate() < 28)
      t.match(await compare(), ['−50 % vs. this date last month: 6 down'], 'what came later last month does not count')
  })
})
