import argon2 from 'argon2'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { sessions, users } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { emailOf, password } from '../support/cast.ts'

const slow = await argon2.hash(password, { memoryCost: 65_536, timeCost: 4, parallelism: 1 })

t.test('a sign-in that is overtaken by a change of the account', async (t) => {
  const { db, cast, newBrowser } = await startCabinet(t)
  const set = (values: object) => db.update(users).set(values).where(eq(users.id, cast.denis)).run()
  const sessionsOf = () => db.select().from(sessions).where(eq(sessions.user_id, cast.denis)).all()

  const ways: [string, object][] = [
    ['the password changed', { password: await argon2.hash('another password') }],
    ['the account was deactivated', { active: false }],
    ['the email changed', { email: 'new@example.com' }],
  ]
  for (const [event, change] of ways)
    t.test(`a sign-in during which ${event} opens no session`, async (t) => {
      set({ password: slow, active: true, email: emailOf('denis') })
      const answer = newBrowser().post('/login', { email: emailOf('denis'), password })
      setTimeout(() => set(change), 30)
      t.equal((await answer).statusCode, 422)
      t.same(sessionsOf(), [])
      set({ active: true })
      t.same(sessionsOf(), [], 'not even one that comes alive with the account')
    })
})
