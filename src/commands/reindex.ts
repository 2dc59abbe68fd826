// `npm run reindex`: rebuilds the search indexes and everything else maintained by triggers. Stop the service first.
import { migrateDatabase } from '../database/migrations.ts'
import { rebuildSearch } from '../database/search-index.ts'
import { openOwnDatabase, runCommand } from './command-line.ts'

await runCommand('reindex', () => {
  const db = openOwnDatabase()
  migrateDatabase(db)
  rebuildSearch(db)
  db.$client.close()
  console.log('The search indexes have been rebuilt.')
})
