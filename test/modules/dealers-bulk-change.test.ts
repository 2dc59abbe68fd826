import { eq, inArray } from 'drizzle-orm'
import t from 'tap'
import { changes, securityEvents, users } from '../../src/database/schema/index.ts'
import { type Answer, type Fields, startCabinet } from '../support/cabinet.ts'
import { insertDealers } from '../support/dealers.ts'
import { elementsOf, fieldOf, hiddenOf, textOf, totalOf } from '../support/html.ts'
import { endOfJob } from '../support/jobs.ts'

const resultsOf = ({ body }: Answer) =>
  Object.fromEntries([...body.matchAll(/data-result="(\d+)" data-moved="([01])"/g)].map(([, id, moved]) => [id, moved === '1']))

t.test('an administrator changes manager, company and account state of many dealers', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const { alpha, beta } = cast.companies
  const of = (id: number) => db.select().from(users).where(eq(users.id, id)).get()
  const [root, mikhail] = [await as('root'), await as('mikhail')]

  t.test('the form of a bulk change names the dealers and offers active managers or nobody', async (t) => {
    t.match((await root.get('/dealers')).body, '/dealers/change')
    const form = await root.get(`/dealers/change?id=${cast.denis}&id=${cast.vera}`)
    t.match(textOf(form.body), /Change 2 dealers.*Denisov Denis.*Vernaya Vera/s)
    t.same(
      fieldOf(form, 'manager_id')?.options.map(({ value }) => value),
      ['', '0', cast.maria, cast.plain, cast.mikhail].map(String),
    )
    t.notMatch(textOf(form.body), 'more')
    t.equal((await root.get('/dealers/change')).statusCode, 422, 'nothing ticked')
    t.equal((await root.get('/dealers/change?id=99999')).statusCode, 404)
  })

  t.test('a bulk change applies the filled-in fields with history and keeps the others; submitted twice, it happens once', async (t) => {
    const id = [cast.denis, cast.vera]
    const before = db.select().from(changes).all().length
    const body = { id, manager_id: cast.mikhail, company_id: '', account: '0', once: 'a' }
    const answer = await root.post('/dealers/change', body)
    t.equal(answer.statusCode, 200)
    t.same(resultsOf(answer), { [cast.denis]: true, [cast.vera]: true })
    t.match(textOf(answer.body), '2 dealers changed')
    for (const one of id) t.match(of(one), { manager_id: cast.mikhail, active: false })
    t.same([of(cast.denis)?.company_id, of(cast.vera)?.company_id], [alpha, beta])
    const entries = db.select().from(changes).all().length
    t.equal(entries, before + 4)
    db.update(users).set({ manager_id: cast.maria }).where(eq(users.id, cast.denis)).run()
    t.same(resultsOf(await root.post('/dealers/change', body)), resultsOf(answer))
    t.equal(of(cast.denis)?.manager_id, cast.maria)
    await root.post('/dealers/change', { id, manager_id: '0', company_id: alpha, account: '1' })
    for (const one of id) t.match(of(one), { manager_id: null, active: true, company_id: alpha })
  })

  t.test('"all results" changes only the dealers that were shown (409 when the list has changed)', async (t) => {
    const query = `all=1&company=${alpha}`
    const [seen] = hiddenOf(await root.get(`/dealers/change?${query}`), 'seen')
    const total = totalOf(await root.get(`/dealers?company=${alpha}`), 'dealers') as number
    const body = { all: '1', company: alpha, seen: seen as string, manager_id: cast.maria }
    db.update(users).set({ company_id: beta }).where(eq(users.id, cast.vera)).run()
    t.equal((await root.post('/dealers/change', body)).statusCode, 409)
    db.update(users).set({ company_id: alpha }).where(eq(users.id, cast.vera)).run()
    t.equal(Object.keys(resultsOf(await root.post('/dealers/change', body))).length, total)
  })

  t.test('a bulk change with invalid input changes nothing (422)', async (t) => {
    const id = [cast.denis]
    const before = of(cast.denis)
    const attempts: Fields[] = [{}, { manager_id: cast.denis }, { manager_id: 'x' }, { company_id: 99_999 }, { account: '2' }]
    for (const values of attempts) t.equal((await root.post('/dealers/change', { id, ...values })).statusCode, 422, JSON.stringify(values))
    const crowd = Array.from({ length: 10_000 }, (_, number) => number + 1)
    t.equal((await root.post('/dealers/change', { id: crowd, account: '0' })).statusCode, 413)
    t.equal(
      (await root.post('/dealers/change', { id: crowd.slice(0, 1500), account: '0' })).statusCode,
      404,
      'one unknown id refuses the whole',
    )
    t.same(of(cast.denis), before)
    const found = await root.post('/dealers/change', { id, _find: 'company_id', company_id_search: 'alpha' })
    t.equal(found.statusCode, 200)
    t.ok(
      fieldOf(found, 'company_id')?.options.some(({ value }) => value === String(alpha)),
      'a company is searched without scripts',
    )
  })

  t.test('ten dealers are named, the others counted; up to 250 are changed at once, more by a job that names those it skips', async (t) => {
    const crowd = Array.from({ length: 1001 }, (_, number) => {
      const email = `crowd${number}@example.com`
      return { lastname: `Crowd ${number}`, name: 'C', email, password: '-', group_id: 2, search: 'crowd' }
    })
    const planted = db
      .insert(users)
      .values(crowd)
      .returning({ id: users.id })
      .all()
      .map(({ id }) => id)
    const textFor = async (count: number) =>
      textOf(
        (
          await root.get(
            `/dealers/change?${planted
              .slice(0, count)
              .map((id) => `id=${id}`)
              .join('&')}`,
          )
        ).body,
      )
    t.notMatch(await textFor(10), /and \d+ more/)
    t.match(await textFor(10), 'Fields you leave empty stay unchanged.')
    t.match(await textFor(11), /Crowd 9 C.*and 1 more/)
    t.notMatch(await textFor(11), 'Crowd 10')
    const allOf = (q: string) => root.get(`/dealers/change?all=1&q=${q}`)
    t.match(textOf((await allOf('crowd')).body), 'Change 1001 dealers')
    const atOnce = await root.post('/dealers/change', { id: planted.slice(0, 250), account: '0', once: 'at once' })
    t.equal(atOnce.statusCode, 200)
    t.match(textOf(atOnce.body), '250 dealers changed')
    const moments = db.select({ at: changes.at }).from(changes).where(inArray(changes.record_id, planted)).all()
    t.equal(moments.length, 250)
    const body = { id: planted.slice(0, 251), account: '1', once: 'by a job' }
    const address = (await root.post('/dealers/change', body)).headers.location as string
    t.match(address, /^\/jobs\/\d+$/)
    t.equal((await root.post('/dealers/change', body)).headers.location, address, 'sent again, it is the same job')
    db.update(users)
      .set({ group_id: 3 })
      .where(eq(users.id, planted[250] as number))
      .run()
    const job = await endOfJob(cabinet, address)
    t.match(job, { kind: 'change', state: 'done', done: 251, skipped: 1 })
    t.match(job.report, [{ id: planted[250], label: 'Crowd 250 C', reason: 'Record not found. It may have been deleted.' }])
    t.equal(of(planted[249] as number)?.active, true)
    t.match((await root.get(address)).body, `href="/dealers/edit/${planted[250]}"`)
    t.equal(db.$client.prepare('select count(*) from jobs').pluck().get(), 1)
    db.delete(users).where(eq(users.search, 'crowd')).run()
  })

  t.test('a manager moves only their own dealers, only to their own companies, and changes no manager', async (t) => {
    db.update(users).set({ manager_id: cast.maria, company_id: alpha }).where(eq(users.id, cast.denis)).run()
    db.update(users).set({ manager_id: cast.mikhail, company_id: beta }).where(eq(users.id, cast.daria)).run()
    t.equal((await mikhail.post('/dealers/change', { id: [cast.denis, cast.daria], account: '0' })).statusCode, 403)
    t.equal(of(cast.daria)?.active, true, 'one foreign dealer refuses the whole')
    t.equal((await mikhail.post('/dealers/change', { id: cast.daria, company_id: alpha })).statusCode, 422)
    t.equal(fieldOf(await mikhail.get(`/dealers/change?id=${cast.daria}`), 'manager_id'), undefined)
    await mikhail.post('/dealers/change', { id: cast.daria, manager_id: cast.maria, account: '0' })
    t.match(of(cast.daria), { manager_id: cast.mikhail, active: false })
  })
})

