import { readFileSync } from 'node:fs'
import { schemaVersion } from './database/migrations.ts'

/** The program's version and the number of its latest migration, as `--version`, `/healthz` and the account menu show them. */
export const version = {
  program: String(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version),
  schema: schemaVersion,
}

export const versionText = `Dealer cabinet ${version.program}, schema ${version.schema}`
