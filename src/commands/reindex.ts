// `npm run reindex`: rebuilds the search indexes and everything else maintained by triggers. Stop the service first.
import { join } from 'node:path'
import { readConfig } from '../config.ts'
import { migrateDatabase, openDatabase } from '../database/open.ts'
import { rebuildSearch } from '../database/search-index.ts'
import { fail } from './arguments.ts'
import { answerHelp } from './usage.ts'

answerHelp('reindex')
try {
  const { dataDir } = readConfig(process.env)
  const db = openDatabase(join(dataDir, 'cabinet.sqlite'))
  migrateDatabase(db)
  rebuildSearch(db)
  db.$client.close()
  console.log('The search indexes have been rebuilt.')
} catch (error) {
  fail(error)
}
