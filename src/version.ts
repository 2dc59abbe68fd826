import { readFileSync } from 'node:fs'
import { schemaVersion } from './database/migrations.ts'
import { root } from './root.ts'

/** The program's version and the number of its latest migration, as `--version`, `/healthz` and the account menu show them. */
export const version = {
  program: String(JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version),
  schema: schemaVersion,
}

export const versionText = `Dealer cabinet ${version.program}, schema ${version.schema}`
