import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as workflow from '../../src/core/default-workflow.ts'
import { policyCatalog } from '../../src/core/policies.ts'
import { seedDefaults } from '../../src/database/defaults.ts'
import { migrateDatabase, openDatabase } from '../../src/database/open.ts'

/** A migrated database with its defaults, made once for each state of migrations and defaults; tests copy the file. */
export function templateFile(): string {
  const folder = join(tmpdir(), 'dealer-cabinet-tests')
  const file = join(folder, `template-${version()}.sqlite`)
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  const draft = `${file}.${process.pid}`
  const db = openDatabase(draft)
  migrateDatabase(db)
  seedDefaults(db, 'en')
  db.$client.pragma('journal_mode = DELETE')
  db.$client.close()
  renameSync(draft, file)
  return file
}

function version(): string {
  const hash = createHash('sha256')
  const migrations = new URL('../../drizzle/', import.meta.url)
  for (const name of readdirSync(migrations).filter((name) => name.endsWith('.sql'))) hash.update(readFileSync(new URL(name, migrations)))
  return hash
    .update(JSON.stringify([policyCatalog, workflow]))
    .digest('hex')
    .slice(0, 12)
}
