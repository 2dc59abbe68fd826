import { basename, join } from 'node:path'
import { isKey } from '../web/uploads/folder.ts'
import { BackupError, verifyDatabase } from './database.ts'
import { databaseName, hashOf, storedFiles } from './files.ts'

export interface Manifest {
  database: string
  missing: string[]
  /** SHA-256 of each thumbnail, whose name is the hash of the original picture. */
  copies: Record<string, string>
}

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
