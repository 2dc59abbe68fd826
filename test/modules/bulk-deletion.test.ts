import { setTimeout as pause } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import tap from 'tap'
import { type Database, write } from '../../src/database/open.ts'
import { changes, orders, trash, unfinishedBatches, users } from '../../src/database/schema/index.ts'
import { undoUnfinishedBatches } from '../../src/web/list/unfinished-batches.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { rowsOf, tagsOf, textsByRole } from '../support/html.ts'
import { searchIndexDifferences } from '../support/search-index.ts'

const many = 260

/** Dealers of Alpha Windows, with an order each, the first of whom has registered the others. */
function addDealers({ db, cast }: Cabinet, count = many): number[] {
  const added: number[] = []
  write(db, () => {
    for (let index = 0; index < count; index++) {
      const [name, email] = [`Crowd ${String(index).padStart(5, '0')}`, `crowd${index}@example.com`]
      const values = { group_id: 2, email, password: 'x', name, lastname: 'Crowd', company_id: cast.companies.alpha, active: false }
      added.push(
        Number(
          db
            .insert(users)
            .values({ ...values, manager_id: added[0] ?? cast.maria })
            .run().lastInsertRowid,
        ),
      )
      db.insert(orders)
        .values({ dealer_id: added.at(-1), company_id: cast.companies.alpha, status_id: 1 })
        .run()
    }
  })
  return added
}

const snapshot = (db: Database) => ({
  users: db.$client.prepare('select id, email, company_id, manager_id, active from users order by id').all(),
  orders: db.$client.prepare('select id, dealer_id, owner_company_id from orders order by id').all(),
})

const count = (db: Database) => db.get<{ dealers: number }>(sql`select count(*) as dealers from users where lastname = 'Crowd'`).dealers

async function confirm(browser: Browser, query: string) {
  const page = await browser.get(`/dealers/delete?${query}`)
  const fields = tagsOf(page.body, 'input').filter(({ type }) => type === 'hidden')
  return Object.fromEntries(fields.map(({ name = '', value = '' }) => [name, value]))
}

const undoOf = (page: string) => /\/bin\/\d+\/restore/.exec(page)?.[0] as string

tap.test('other requests are served while thousands of dealers are deleted, and the trash shows them only once all are gone', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db, cast, as } = cabinet
  addDealers(cabinet)
  const before = snapshot(db)
  const [root, admin] = [await as('root'), await as('admin')]
  const body = await confirm(root, 'all=1&active=0')
  const events: string[] = []
  const progress: number[] = []
  app.longWrites.on('progress', (userId, { done, total }) => {
    t.same([userId, total], [cast.root, many + 1], 'who waits learns how far it is')
    progress.push(done)
  })
  const deleting = root.post('/dealers/delete', body).then((answer) => {
    events.push('deleted')
    return answer
  })
  const seen: number[] = []
  for (let turn = 0; turn < 1000 && !events.includes('deleted'); turn++) {
    // Requests made within the process would leave timers no turn.
    await pause(1)
    const page = await admin.get('/bin')
    if (events.includes('deleted')) break
    events.push('served')
    seen.push(count(db))
    t.same(rowsOf(page, 'bin'), [], 'nobody can restore what is still being deleted')
  }
  t.ok(
    seen.some((left) => left > 0 && left < many),
    'others are served between two parts',
  )
  t.equal((await deleting).statusCode, 303)
  t.ok(progress.length > 0 && progress.every((done, at) => done > (progress[at - 1] ?? 0)), 'more and more of it')
  t.equal(count(db), 0)
  t.equal(searchIndexDifferences(db), 0)
  const page = await root.get('/dealers')
  t.match(textsByRole(page, 'status').join(), /261 dealers deleted/)
  t.match(rowsOf(await root.get('/bin'), 'bin')[0]?.cells.what, / and 260 more/)
  t.equal((await root.post(undoOf(page.body))).statusCode, 303)
  t.same(snapshot(db), before, 'and come back as they were, with who had registered whom')
  t.equal(searchIndexDifferences(db), 0)
  t.equal(await db.$count(unfinishedBatches), 0)
})

tap.test('a bulk deletion of which a part fails is rolled back completely', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  const ids = addDealers(cabinet)
  const before = snapshot(db)
  const admin = await as('admin')
  grant(db, cast.admin, 'dealer_can_view', 'dealer_can_delete')
  const body = await confirm(admin, 'all=1&active=0')
  const deleting = admin.post('/dealers/delete', body)
  for (let turn = 0; turn < 1000 && count(db) === many; turn++) await pause(1)
  t.ok(count(db) > 0 && count(db) < many, 'half of them are gone')
  // Only superadministrators delete superadministrators.
  db.update(users)
    .set({ superadmin: true })
    .where(eq(users.id, ids[0] as number))
    .run()
  t.equal((await deleting).statusCode, 403)
  t.same(snapshot(db), before, 'everybody is there again')
  t.equal(await db.$count(trash), 0, 'and nothing is in the trash')
  t.equal(await db.$count(unfinishedBatches), 0)
  t.equal(searchIndexDifferences(db), 0)
})

