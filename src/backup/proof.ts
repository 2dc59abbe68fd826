import { basename, join } from 'node:path'
import { isKey } from '../web/uploads/folder.ts'
import { BackupError, proveDatabase } from './database.ts'
import { databaseName, hashOf, storedFiles } from './files.ts'

/** What is known of a copied data folder; a backup keeps it as `backup.json`. */
export interface Proof {
  /** The database's SHA-256. */
  database: string
  /** Keys of files that the database knows and that are not there. */
  missing: string[]
}

/**
 * Looks at everything in a copy of a data folder: the database, and that every file holds what its name says.
 * @throws BackupError for what is damaged
 */
export async function prove(folder: string): Promise<Proof> {
  const keys = proveDatabase(join(folder, databaseName))
  const files = await storedFiles(folder)
  for (const file of files) {
    const key = basename(file)
    if (isKey(key) && (await hashOf(join(folder, file))) !== key) throw new BackupError(`The file ${join(folder, file)} is damaged`)
  }
  const present = new Set(files.map((file) => basename(file)))
  return { database: await hashOf(join(folder, databaseName)), missing: keys.filter((key) => !present.has(key)) }
}
