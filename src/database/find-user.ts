import { eq } from 'drizzle-orm'
import type { Database } from './open.ts'
import { prepareOnce } from './prepare-once.ts'
import { users } from './schema/index.ts'

export const findUser = (db: Database, id: number): typeof users.$inferSelect | undefined => byId(db).get({ id })

const byId = prepareOnce((db, params) => db.select().from(users).where(eq(users.id, params.id)).prepare())
