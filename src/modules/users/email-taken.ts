import { eq } from 'drizzle-orm'
import { type Database, prepareOnce, users } from '../../database/index.ts'

/** Compares trimmed and without case. Imported data may hold duplicates, which rules out a unique index. */
export function isEmailTaken(db: Database, email: string): boolean {
  return byEmail(db).get({ email }) !== undefined
}

const byEmail = prepareOnce((db, params) => {
  return db.select({ id: users.id }).from(users).where(eq(users.email, params.email)).limit(1).prepare()
})
