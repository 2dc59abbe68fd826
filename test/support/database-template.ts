import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { seedDefaults } from '../../src/database/defaults.ts'
import { migrateDatabase } from '../../src/database/migrations.ts'
import { openDatabase } from '../../src/database/open.ts'
import { settings } from '../../src/database/schema/index.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = join(root, 'node_modules/.cache/tests')
const sources = ['drizzle/**/*', 'src/database/**/*', 'src/core/**/*', 'package-lock.json']

/** A migrated database with its defaults, built once per state of the sources; tests copy the file. */
export function templateFile(): string {
  const file = join(folder, `template-${hashOfSources()}.sqlite`)
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  const draft = `${file}.${process.pid}`
  const db = openDatabase(draft)
  migrateDatabase(db)
  seedDefaults(db, 'en')
  // Tests of orders type their prices, unless they are about products.
  db.update(settings).set({ catalog: false }).run()
  db.$client.pragma('journal_mode = DELETE')
  db.$client.close()
  renameSync(draft, file)
  return file
}

let known: string | undefined

function hashOfSources(): string {
  if (known) return known
  const hash = createHash('sha256')
  const entries = globSync(sources, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const path of entries.map((entry) => join(entry.parentPath, entry.name)).sort()) hash.update(path).update(readFileSync(path))
  known = hash.digest('hex').slice(0, 12)
  return known
}
