import { eq } from 'drizzle-orm'
import { cachedUntilWrite } from './cached-until-write.ts'
import type { Database } from './open.ts'
import { prepareOnce } from './prepare-once.ts'
import { settings } from './schema/index.ts'

export type Settings = typeof settings.$inferSelect

export function findSettings(db: Database): Settings {
  const found = cachedUntilWrite(db, 'settings', () => settingsQuery(db).get())
  if (!found) throw new Error('The settings are missing.')
  return found
}

const settingsQuery = prepareOnce((db) => db.select().from(settings).where(eq(settings.id, 1)).prepare())
