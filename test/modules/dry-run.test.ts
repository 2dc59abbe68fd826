import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, notifications, statusTransitions } from '../../src/database/schema/index.ts'
import { contextFor } from '../../src/http/access/context-for.ts'
import { dryRun } from '../../src/modules/orders/transitions/dry-run.ts'

import { type Cabinet, type Fields, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { makeIssuable } from '../support/documents.ts'
import { attributesOf, elementsOf, errorsOf, fieldOf, textOf } from '../support/html.ts'
import { historyOf, requestTransition, setOrder, statusId, transitionBetween } from '../support/orders.ts'

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
    .set({ required_fields: [], issues: [] })
    .where(eq(statusTransitions.id, path[1]?.id as number))
    .run()
  db.update(statusTransitions)
    .set({ required_fields: ['payment', 'receiver'] })
    .where(eq(statusTransitions.id, path[2]?.id as number))
    .run()
  const before = dump(cabinet)
  const tried = dryRun(contextFor(app, { id: cast.root, name: 'Root Olga' }, Date.now()), {
    orderId: order,
    role: 'administrator',
    transitionIds: path.map(({ id }) => id),
  })
  t.same(dump(cabinet), before, 'nothing is kept')
  t.equal(tried.steps.length, 5)
  t.equal(tried.order.status_id, statusId('pickup'))
  const values: Fields = { payment: 'card', receiver: 'Anna', date_make: '2026-12-01', phone: '11111' }
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
    dryRun(contextFor(app, { id: cast.root, name: 'Root Olga' }, Date.now()), {
      orderId: order,
      role: 'dealer',
      transitionIds: [],
    }).transitions.map(({ allowed }) => allowed),
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

t.test('the test of the workflow shows what each step needs, sets and tells, and steps back one by one', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  makeIssuable(cabinet)
  const root = await as('root')
  const ways = [transitionBetween(cabinet, 'new', 'apply'), transitionBetween(cabinet, 'apply', 'payment')].map(({ id }) => id) as [
    number,
    number,
  ]
  db.update(statusTransitions)
    .set({ forced_fields: ['sn'] })
    .where(eq(statusTransitions.id, ways[0]))
    .run()
  const address = (role: string, ...way: number[]) =>
    `/orders/try?order=${cast.order}&role=${role}${way.map((id) => `&way=${id}`).join('')}`
  const shown = async (role: string, ...way: number[]) => {
    const { body } = await root.get(address(role, ...way))
    return {
      steps: elementsOf(body, '.timeline-event').map(textOf),
      open: elementsOf(body, '.dry-run-transitions li').map((item) => [textOf(item), attributesOf(elementsOf(item, 'a')[0] ?? '').href]),
      back: elementsOf(body, '#dry-run a').flatMap((link) => (textOf(link) === 'Back one step' ? attributesOf(link).href : []))[0],
    }
  }
  const start = await shown('manager')
  t.same(start.steps, [])
  t.equal(start.back, undefined)
  t.same(start.open[0], ['Send for signing', address('manager', ways[0])])
  const two = await shown('manager', ...ways)
  t.same(two.steps, [
    'New Awaiting signing Required fields: — Set automatically: Serial number Notified: Denisov Denis',
    'Awaiting signing Awaiting payment Required fields: — Set automatically: — Issues: Invoice, Specification Notified: Denisov Denis, Petrova Maria Ivanovna',
  ])
  t.equal(two.back, address('manager', ways[0]))
  const dealer = await shown('dealer', ...ways)
  t.match(dealer.steps[1], "Awaiting signing Awaiting payment Denied. Only the company's manager or an administrator can do this.")
  t.match(dealer.open[0], ['Request payment Only ', undefined], 'after a refused step the order is where it was')
  const refused = await shown('dealers', ...ways)
  t.equal(refused.steps.length, 1, 'and what follows is not tried')
  t.equal((await shown('dealers', ways[0], ways[0])).steps.length, 1, 'nor the same once more')
  const whole = ['new', 'apply', 'payment', 'paid', 'production', 'pickup', 'install', 'completed']
  const all = whole.slice(1).map((to, index) => transitionBetween(cabinet, whole[index] as string, to).id)
  t.equal((await shown('administrator', ...all)).steps.length, 7, 'from the first status to the last')
  db.$client.exec('update statuses set notify_dealer = 0 where id = 2')
  t.match((await shown('manager', ways[0])).steps[0], /Notified: nobody$/)
  t.equal(fieldOf(await root.get(address('dealers')), 'role')?.value, 'dealers', 'who acts stays chosen')
  for (const sign of ['#', '№', '№ ', ' # ']) {
    const named = await root.get(`/orders/try?order=${encodeURIComponent(sign + cast.order)}`)
    t.equal(fieldOf(named, 'order')?.value, String(cast.order), sign)
  }
  t.equal(fieldOf(await root.get('/orders/try'), 'role')?.value, 'administrator', 'who may take every step, unless somebody else is chosen')
  const final = await root.get(address('administrator', transitionBetween(cabinet, 'new', 'canceled').id))
  t.match(textOf(final.body), 'This is a final status.')
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
  const told = (await shown('administrator', transitionBetween(cabinet, 'new', 'canceled').id)).steps[0]
  t.match(told, /Notified: Denisov Denis, Petrova Maria Ivanovna, Masterov Pavel$/, 'dealer, manager, production')
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
