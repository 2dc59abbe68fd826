import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupError, copyDatabase, type Manifest, verifyCopy } from './database.ts'
import { copyFile, copyMissing, databaseName, otherFiles, storedFiles, syncFile } from './files.ts'

interface BackupSummary {
  folder: string
  files: number
  bytes: number
  missing: string[]
}

/** Copies a data folder, with or without a running service, into a dated folder of the target and verifies the copy. */
export async function makeBackup(dataDir: string, target: string): Promise<BackupSummary> {
  const earlier = await findEarlierBackups(target)
  const name = backupName(new Date())
  const draft = join(target, `${name}.part`)
  await mkdir(target, { recursive: true, mode: 0o700 })
  await mkdir(draft, { mode: 0o700 })
  try {
    const manifest = await fillBackup(dataDir, draft, earlier.at(-1) && join(target, earlier.at(-1) as string))
    const folder = join(target, name)
    await rename(draft, folder)
    return { folder, ...(await measure(folder)), missing: manifest.missing }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

/**
 * Files are copied before and after the database, so that everything it references is included; unreferenced files are swept only after
 * a day.
 */
async function fillBackup(dataDir: string, draft: string, earlier?: string): Promise<Manifest> {
  await copyMissing(dataDir, draft, earlier)
  copyDatabase(dataDir, join(draft, databaseName))
  await syncFile(join(draft, databaseName))
  await copyMissing(dataDir, draft, earlier)
  for (const file of await otherFiles(dataDir)) await copyFile(join(dataDir, file), join(draft, file))
  const manifest = await verifyCopy(draft)
  await writeFile(join(draft, 'backup.json'), JSON.stringify(manifest, null, 2), { mode: 0o600, flush: true })
  return manifest
}

async function measure(folder: string): Promise<{ files: number; bytes: number }> {
  const files = await storedFiles(folder)
  return { files: files.length, bytes: await sizeOf(folder, [...files, databaseName]) }
}

async function findEarlierBackups(target: string): Promise<string[]> {
  if (!existsSync(target)) return []
  const names = (await readdir(target)).filter((name) => name !== 'lost+found')
  const foreign = names.find((name) => !/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(\.part)?$/.test(name))
  if (foreign) throw new BackupError(`${target} holds something else than backups (${foreign}): name an empty or a new folder`)
  return names.filter((name) => !name.endsWith('.part')).sort()
}

function backupName(now: Date): string {
  return now.toISOString().replace(/\.\d+/, '').replaceAll(':', '-')
}

async function sizeOf(folder: string, files: string[]): Promise<number> {
  let bytes = 0
  for (const file of files) bytes += (await stat(join(folder, file))).size
  return bytes
}
