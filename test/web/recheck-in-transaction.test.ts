import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect } from 'node:net'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, sessions, users } from '../../src/database/schema/index.ts'
import { type Browser, type Cabinet, encode, startCabinet } from '../support/cabinet.ts'
import { emailOf, grant, password, revoke } from '../support/cast.ts'

/** Sends a form whose last byte is held back until something else has happened. */
async function postAround(
  { app }: Cabinet,
  browser: Browser,
  path: string,
  fields: Record<string, string>,
  meanwhile: () => unknown,
): Promise<number> {
  const body = encode(fields)
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), '127.0.0.1')
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
  const arrived = new Promise((resolve) => app.server.once('request', resolve))
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: ${cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
  )
  await arrived
  await meanwhile()
  socket.write(body.slice(-1))
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return Number(/^HTTP\/1\.1 (\d+)/.exec(String(answer))?.[1])
}

const nameOf = ({ db }: Cabinet, id: number) => db.select().from(users).where(eq(users.id, id)).get()?.name

t.test('a permission revoked while the form arrives no longer counts (403)', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const admin = await cabinet.as('admin')
  const status = await postAround(cabinet, admin, `/dealers/edit/${cast.denis}`, { name: 'Changed' }, () =>
    revoke(db, cast.admin, 'dealer_can_edit'),
  )
  t.equal(status, 403)
  t.equal(nameOf(cabinet, cast.denis), 'Denis')
})

t.test('a dealer reassigned while the form arrives is no longer the manager’s to edit (403)', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const maria = await cabinet.as('maria')
  const reassign = () => {
    db.update(companies).set({ manager_id: cast.mikhail }).where(eq(companies.id, cast.companies.alpha)).run()
    db.update(users).set({ manager_id: cast.mikhail }).where(eq(users.id, cast.denis)).run()
  }
  t.equal(await postAround(cabinet, maria, `/dealers/edit/${cast.denis}`, { name: 'Changed' }, reassign), 403)
  t.equal(nameOf(cabinet, cast.denis), 'Denis')
})

/** Runs this between the check of the policy hook and the transaction of the handler, where a handler may wait for something. */
function beforeHandler(work: () => void): void {
  const channel = 'tracing:fastify.request.handler:start'
  const once = () => {
    diagnostics.unsubscribe(channel, once)
    work()
  }
  diagnostics.subscribe(channel, once)
}

t.test('a dealer reassigned after the policy hook let the request pass is not deactivated: the transaction asks again (403)', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const maria = await cabinet.as('maria')
  beforeHandler(() => {
    db.update(companies).set({ manager_id: cast.mikhail }).where(eq(companies.id, cast.companies.alpha)).run()
    db.update(users).set({ manager_id: cast.mikhail }).where(eq(users.id, cast.denis)).run()
  })
  const answer = await maria.post(`/dealers/${cast.denis}/active`, { value: 0 })
  t.equal(answer.statusCode, 403)
  t.equal(db.select().from(users).where(eq(users.id, cast.denis)).get()?.active, true)
})

t.test('whoever loses the right, the session or the account after the policy hook is refused by the transaction', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, newBrowser } = cabinet
  for (const [status, happens] of [
    [403, () => revoke(db, cast.admin, 'dealer_can_edit')],
    [303, () => db.delete(sessions).where(eq(sessions.user_id, cast.admin)).run()],
    [303, () => db.update(users).set({ active: false }).where(eq(users.id, cast.admin)).run()],
  ] as const) {
    const admin = newBrowser()
    await admin.post('/login', { email: emailOf('admin'), password })
    beforeHandler(happens)
    t.equal((await admin.post(`/dealers/${cast.denis}/active`, { value: 0 })).statusCode, status)
    t.equal(db.select().from(users).where(eq(users.id, cast.denis)).get()?.active, true)
    grant(db, cast.admin, 'dealer_can_edit')
  }
})

t.test('nobody begins an impersonation with a right that was revoked after the policy hook (403)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  beforeHandler(() => revoke(db, cast.admin, 'dealer_can_auth'))
  t.equal((await admin.get(`/impersonate/${cast.denis}`)).statusCode, 403)
  t.equal(db.select().from(sessions).where(eq(sessions.acting_as_id, cast.denis)).get(), undefined)
})

t.test('a record deleted while the form arrives is not found (404)', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast } = cabinet
  const [maria, root] = [await cabinet.as('maria'), await cabinet.as('root')]
  const status = await postAround(cabinet, maria, `/dealers/edit/${cast.denis}`, { name: 'Changed' }, () =>
    root.post('/dealers/delete', { id: cast.denis }),
  )
  t.equal(status, 404)
})

t.test('whoever impersonates somebody can neither deactivate nor delete themselves (403)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  grant(db, cast.admin, 'admin_can_auth', 'admin_can_view', 'admin_can_edit', 'admin_can_delete')
  grant(db, cast.clerk, 'admin_can_view', 'admin_can_edit', 'admin_can_delete')
  const admin = await as('admin')
  t.equal((await admin.get(`/impersonate/${cast.clerk}`, { referer: 'http://localhost/admins' })).statusCode, 303)
  for (const id of [cast.admin, cast.clerk]) {
    t.equal((await admin.post(`/admins/${id}/active`, { value: 0 })).statusCode, 403, 'deactivate')
    t.equal((await admin.post('/admins/delete', { id })).statusCode, 403, 'delete')
    t.equal(db.select().from(users).where(eq(users.id, id)).get()?.active, true)
  }
})

t.test('production users are deleted one at a time (422 for several)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const add = (name: string) =>
    root.post('/productions/add', { lastname: name, name, email: `${name}@example.com`, password: 'a good password' })
  for (const name of ['first', 'second']) t.equal((await add(name)).statusCode, 303)
  const ids = db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.group_id, 4))
    .all()
    .map(({ id }) => id)
  t.equal(ids.length, 3)
  t.equal((await root.post('/productions/delete', { id: ids })).statusCode, 422)
  t.equal(db.select().from(users).where(eq(users.group_id, 4)).all().length, 3, 'nobody is gone')
  t.equal((await root.post('/productions/delete', { id: cast.pavel })).statusCode, 303)
})
