import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { verifyDatabase } from '../backup/database.ts'
import { databaseName } from '../backup/files.ts'
import { addFunctions } from '../database/functions.ts'
import { lastMigration, latestMigration } from '../database/open.ts'
import { outdatedTexts } from '../database/search-index.ts'
import { triggerDifferences } from '../database/triggers.ts'

/** @throws BackupError when the file is damaged or comes from a newer program */
export function checkIntegrity(dataDir: string): string {
  const files = verifyDatabase(join(dataDir, databaseName))
  return `intact, with ${files.length} stored files`
}

/** @throws Error when migrations or triggers differ from the program's */
export function checkSchema(dataDir: string): string {
  return reading(dataDir, (client) => {
    if (lastMigration(client) < latestMigration) throw new Error('migrations are missing: restart the service with this version')
    const differences = triggerDifferences(client)
    if (differences.length > 0) throw new Error(`${differences.join(', ')} differ from the program's: restart the service`)
    return 'as the program expects'
  })
}

/** @throws Error when a record would not be found by what it holds */
export function checkSearch(dataDir: string): string {
  return reading(dataDir, (client) => {
    const outdated = outdatedTexts(client)
    if (outdated > 0) throw new Error(`${outdated} records are missing from the search index: stop the service and run npm run reindex`)
    return 'complete'
  })
}

/** @throws Error when the clock stands before what has been recorded */
export function checkClock(dataDir: string, timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone): string {
  return reading(dataDir, (client) => {
    const newest = Number(client.prepare('select max(at) from changes').pluck().get() ?? 0)
    const now = new Date()
    if (newest > now.getTime() + 60_000)
      throw new Error(`it is ${now.toISOString()}, before the last change of ${new Date(newest).toISOString()}: set the clock`)
    return `${now.toLocaleString('sv', { timeZone })} ${timeZone}`
  })
}

function reading<T>(dataDir: string, read: (client: Sqlite.Database) => T): T {
  const client = new Sqlite(join(dataDir, databaseName), { readonly: true, fileMustExist: true })
  addFunctions(client)
  try {
    return read(client)
  } finally {
    client.close()
  }
}
