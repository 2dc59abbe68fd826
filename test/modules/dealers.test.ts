import { and, desc, eq } from 'drizzle-orm'
import t from 'tap'
import { changes, orders, trash, userPolicies, users } from '../../src/database/schema/index.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { dealerNames, foundNames, insertDealer, userOf } from '../support/dealers.ts'
import { cellsOf, controlsOf, hiddenOf, isDocument, switchOf, textOf, textsByRole, totalOf } from '../support/html.ts'

const unknown = 999_999

t.test('a dealer is activated and deactivated', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const isActive = (name: Name) => userOf(cabinet, cast[name]).active
  const press = async (name: Name, value: string | number, by: Name = 'admin', headers = {}) =>
    (await as(by)).post(`/dealers/${cast[name]}/active`, { value }, headers)

  t.test('the switch sets the requested state, however often it is sent', async (t) => {
    for (const value of [0, 0, 1, 1, 0]) {
      const answer = await press('denis', value)
      t.equal(answer.statusCode, 303)
      t.equal(answer.headers.location, '/dealers')
      t.equal(isActive('denis'), value === 1)
    }
    await press('denis', 1)
  })

  t.test('switching a dealer redirects to the list with its query, and never to another host', async (t) => {
    const answer = await press('denis', 1, 'admin', { referer: 'http://localhost/dealers?q=den&page=2' })
    t.equal(answer.headers.location, '/dealers?q=den&page=2')
    const foreign = await press('denis', 1, 'admin', { referer: 'https://evil.example//evil.example/x' })
    t.equal(new URL(String(foreign.headers.location), 'http://cabinet.test').host, 'cabinet.test')
  })

  t.test('switching a dealer answers htmx with the cell and nothing else', async (t) => {
    for (const value of [0, 1]) {
      const answer = await press('denis', value, 'admin', htmx)
      t.equal(answer.statusCode, 200)
      t.match(answer.body.trim(), /^<td\b[\s\S]*<\/td>$/)
      t.same(Object.keys(cellsOf(answer.body)), ['active'])
      t.equal(switchOf(answer.body)?.checked, value === 1)
    }
  })

  t.test('the switch refuses any value but 0 and 1 (422)', async (t) => {
    for (const value of ['', '2', 'on', 'true', '-1', '01']) t.equal((await press('denis', value)).statusCode, 422, value)
    t.equal((await (await as('admin')).post(`/dealers/${cast.denis}/active`, {})).statusCode, 422, 'nor none')
    t.equal((await press('denis', '2', 'admin', htmx)).statusCode, 422)
    t.equal(isActive('denis'), true)
  })

  t.test('a manager switches only dealers whom they may edit (403)', async (t) => {
    t.equal((await press('roman', 0, 'maria')).statusCode, 303, 'of her company')
    t.equal((await press('vera', 0, 'maria')).statusCode, 403, 'assigned to her, but of a company with another manager')
    t.equal((await press('daria', 0, 'maria')).statusCode, 403)
    t.equal(isActive('daria'), true)
    revoke(db, cast.maria, 'dealer_manager_can_edit')
    t.equal((await press('denis', 0, 'maria')).statusCode, 403)
    t.equal((await press('denis', 0, 'plain')).statusCode, 403)
    t.equal(isActive('denis'), true)
  })

  t.test('nobody deactivates or deletes themselves or the user whom they impersonate (403)', async (t) => {
    grant(db, cast.denis, 'dealer_can_view', 'dealer_can_edit', 'dealer_can_delete')
    const denis = await as('denis')
    t.equal((await denis.post(`/dealers/${cast.denis}/active`, { value: 0 })).statusCode, 403)
    t.equal((await denis.post('/dealers/delete', { id: cast.denis })).statusCode, 403)
    t.equal((await denis.post(`/dealers/${cast.daria}/active`, { value: 0 })).statusCode, 303, 'but others')
    const root = await as('root')
    await root.get(`/impersonate/${cast.denis}`)
    t.equal((await root.post(`/dealers/${cast.denis}/active`, { value: 0 })).statusCode, 403)
    t.equal((await root.post('/dealers/delete', { id: cast.denis })).statusCode, 403)
    await root.post('/impersonate/leave')
    t.equal(isActive('denis'), true)
  })

  t.test('switching a dealer is recorded in the history', async (t) => {
    await press('ivan', 1, 'root')
    const change = db.select().from(changes).where(eq(changes.record_id, cast.ivan)).orderBy(desc(changes.id)).get()
    t.match(change, { action: 'update', actor_id: cast.root, fields: { active: [false, true] } })
  })
})

