import { eq } from 'drizzle-orm'
import t from 'tap'
import { notifications, statusTransitions } from '../../src/database/schema/index.ts'
import { performDryRun } from '../../src/modules/orders/dry-run.ts'
import { type Cabinet, type Fields, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { errorsOf, textOf } from '../support/html.ts'
import { historyOf, requestTransition, setOrder, transitionBetween } from '../support/orders.ts'

t.test('the dry run of a workflow predicts exactly what a real order does, and saves nothing', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db, as, cast } = cabinet
  db.$client.prepare('update companies set manufacture_id = ? where id = ?').run(cast.site, cast.companies.alpha)
  const order = setOrder(cabinet, 'new')
  const path = [
    ['new', 'apply'],
    ['apply', 'payment'],
    ['payment', 'paid'],
    ['paid', 'production'],
    ['production', 'pickup'],
  ].map(([from, to]) => transitionBetween(cabinet, from as string, to as string))
  db.update(statusTransitions)
    .set({ forced_fields: ['date_payment', 'sn'] })
    .where(eq(statusTransitions.id, path[2]?.id as number))
    .run()
  db.update(statusTransitions)
    .set({ required_fields: ['date_make', 'receiver'] })
    .where(eq(statusTransitions.id, path[3]?.id as number))
    .run()
  db.update(statusTransitions)
    .set({ required_fields: [] })
    .where(eq(statusTransitions.id, path[1]?.id as number))
    .run()
  db.update(statusTransitions)
    .set({ required_fields: ['payment', 'receiver'] })
    .where(eq(statusTransitions.id, path[2]?.id as number))
    .run()
  const before = dump(cabinet)
  const tried = performDryRun(app, { orderId: order, role: 'administrator', transitionIds: path.map(({ id }) => id) })
  t.same(dump(cabinet), before, 'nothing is kept')
  t.equal(tried.steps.length, 5)
  t.equal(tried.currentStatus?.status_key, 'pickup')
  const values: Fields = { payment: 'card', receiver: 'Anna', date_make: '2026-12-01', phone: '1' }
  const clerk = await as('clerk')
  for (const [index, way] of path.entries()) {
    const step = tried.steps[index]
    const bare = await requestTransition(clerk, order, way.id)
    if (step?.missing.length) {
      t.same(Object.keys(errorsOf(bare)).sort(), [...step.missing].sort(), 'asked')
      t.equal(
        (await requestTransition(clerk, order, way.id, Object.fromEntries(step.missing.map((field) => [field, values[field] as string]))))
          .statusCode,
        303,
      )
    } else t.equal(bare.statusCode, 303)
    const [real] = historyOf(cabinet, order)
    t.same(real?.forced, step?.forced, 'forced')
    const told = db
      .select()
      .from(notifications)
      .where(eq(notifications.history_id, real?.id as number))
      .all()
    t.same(told.map(({ user_id }) => user_id).sort(byNumber), [...(step?.notified ?? [])].sort(byNumber), 'told')
  }
  t.same(
    performDryRun(app, { orderId: order, role: 'dealer', transitionIds: [] }).transitions.map(({ allowed }) => allowed),
    [false, false],
  )
  const page = await clerk.get('/orders/try')
  t.equal(page.statusCode, 403, 'only for those who may edit statuses')
  grant(db, cast.clerk, 'status_can_view')
  const shown = await clerk.get(`/orders/try?order=${order}&role=production&way=${transitionBetween(cabinet, 'pickup', 'install').id}`)
  t.equal(shown.statusCode, 200)
  t.match(textOf(shown.body), /Awaiting pickup .* Installation/)
  revoke(db, cast.clerk, 'order_can_view')
  t.match(textOf((await clerk.get(`/orders/try?order=${order}`)).body), /Order not found/)
  for (const odd of ['order=x', 'role=__proto__', 'way=x&way=-1&way=999', 'way=1&way=1&way=1'])
    t.equal((await clerk.get(`/orders/try?${odd}`)).statusCode, 200, odd)
})

/** Everything the database holds, table by table. */
function dump({ db }: Cabinet) {
  const tables = db.$client
    .prepare(
      "select name from sqlite_schema where type = 'table' and sql not like 'create virtual%' and name not like '%fts%' and name not like '%pairs%' and name not in ('sqlite_sequence', 'sessions', 'security_events')",
    )
    .all() as { name: string }[]
  return Object.fromEntries(tables.map(({ name }) => [name, db.$client.prepare(`select * from ${name}`).all()]))
}

function byNumber(a: number, b: number): number {
  return a - b
}