t.test('the form names the first ten dealers and how many more there are', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const ids = insertDealers(cabinet, 12, (index) => ({ lastname: `Planted${String(index).padStart(2, '0')}` }))
  const named = async (count: number) => {
    const { body } = await root.get(
      `/dealers/change?${ids
        .slice(0, count)
        .map((id) => `id=${id}`)
        .join('&')}`,
    )
    return elementsOf(body, '.confirm-names li').map(textOf)
  }
  t.equal((await named(10)).length, 10)
  t.notMatch((await named(10)).join(), /more/)
  const eleven = await named(11)
  t.equal(eleven.length, 11)
  t.equal(eleven.at(-1), 'and 1 more')
  t.equal((await named(12)).at(-1), 'and 2 more')
})

t.test('deactivating many dealers signs each of them out, once, and nobody else', async (t) => {
  const { cast, db, as } = await startCabinet(t)
  const [root, denis, daria, vera] = [await as('root'), await as('denis'), await as('daria'), await as('vera')]
  await root.post('/dealers/change', { id: [cast.denis, cast.vera, cast.ivan], account: '0' })
  t.same(await Promise.all([denis, vera, daria].map(async (browser) => (await browser.get('/')).statusCode)), [303, 303, 200])
  const ended = db.select().from(securityEvents).where(eq(securityEvents.event, 'sessions-ended')).all()
  t.same(
    ended.map(({ user_id, actor_id }) => [user_id, actor_id]),
    [
      [cast.denis, cast.root],
      [cast.vera, cast.root],
    ],
    'who was deactivated already is not mentioned',
  )
})
