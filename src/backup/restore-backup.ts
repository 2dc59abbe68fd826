import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import * as z from 'zod'
import { isKey } from '../http/uploads/folder.ts'
import { BackupError, type Manifest, verifyCopy } from './database.ts'
import { copyFile, copyMissing, databaseName, otherFiles } from './files.ts'

/** Restores a verified backup into a data folder; after an error the folder is as it was. */
export async function restoreBackup(backup: string, dataDir: string, force = false): Promise<{ aside?: string; missing: string[] }> {
  const { missing } = await verifyBackup(backup)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  if (isInUse(dataDir)) throw new BackupError(`A service or Litestream is running on ${dataDir}: stop it first`)
  const present = (await readdir(dataDir)).filter((name) => !name.startsWith(asidePrefix))
  if (present.length > 0 && !force)
    throw new BackupError(`${dataDir} is not empty: with --force what is there is moved aside into a folder of it`)
  const draft = join(dataDir, '.restoring')
  await rm(draft, { recursive: true, force: true })
  await copyToDraft(backup, draft)
  const aside = present.length > 0 ? await moveAside(dataDir, present) : undefined
  // The database comes last: without it the folder counts as empty.
  for (const name of (await readdir(draft)).sort(databaseLast)) await rename(join(draft, name), join(dataDir, name))
  await rm(draft, { recursive: true })
  await chmod(dataDir, 0o700)
  return { aside, missing }
}

async function verifyBackup(backup: string): Promise<Manifest> {
  const expected = await readManifest(backup)
  const actual = await verifyCopy(backup)
  if (actual.database !== expected.database) throw new BackupError(`The database in ${backup} is not the one that was backed up`)
  const copies = expected.copies ?? actual.copies
  const lost =
    actual.missing.find((name) => isKey(name) && !expected.missing.includes(name)) ??
    Object.keys(copies).find((name) => !(name in actual.copies))
  if (lost) throw new BackupError(`The file ${lost} is missing in ${backup}`)
  const changed = Object.keys(actual.copies).find((name) => actual.copies[name] !== copies[name])
  if (changed) throw new BackupError(`The file ${changed} in ${backup} is not the one that was backed up`)
  return actual
}

const manifestSchema = z.object({
  database: z.string(),
  missing: z.array(z.string()),
  copies: z.record(z.string(), z.string()).optional(),
})

async function readManifest(backup: string): Promise<z.infer<typeof manifestSchema>> {
  const file = join(backup, 'backup.json')
  if (!existsSync(file)) throw new BackupError(`${backup} is no backup: it has no backup.json`)
  const content = await readFile(file, 'utf8')
  try {
    return manifestSchema.parse(JSON.parse(content))
  } catch {
    throw new BackupError(`${file} is damaged: restore another backup`)
  }
}

async function copyToDraft(backup: string, draft: string): Promise<void> {
  await mkdir(draft, { mode: 0o700 })
  await copyMissing(backup, draft)
  const others = (await otherFiles(backup)).filter((name) => name !== 'backup.json')
  for (const name of [...others, databaseName]) await copyFile(join(backup, name), join(draft, name))
  deletePasswordResets(join(draft, databaseName))
}

const asidePrefix = 'before-restore-'

async function moveAside(dataDir: string, names: string[]): Promise<string> {
  const aside = join(dataDir, asidePrefix + new Date().toISOString().replaceAll(':', '-'))
  await mkdir(aside, { mode: 0o700 })
  for (const name of names.filter((name) => name !== '.restoring')) await rename(join(dataDir, name), join(aside, name))
  return aside
}

function databaseLast(one: string, other: string): number {
  return Number(one === databaseName) - Number(other === databaseName)
}

/** Password reset links used since the backup would become valid again. */
function deletePasswordResets(file: string): void {
  const client = new Sqlite(file)
  try {
    const known = client.prepare("select 1 from sqlite_master where name = 'password_resets'").get()
    if (known) client.exec('delete from password_resets')
  } finally {
    client.close()
  }
}

function isInUse(dataDir: string): boolean {
  const file = join(dataDir, databaseName)
  if (!existsSync(file)) return false
  const client = new Sqlite(file, { timeout: 0 })
  try {
    client.pragma('locking_mode = EXCLUSIVE')
    client.prepare('select count(*) from sqlite_master').get()
    return false
  } catch (error) {
    return (error as { code?: string }).code === 'SQLITE_BUSY'
  } finally {
    client.close()
  }
}
