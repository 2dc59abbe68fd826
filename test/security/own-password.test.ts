import { eq } from 'drizzle-orm'
import t from 'tap'
import { users } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { password } from '../support/cast.ts'
import { fieldOf } from '../support/html.ts'

t.setTimeout(120_000)

t.test('nobody sets their own password on their card, only on the profile with the present one', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const hash = () => db.select().from(users).where(eq(users.id, cast.root)).get()?.password
  const root = await as('root')
  const before = hash()
  const path = `/admins/edit/${cast.root}`
  t.equal((await root.post(path, { password: 'a new password' })).statusCode, 403)
  t.equal(hash(), before)
  t.equal(fieldOf(await root.get(path), 'password')?.disabled, true, 'nor is it offered')
  t.equal((await root.post(path, { name: 'Ruth' })).statusCode, 303, 'the rest is saved')
  t.equal((await root.post('/profile', { current_password: password, password: 'a new password' })).statusCode, 303)
  t.not(hash(), before)
})
