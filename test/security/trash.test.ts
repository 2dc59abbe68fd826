import { eq } from 'drizzle-orm'
import t from 'tap'
import { trash, users } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { emailOf, grant, password } from '../support/cast.ts'

t.test('a deleted user leaves no password hash in the trash, and after a restore signs in only with a reset', async (t) => {
  const { as, newBrowser, db, cast } = await startCabinet(t)
  const root = await as('root')
  const before = db.select().from(users).where(eq(users.id, cast.denis)).get()
  await root.post('/dealers/delete', { id: cast.denis })
  t.equal(db.select().from(users).where(eq(users.id, cast.denis)).get(), undefined, 'deleted')
  const [kept] = db.select().from(trash).all()
  t.notMatch(JSON.stringify(kept), 'argon2')
  t.equal(kept?.removed.rows[0]?.row.email, emailOf('denis'), 'the rest is kept')

  t.equal((await root.post(`/bin/${kept?.id}/restore`)).statusCode, 303)
  const restored = db.select().from(users).where(eq(users.id, cast.denis)).get()
  t.match(restored, { email: before?.email, name: before?.name, password: '' })
  for (const word of [password, ''])
    t.equal((await newBrowser().post('/login', { email: emailOf('denis'), password: word })).statusCode, 422)
  await root.post(`/dealers/edit/${cast.denis}`, { password: 'a brand new password' })
  t.equal((await newBrowser().post('/login', { email: emailOf('denis'), password: 'a brand new password' })).statusCode, 303)
})

t.test('a deleted superadministrator is for superadministrators to see and restore', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const [root, admin] = [await as('root'), await as('admin')]
  grant(db, cast.admin, 'admin_can_view', 'admin_can_edit', 'admin_can_delete')
  db.update(users).set({ superadmin: true, lastname: 'Highest' }).where(eq(users.id, cast.clerk)).run()
  t.equal((await root.post('/admins/delete', { id: cast.clerk })).statusCode, 303)
  const address = `/bin/${db.select().from(trash).get()?.id}/restore`
  t.notMatch((await admin.get('/bin')).body, 'Highest')
  t.equal((await admin.post(address)).statusCode, 403)
  t.match((await root.get('/bin')).body, 'Highest')
  t.equal((await root.post(address)).statusCode, 303)
  t.equal(db.select().from(users).where(eq(users.id, cast.clerk)).get()?.superadmin, true)
})
