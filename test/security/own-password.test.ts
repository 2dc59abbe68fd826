import { eq } from 'drizzle-orm'
import t from 'tap'
import { users } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { password } from '../support/cast.ts'
import { fieldOf, parseHtml } from '../support/html.ts'

t.test('nobody changes their own password on their card (403), only on the profile with the current one', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const hash = () => db.select().from(users).where(eq(users.id, cast.root)).get()?.password
  const root = await as('root')
  const before = hash()
  const path = `/admins/edit/${cast.root}`
  t.equal((await root.post(path, { password: 'a new password' })).statusCode, 403)
  t.equal(hash(), before)
  const card = await root.get(path)
  t.equal(fieldOf(card, 'password')?.disabled, true, 'nor is it offered')
  t.equal(parseHtml(card.body)('#password-hint a[href="/profile"]').text(), 'Change your password on your profile')
  t.notMatch((await root.get(`/admins/edit/${cast.admin}`)).body, 'Change your password on your profile')
  t.equal((await root.post(path, { name: 'Ruth' })).statusCode, 303, 'the rest is saved')
  t.equal((await root.post('/profile', { current_password: password, password: 'a new password' })).statusCode, 303)
  t.not(hash(), before)
})
