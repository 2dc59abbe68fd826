import { setTimeout as pause } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import tap from 'tap'
import { type Database, write } from '../../src/database/open.ts'
import { changes, jobs, orders, trash, users } from '../../src/database/schema/index.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { rowsOf, tagsOf, textOf } from '../support/html.ts'
import { endOfJob, until } from '../support/jobs.ts'
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

tap.test('more than 250 dealers are deleted by a job, in parts between which others are served', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, as } = cabinet
  addDealers(cabinet)
  const before = snapshot(db)
  const [root, admin] = [await as('root'), await as('admin')]
  const answer = await root.post('/dealers/delete', await confirm(root, 'all=1&active=0'))
  t.equal(answer.statusCode, 303)
  const address = answer.headers.location as string
  t.match(address, /^\/jobs\/\d+$/)
  t.equal(count(db), many, 'nothing is deleted while its author waits')
  const page = await root.get(address)
  t.match(
    tagsOf(page.body, 'section').find(({ id }) => id === 'job'),
    { 'data-kind': 'delete', 'data-state': 'waiting' },
  )
  t.match(tagsOf(page.body, 'progress')[0], { value: '0', max: '261' })
  t.match(page.body, '<meta http-equiv="refresh"', 'without scripts it loads itself again')
  const seen: number[] = []
  for (let turn = 0; turn < 4000 && count(db) > 0; turn++) {
    await pause(1)
    seen.push(count(db))
    const bin = rowsOf(await admin.get('/bin'), 'bin')
    if (count(db) > 0) t.same(bin, [], 'nobody can restore what is still being deleted')
    const [row] = rowsOf(await admin.get('/jobs'), 'jobs')
    t.ok(row, 'administrators see how far it is')
  }
  t.ok(
    seen.some((left) => left > 0 && left < many),
    'others are served between two parts',
  )
  t.match(await endOfJob(cabinet, address), { state: 'done', done: many + 1, total: many + 1, skipped: 0 })
  t.equal(searchIndexDifferences(db), 0)
  const done = await root.get(address)
  t.match(done.body, '/dealers?active=0')
  t.notMatch(done.body, 'http-equiv="refresh"')
  t.match(rowsOf(await root.get('/bin'), 'bin')[0]?.cells.what, / and 260 more/)
  t.match((await root.get('/notifications')).body, new RegExp(`Your job is done[^]*${address}`), 'whoever started it is told in the inbox')
  t.notMatch((await admin.get('/notifications')).body, 'Your job is done')
  t.equal((await root.get('/jobs')).statusCode, 200)
  const restoring = await root.post(undoOf(done.body))
  t.match(restoring.headers.location, /^\/jobs\/\d+$/)
  t.equal((await root.post(undoOf(done.body))).headers.location, restoring.headers.location, 'a second click leads to the same job')
  t.match(await endOfJob(cabinet, restoring.headers.location), { state: 'done', skipped: 0 })
  t.same(snapshot(db), before, 'and come back as they were, with who had registered whom')
  t.equal(searchIndexDifferences(db), 0)
  t.notOk(undoOf((await root.get(address)).body), 'what is restored is not restored again')
  t.same(rowsOf(await root.get('/bin'), 'bin'), [])
  t.equal((await (await as('roman')).get(address)).statusCode, 403, 'a dealer does not see the jobs of others')
})

tap.test('a job skips what changed meanwhile, names it, and the others are restored by one undo', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  const ids = addDealers(cabinet)
  const admin = await as('admin')
  grant(db, cast.admin, 'dealer_can_view', 'dealer_can_delete')
  const { headers } = await admin.post('/dealers/delete', await confirm(admin, 'all=1&active=0'))
  // Only superadministrators delete superadministrators.
  const [guarded, gone] = [ids[0] as number, ids[200] as number]
  db.update(users).set({ superadmin: true }).where(eq(users.id, guarded)).run()
  db.delete(users).where(eq(users.id, gone)).run()
  const job = await endOfJob(cabinet, headers.location)
  t.match(job, { state: 'done', done: many + 1, skipped: 2 })
  t.match(
    job.report.sort((a, b) => a.id - b.id),
    [
      { id: guarded, label: 'Crowd Crowd 00000', reason: "You don't have access." },
      { id: gone, reason: 'Record not found. It may have been deleted.' },
    ],
  )
  t.equal(count(db), 1)
  const page = await admin.get(headers.location as string)
  t.match(textOf(page.body), /2 records were skipped:/)
  t.match(textOf(page.body), /Crowd Crowd 00000\s*: You don't have access\./)
  t.equal(
    tagsOf(page.body, 'a').some(({ href }) => href === `/dealers/edit/${guarded}`),
    false,
  )
  const root = await as('root')
  t.notMatch((await root.get(headers.location as string)).body, 'Crowd 00000', 'the records are named to whoever started it')
  await endOfJob(cabinet, (await admin.post(undoOf(page.body))).headers.location)
  t.equal(count(db), many - 1)
})