tap.test('a bulk deletion ends, and is undone, when whoever began it is deactivated meanwhile', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db, cast, as } = cabinet
  addDealers(cabinet)
  const admin = await as('admin')
  grant(db, cast.admin, 'dealer_can_view', 'dealer_can_delete')
  const before = snapshot(db).orders
  const body = await confirm(admin, 'all=1&active=0')
  app.longWrites.once('progress', () => db.update(users).set({ active: false }).where(eq(users.id, cast.admin)).run())
  const answer = await admin.post('/dealers/delete', body)
  t.match(answer.headers.location, /^\/login/)
  t.equal(count(db), many)
  t.same(snapshot(db).orders, before)
})

tap.test('a bulk restore of which a part fails leaves every record in the trash', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  addDealers(cabinet)
  const root = await as('root')
  await root.post('/dealers/delete', await confirm(root, 'all=1&active=0'))
  const undo = undoOf((await root.get('/dealers')).body)
  const before = snapshot(db)
  // What was deleted first is restored last.
  db.update(users).set({ email: 'crowd259@example.com' }).where(eq(users.id, cast.clerk)).run()
  const answer = await root.post(undo)
  t.equal(answer.statusCode, 409)
  t.match(textsByRole(answer, 'alert').join(), /Crowd Crowd 00259: another record now has the same value \(Email\)/)
  t.same(snapshot(db).orders, before.orders)
  t.equal(count(db), 0)
  t.equal(await db.$count(trash, sql`restored_at is not null`), 0)
  db.update(users).set({ email: 'clerk@example.com' }).where(eq(users.id, cast.clerk)).run()
  t.equal((await root.post(undo)).statusCode, 303, 'later it works')
  t.equal(count(db), many)
})

tap.test('a bulk deletion interrupted by a kill is rolled back at the next start', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db, as } = cabinet
  addDealers(cabinet)
  const before = snapshot(db)
  const root = await as('root')
  const body = await confirm(root, 'all=1&active=0')
  await root.post('/dealers/delete', body)
  // As if the last part were missing.
  const batch = db.select().from(trash).get()?.batch as string
  db.update(trash).set({ size: null }).run()
  db.insert(unfinishedBatches).values({ batch, action: 'delete' }).run()
  await undoUnfinishedBatches(app)
  t.same(snapshot(db), before)
  t.equal(await db.$count(trash), 0)
  t.equal(await db.$count(unfinishedBatches), 0)
})

tap.test('a bulk deletion submitted twice is carried out once, even while the first is running', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, as } = cabinet
  addDealers(cabinet)
  const root = await as('root')
  const body = await confirm(root, 'all=1&active=0')
  const answers = await Promise.all([root.post('/dealers/delete', body), root.post('/dealers/delete', body)])
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [303, 303],
  )
  t.equal(await db.$count(changes, and(eq(changes.action, 'delete'), eq(changes.entity, 'users'))), many + 1)
  t.equal(await db.$count(trash, sql`size is not null`), 1)
})

tap.test('a small deletion does not wait for a running bulk deletion', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  addDealers(cabinet)
  const [root, admin] = [await as('root'), await as('admin')]
  grant(db, cast.admin, 'dealer_can_view', 'dealer_can_delete')
  const body = await confirm(root, 'all=1&active=0')
  const order: string[] = []
  const large = root.post('/dealers/delete', body).then(() => order.push('large'))
  const small = admin.post('/dealers/delete', { id: cast.roman }).then(({ statusCode }) => order.push(`small ${statusCode}`))
  await Promise.all([large, small])
  t.same(order, ['small 303', 'large'])
})

tap.test('up to 250 dealers are deleted, and restored, in one transaction each', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, as } = cabinet
  addDealers(cabinet, 249)
  const before = snapshot(db)
  const root = await as('root')
  const seen = new Set<number>()
  const body = await confirm(root, 'all=1&active=0')
  const deleting = root.post('/dealers/delete', body)
  let done = false
  deleting.finally(() => (done = true))
  while (!done) {
    seen.add(count(db))
    await pause(1)
  }
  t.same(
    [...seen].filter((left) => left > 0 && left < 249),
    [],
    'nobody sees a part of them gone',
  )
  t.equal(
    new Set(
      db
        .select({ at: changes.at })
        .from(changes)
        .where(eq(changes.action, 'delete'))
        .all()
        .map(({ at }) => at),
    ).size,
    1,
  )
  t.equal((await root.post(undoOf((await root.get('/dealers')).body))).statusCode, 303)
  t.same(snapshot(db), before)
})
