import { and, eq, ne } from 'drizzle-orm'
import { type Database, prepareOnce, users } from '../../database/index.ts'

/** Compares trimmed and without case. Imported data may hold duplicates, which rules out a unique index. */
export function isEmailTaken(db: Database, email: string, exceptId = 0): boolean {
  return byEmail(db).get({ email, id: exceptId }) !== undefined
}

const byEmail = prepareOnce((db, params) => {
  const other = and(eq(users.email, params.email), ne(users.id, params.id))
  return db.select({ id: users.id }).from(users).where(other).limit(1).prepare()
})
