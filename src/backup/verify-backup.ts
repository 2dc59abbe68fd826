import { basename, join } from 'node:path'
import { isKey } from '../web/uploads/folder.ts'
import { BackupError, verifyDatabase } from './database.ts'
import { databaseName, hashOf, storedFiles } from './files.ts'

/** What is known of a copied data folder; a backup keeps it as `backup.json`. */
export interface Manifest {
  /** The database's SHA-256. */
  database: string
  /** Names of files that the database knows and that are not there. */
  missing: string[]
  /** The SHA-256 of each smaller copy of a picture: its name tells only that of the picture. */
  copies: Record<string, string>
}

/**
 * Looks at everything in a copy of a data folder: the database, and that every file holds what its name says.
 * @throws BackupError for what is damaged
 */
export async function verifyCopy(folder: string): Promise<Manifest> {
  const known = verifyDatabase(join(folder, databaseName))
  const hashes = await hashesIn(folder)
  const damaged = Object.keys(hashes).find((name) => isKey(name) && hashes[name] !== name)
  if (damaged) throw new BackupError(`The file ${damaged} in ${folder} is damaged`)
  return {
    database: await hashOf(join(folder, databaseName)),
    missing: known.filter((name) => !(name in hashes)),
    copies: Object.fromEntries(Object.entries(hashes).filter(([name]) => !isKey(name))),
  }
}

async function hashesIn(folder: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {}
  for (const file of await storedFiles(folder)) hashes[basename(file)] = await hashOf(join(folder, file))
  return hashes
}
