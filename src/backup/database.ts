import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { latestMigration } from '../database/migrations.ts'
import { isKey, pictureSizes } from '../http/uploads/folder.ts'
import { databaseName, hashOf, storedFiles } from './files.ts'

export class BackupError extends Error {}

export function copyDatabase(dataDir: string, target: string): void {
  const client = open(join(dataDir, databaseName))
  try {
    client.prepare('vacuum into ?').run(target)
  } finally {
    client.close()
  }
}

export function verifyDatabase(file: string): string[] {
  const client = open(file)
  try {
    const found = client.pragma('integrity_check(1)', { simple: true })
    if (found !== 'ok') throw new BackupError(`The database ${file} is damaged: ${found}`)
    const [dangling] = client.pragma('foreign_key_check') as { table: string; rowid: number }[]
    if (dangling) throw new BackupError(`The database ${file} is damaged: row ${dangling.rowid} of ${dangling.table} points at nothing`)
    refuseNewer(client, file)
    return client.prepare(knownFilesQuery).pluck().all() as string[]
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error
    throw new BackupError(`The database ${file} cannot be read: ${error.message}`)
  } finally {
    client.close()
  }
}

/** Uploads, and the thumbnails of avatars and news images, without which the picture is not displayed. */
const knownFilesQuery = `
  select key from uploads
  union select key || '-${pictureSizes.avatar[1]}' from uploads where key in (select image from users)
  union select key || '-${pictureSizes.gallery[1]}' from uploads where key in (select value from news, json_each(images) where images <> '[]')`

function refuseNewer(client: Sqlite.Database, file: string): void {
  const last = client.prepare('select max(created_at) from __drizzle_migrations').pluck().get() as number
  if (last > latestMigration)
    throw new BackupError(`The database ${file} comes from a newer version of this program: install that one first`)
}

function open(file: string): Sqlite.Database {
  if (!existsSync(file)) throw new BackupError(`There is no database ${file}`)
  return new Sqlite(file, { readonly: true, timeout: 30_000 })
}

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