t.test('dealers are deleted', async (t) => {
  const open = async () => {
    const cabinet = await startCabinet(t)
    const exists = (id: number) => userOf(cabinet, id) !== undefined
    return { ...cabinet, exists, admin: await cabinet.as('admin'), maria: await cabinet.as('maria') }
  }

  t.test('deleting a dealer asks first and names the orders affected', async (t) => {
    const { admin, cast, exists } = await open()
    const page = await admin.get(`/dealers/delete?id=${cast.denis}`)
    t.equal(page.statusCode, 200)
    t.match(textOf(page.body), /Denisov/)
    t.match(textOf(page.body), /\b1 order/)
    t.same(hiddenOf(page, 'id'), [String(cast.denis)])
    t.ok(exists(cast.denis), 'nothing happens by looking')
    const both = await admin.get(`/dealers/delete?id=${cast.denis}&id=${cast.daria}&id=${cast.denis}`)
    t.same(hiddenOf(both, 'id'), [String(cast.denis), String(cast.daria)])
    const fragment = await admin.get(`/dealers/delete?id=${cast.denis}`, htmx)
    t.notOk(isDocument(fragment))
    t.same(hiddenOf(fragment, 'id'), [String(cast.denis)])
  })

  t.test('deleting one dealer keeps their orders and writes the history', async (t) => {
    const { admin, cast, db, exists } = await open()
    const before = db.select().from(users).where(eq(users.id, cast.denis)).get()
    const answer = await admin.post('/dealers/delete', { id: cast.denis })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/dealers')
    t.notOk(exists(cast.denis))
    t.match(
      db.select().from(orders).where(eq(orders.id, cast.order)).get(),
      { dealer_id: null, company_id: cast.companies.alpha },
      'orders stay',
    )
    t.equal(db.select().from(userPolicies).where(eq(userPolicies.user_id, cast.denis)).all().length, 0)
    const [kept] = db.select().from(trash).all()
    t.match(kept, { entity: 'users', record_id: cast.denis, actor_id: cast.admin })
    t.equal(kept?.removed.rows[0]?.row.email, before?.email)
    t.match(JSON.stringify(kept?.removed.references), `"ids":[${cast.order}]`, 'the bin knows whose it was')
    const change = db
      .select()
      .from(changes)
      .where(and(eq(changes.entity, 'users'), eq(changes.record_id, cast.denis)))
      .orderBy(desc(changes.id))
      .get()
    t.match(change, { action: 'delete', actor_id: cast.admin })
    t.notMatch(JSON.stringify(change), 'argon2id')
    t.match(textsByRole(await admin.get('/dealers'), 'status').join(), /Denisov Denis deleted/)
    t.equal((await admin.get(`/dealers/edit/${cast.denis}`)).statusCode, 404)
  })

  t.test('deleting several dealers deletes all or none', async (t) => {
    const { admin, maria, cast, db, exists } = await open()
    t.equal((await maria.post('/dealers/delete', { id: [cast.denis, cast.daria] })).statusCode, 403, 'one foreign id refuses the whole')
    t.equal((await maria.post('/dealers/delete', { id: [cast.denis, unknown] })).statusCode, 404, 'an unknown one too')
    t.equal((await admin.post('/dealers/delete', { id: [cast.denis, 'word'] })).statusCode, 404)
    t.equal((await admin.post('/dealers/delete', { id: [cast.denis, cast.admin] })).statusCode, 404, 'somebody of another group')
    t.ok(exists(cast.denis) && exists(cast.daria) && exists(cast.admin))
    t.equal(db.select().from(trash).all().length, 0)
    t.equal((await maria.post('/dealers/delete', { id: [cast.denis, cast.roman] })).statusCode, 303, 'of her company')
    t.same(
      dealerNames.filter((name) => exists(cast[name])),
      ['daria', 'vera', 'ivan'],
    )
    t.equal(
      new Set(
        db
          .select()
          .from(trash)
          .all()
          .map(({ batch }) => batch),
      ).size,
      1,
      'one action',
    )
    t.equal((await admin.post('/dealers/delete', { id: [cast.daria, cast.daria] })).statusCode, 303, 'the same id twice is one')
  })

  t.test('dealers are deleted even when no active superadministrator is left', async (t) => {
    const { admin, cast, db, exists } = await open()
    db.update(users).set({ active: false }).where(eq(users.id, cast.root)).run()
    t.equal((await admin.post('/dealers/delete', { id: cast.denis })).statusCode, 303)
    t.notOk(exists(cast.denis))
  })

  t.test('deleting without a selection is refused (422), an unknown dealer is 404', async (t) => {
    const { admin } = await open()
    t.equal((await admin.post('/dealers/delete', {})).statusCode, 422)
    t.equal((await admin.get('/dealers/delete')).statusCode, 422)
    t.equal((await admin.get(`/dealers/delete?id=${unknown}`)).statusCode, 404)
    t.equal((await admin.post('/dealers/delete', { id: unknown })).statusCode, 404)
  })

  t.test('a manager is refused the confirmation for a dealer whom they may not delete (403)', async (t) => {
    const { maria, cast, db, as, exists } = await open()
    t.equal((await maria.get(`/dealers/delete?id=${cast.daria}`)).statusCode, 403)
    revoke(db, cast.maria, 'dealer_manager_can_delete')
    t.equal((await maria.get(`/dealers/delete?id=${cast.denis}`)).statusCode, 403)
    t.equal((await maria.post('/dealers/delete', { id: cast.denis })).statusCode, 403)
    t.equal((await (await as('plain')).post('/dealers/delete', { id: unknown })).statusCode, 403, 'no right: whether or not it exists')
    t.ok(exists(cast.denis))
  })

  t.test('deleting all found dealers deletes exactly those that the confirmation showed', async (t) => {
    const cabinet = await open()
    const { admin, cast, exists } = cabinet
    const page = await admin.get('/dealers/delete?all=1&q=alpha')
    t.equal(page.statusCode, 200)
    t.match(textOf(page.body), /3/)
    const fields = Object.fromEntries(
      controlsOf(page.body)
        .filter(({ type }) => type === 'hidden')
        .map(({ name, value }) => [name, value]),
    )
    t.match(fields, { all: '1', q: 'alpha' })
    t.ok(fields.seen)
    const late = insertDealer(cabinet, { lastname: 'Late' })
    const changed = await admin.post('/dealers/delete', fields)
    t.equal(changed.statusCode, 409, 'somebody came in between')
    t.ok(exists(cast.denis) && exists(late))
    const seen = hiddenOf(changed, 'seen')[0]
    t.ok(seen && seen !== fields.seen, 'the confirmation again')
    t.equal((await admin.post('/dealers/delete', { ...fields, seen: seen as string })).statusCode, 303)
    t.same(
      dealerNames.filter((name) => exists(cast[name])),
      ['daria', 'vera'],
    )
    t.notOk(exists(late))
  })

  t.test('deleting all found dealers without having seen them is refused (409)', async (t) => {
    const { admin, cast, exists } = await open()
    t.equal((await admin.post('/dealers/delete', { all: 1, q: 'alpha' })).statusCode, 409)
    t.equal((await admin.post('/dealers/delete', { all: 1, q: 'alpha', seen: 'guess' })).statusCode, 409)
    t.ok(exists(cast.denis))
    const fragment = await admin.post('/dealers/delete', { all: 1, q: 'alpha', seen: 'guess' }, htmx)
    t.equal(fragment.statusCode, 409)
    t.notOk(isDocument(fragment))
    t.equal(hiddenOf(fragment, 'seen').length, 1)
    t.equal((await admin.post('/dealers/delete', { all: 1, q: 'nobody at all' })).statusCode, 422)
  })

  t.test('a manager who deletes all dealers deletes only those of their own list', async (t) => {
    const { maria, cast, exists } = await open()
    const seen = hiddenOf(await maria.get('/dealers/delete?all=1'), 'seen')[0] as string
    t.equal((await maria.post('/dealers/delete', { all: 1, seen })).statusCode, 303)
    t.same(
      dealerNames.filter((name) => exists(cast[name])),
      ['daria', 'vera'],
    )
  })

  t.test('deleting dealers answers htmx with the updated table', async (t) => {
    const cabinet = await open()
    const { admin, cast } = cabinet
    const answer = await admin.post('/dealers/delete', { id: cast.denis, q: 'alpha' }, htmx)
    t.equal(answer.statusCode, 200)
    t.notOk(isDocument(answer))
    t.equal(totalOf(answer, 'dealers'), 2)
    t.same(foundNames(cabinet, answer), ['ivan', 'roman'])
    t.ok(textsByRole(answer, 'status').length > 0)
  })
})

t.test('visitors who are not signed in are sent to the sign-in page from every dealer address', async (t) => {
  const { newBrowser, cast } = await startCabinet(t)
  const nobody = newBrowser()
  for (const path of [
    '/dealers',
    '/dealers/export',
    '/dealers/add',
    `/dealers/edit/${cast.denis}`,
    `/dealers/edit/${unknown}`,
    '/dealers/delete?id=1',
  ])
    t.match(String((await nobody.get(path)).headers.location), /^\/login\?next=/, path)
  for (const path of ['/dealers/add', `/dealers/edit/${cast.denis}`, '/dealers/delete', `/dealers/${cast.denis}/active`])
    t.equal((await nobody.post(path, { value: 0 })).headers.location, '/login', path)
})