tap.test('a job fails when whoever began it is deactivated meanwhile; what it did until then can be restored', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  addDealers(cabinet, 600)
  const [root, admin] = [await as('root'), await as('admin')]
  grant(db, cast.admin, 'dealer_can_view', 'dealer_can_delete')
  const { headers } = await admin.post('/dealers/delete', await confirm(admin, 'all=1&active=0'))
  await until(() => count(db) !== 600)
  db.update(users).set({ active: false }).where(eq(users.id, cast.admin)).run()
  const job = await endOfJob(cabinet, headers.location)
  t.match(job, { state: 'failed', attempts: 1, problem: ['The account of whoever started this is no longer active.'] })
  const left = count(db)
  t.ok(left > 0 && left < 600)
  t.equal(job.total - job.done, left + 1)
  const [row] = rowsOf(await root.get('/bin'), 'bin')
  t.match(row?.cells.what, new RegExp(` and ${job.done - 1} more`))
  db.update(users).set({ active: true }).where(eq(users.id, cast.admin)).run()
  t.equal((await root.post(`${headers.location}/retry`)).statusCode, 303, 'an administrator has it tried again')
  t.match(await endOfJob(cabinet, headers.location), { state: 'done', done: 601 })
  t.equal(count(db), 0)
  t.equal(rowsOf(await root.get('/bin'), 'bin').length, 2)
})

tap.test('a job that was stopped ends where it is, and only once', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, as } = cabinet
  addDealers(cabinet, 600)
  const [root, clerk] = [await as('root'), await as('roman')]
  const { headers } = await root.post('/dealers/delete', await confirm(root, 'all=1&active=0'))
  const address = headers.location as string
  await until(() => count(db) !== 600)
  t.equal((await clerk.post(`${address}/stop`)).statusCode, 403)
  t.equal((await root.post(`${address}/stop`)).statusCode, 303)
  const left = count(db)
  await pause(100)
  t.equal(count(db), left)
  t.ok(left > 0)
  t.match(await endOfJob(cabinet, address), { state: 'stopped' })
  t.equal((await root.post(`${address}/stop`)).statusCode, 409)
  await endOfJob(cabinet, (await root.post(undoOf((await root.get(address)).body))).headers.location)
  t.equal(count(db), 600)
  t.equal((await root.post(`${address}/retry`)).statusCode, 303)
  await endOfJob(cabinet, address)
  t.equal((await root.post(`${address}/retry`)).statusCode, 409, 'what is done is not tried again')
})

tap.test('what does not fit when many are restored stays in the trash by itself', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  addDealers(cabinet)
  const root = await as('root')
  const { headers } = await root.post('/dealers/delete', await confirm(root, 'all=1&active=0'))
  await endOfJob(cabinet, headers.location)
  const undo = undoOf((await root.get(headers.location as string)).body)
  db.update(users).set({ email: 'crowd259@example.com' }).where(eq(users.id, cast.clerk)).run()
  const restoring = (await root.post(undo)).headers.location
  const job = await endOfJob(cabinet, restoring)
  t.match(job, { state: 'done', skipped: 1, report: [{ reason: 'Crowd Crowd 00259: another record now has the same value (Email).' }] })
  t.equal(count(db), many - 1)
  const rows = rowsOf(await root.get('/bin'), 'bin')
  t.equal(rows.length, 1)
  db.update(users).set({ email: 'clerk@example.com' }).where(eq(users.id, cast.clerk)).run()
  t.equal((await root.post(undoOf((await root.get('/bin')).body))).statusCode, 303, 'later it works')
  t.equal(count(db), many)
})

tap.test('a part that fails is tried again, and the job ends with the reason after five attempts', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db, as } = cabinet
  addDealers(cabinet)
  const root = await as('root')
  db.run(sql`create trigger broken before delete on users begin select raise(abort, 'broken on purpose'); end`)
  const { headers } = await root.post('/dealers/delete', await confirm(root, 'all=1&active=0'))
  for (let attempt = 1; attempt <= 5; attempt++) {
    while ((db.select().from(jobs).get()?.attempts ?? 0) < attempt) await pause(1)
    t.equal(db.select().from(jobs).get()?.state, attempt < 5 ? 'waiting' : 'failed')
    if (attempt < 5) t.ok((db.select().from(jobs).get()?.due_at ?? 0) > Date.now() + 2500 * 2 ** (attempt - 1))
    db.update(jobs).set({ due_at: 0 }).run()
    app.jobs.wake()
  }
  t.match(db.select().from(jobs).get()?.problem, ['Something went wrong on our end: {reason}', { reason: 'broken on purpose' }])
  t.equal(count(db), many)
  t.match((await root.get(headers.location as string)).body, 'broken on purpose')
  db.run(sql`drop trigger broken`)
  await root.post(`${headers.location}/retry`)
  t.match(await endOfJob(cabinet, headers.location), { state: 'done', problem: null })
})

tap.test('a bulk deletion submitted twice is carried out once, even at the same time', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, as } = cabinet
  addDealers(cabinet)
  const root = await as('root')
  const body = await confirm(root, 'all=1&active=0')
  const answers = await Promise.all([root.post('/dealers/delete', body), root.post('/dealers/delete', body)])
  t.equal(answers[0].headers.location, answers[1].headers.location)
  await endOfJob(cabinet)
  t.equal(await db.$count(changes, and(eq(changes.action, 'delete'), eq(changes.entity, 'users'))), many + 1)
  t.equal(await db.$count(trash, sql`size is not null`), 1)
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
