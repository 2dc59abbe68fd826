import { desc, eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { write } from '../../src/database/open.ts'
import { notifications, orders, orderTallies, statuses, users } from '../../src/database/schema/index.ts'
import { findOrder, type Order } from '../../src/modules/orders/order.ts'
import { enterStatus } from '../../src/modules/orders/transitions/apply-plan.ts'
import { loadWorkflow } from '../../src/modules/workflow/load.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { historyOf, statusId } from '../support/orders.ts'

const orderOf = ({ db }: Cabinet, id: number) => findOrder(db, id) as Order

t.test('a status change notifies the parties whose flags are on, each person once and nobody deactivated', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const other = db
    .insert(users)
    .values({ group_id: 4, email: 'other@example.com', password: '', name: 'O', lastname: 'O', manufacture_id: null, search: '' })
    .run()
  db.$client.prepare('update companies set manufacture_id = ? where id = ?').run(cast.site, cast.companies.alpha)
  const parties = { manager: [cast.maria], admin: [cast.root, cast.admin, cast.clerk], dealer: [cast.denis], make: [cast.pavel] }
  const enter = () => {
    const workflow = loadWorkflow(db)
    const to = workflow.statuses.find(({ id }) => id === statusId('paid'))
    if (!to) throw new Error('no status')
    const notified = write(db, () => enterStatus({ server: cabinet.app, author: { id: null, name: 'x' } }, cast.order, to))
    const stored = db
      .select()
      .from(notifications)
      .where(eq(notifications.history_id, historyOf(cabinet, cast.order)[0]?.id as number))
      .all()
    t.same(stored.map(({ user_id }) => user_id).sort(byNumber), [...notified].sort(byNumber))
    return notified.sort(byNumber)
  }
  const setFlags = (on: string[]) =>
    db
      .update(statuses)
      .set({
        notify_manager: on.includes('manager'),
        notify_admin: on.includes('admin'),
        notify_dealer: on.includes('dealer'),
        notify_make: on.includes('make'),
      })
      .where(eq(statuses.id, statusId('paid')))
      .run()
  for (const on of [
    [],
    ['manager'],
    ['admin'],
    ['dealer'],
    ['make'],
    ['manager', 'admin', 'dealer', 'make'],
  ] as (keyof typeof parties)[][]) {
    setFlags(on)
    t.same(enter(), on.flatMap((party) => parties[party]).sort(byNumber), on.join() || 'nobody')
  }
  setFlags(['make', 'dealer', 'manager'])
  db.update(users).set({ active: false }).where(eq(users.id, cast.pavel)).run()
  t.same(enter(), [cast.denis, cast.maria].sort(byNumber), 'production that is switched off')
  db.$client.prepare('update companies set manager_id = null, manufacture_id = null where id = ?').run(cast.companies.alpha)
  t.same(
    enter(),
    [cast.denis, cast.maria].sort(byNumber),
    'without a manager of the company the manager of the dealer; no site matches no site',
  )
  t.ok(other)
})

t.test("an order belongs to its dealer's company, and after the dealer is deleted to the company on the order", async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  const sees = async (name: Name) => (await (await as(name)).get(`/orders/edit/${cast.order}`)).statusCode === 200
  t.same([await sees('maria'), await sees('mikhail'), await sees('roman'), await sees('daria')], [true, false, true, false])
  db.update(users).set({ company_id: cast.companies.beta }).where(eq(users.id, cast.denis)).run()
  t.same([await sees('maria'), await sees('mikhail'), await sees('roman'), await sees('daria')], [false, true, false, true], 'moved')
  const root = await as('root')
  t.equal((await root.post('/dealers/delete', { id: cast.denis })).statusCode, 303)
  t.match(orderOf(cabinet, cast.order), { dealer_id: null, company_id: cast.companies.alpha, owner_company_id: cast.companies.alpha })
  t.same([await sees('maria'), await sees('mikhail')], [true, false], 'the company recorded on it')
  t.equal((await root.post('/companies/delete', { id: cast.companies.alpha })).statusCode, 303)
  t.match(orderOf(cabinet, cast.order), { company_id: null, owner_company_id: null, owner_manager_id: null })
  t.same([await sees('maria'), await sees('root')], [false, true], 'nobody but those who see all')
})

t.test('owners and counts of orders stay correct through any changes of dealers, companies and statuses', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const { alpha, beta } = cast.companies
  const act = fc.oneof(
    fc.record({ kind: fc.constant('dealer'), who: fc.constantFrom(cast.denis, cast.daria), company: fc.constantFrom(alpha, beta, null) }),
    fc.record({
      kind: fc.constant('company'),
      who: fc.constantFrom(alpha, beta),
      manager: fc.constantFrom(cast.maria, cast.mikhail, null),
    }),
    fc.record({
      kind: fc.constant('own'),
      who: fc.constantFrom(cast.denis, cast.daria),
      manager: fc.constantFrom(cast.maria, cast.mikhail, cast.root, null),
    }),
    fc.record({ kind: fc.constant('order'), dealer: fc.constantFrom(cast.denis, cast.daria, null), status: fc.constantFrom(1, 2, null) }),
    fc.record({
      kind: fc.constant('new'),
      dealer: fc.constantFrom(cast.denis, cast.daria, null),
      company: fc.constantFrom(alpha, beta, null),
    }),
    fc.record({ kind: fc.constant('drop') }),
  )
  const wrong = db.$client.prepare(`select o.id from orders o left join users d on d.id = o.dealer_id
    left join companies c on c.id = iif(o.dealer_id is null, o.company_id, d.company_id)
    left join users own on own.id = d.manager_id and own.group_id = 3
    where o.owner_company_id is not c.id or o.owner_manager_id is not coalesce(c.manager_id, own.id)`)
  const counted = db.$client.prepare(
    "select ifnull(status_id, 0) s, strftime('%Y-%m', created_at / 1000, 'unixepoch') m, count(*) c from orders group by 1, 2 order by 1, 2",
  )
  const latest = () => db.select({ id: orders.id }).from(orders).orderBy(desc(orders.id)).get()?.id ?? 0
  fc.assert(
    fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
      for (const one of acts as unknown as Record<string, never>[]) {
        if (one.kind === 'dealer')
          db.update(users)
            .set({ company_id: one.company })
            .where(eq(users.id, one.who as never))
            .run()
        if (one.kind === 'company') db.$client.prepare('update companies set manager_id = ? where id = ?').run(one.manager, one.who)
        if (one.kind === 'own') db.$client.prepare('update users set manager_id = ? where id = ?').run(one.manager, one.who)
        if (one.kind === 'order')
          db.update(orders).set({ dealer_id: one.dealer, status_id: one.status }).where(eq(orders.id, latest())).run()
        if (one.kind === 'new') db.insert(orders).values({ dealer_id: one.dealer, company_id: one.company }).run()
        if (one.kind === 'drop') db.delete(orders).where(eq(orders.id, latest())).run()
      }
      const tallies = db
        .select()
        .from(orderTallies)
        .orderBy(orderTallies.status_id, orderTallies.month)
        .all()
        .filter(({ count }) => count !== 0)
      t.same(wrong.all(), [])
      t.same(
        tallies.map(({ status_id, month, count }) => ({ s: status_id, m: month, c: count })),
        counted.all(),
      )
    }),
    { numRuns: 30 },
  )
})

function byNumber(a: number, b: number): number {
  return a - b
}
