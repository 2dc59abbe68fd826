import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { BackupError } from './database.ts'
import { copyFile, databaseName, ignoreMissing, otherFiles, storedFiles } from './files.ts'

/** Longer than any database that Litestream can still restore: its `retention` in deploy/litestream.yml. */
export const goneFor = 8 * 86_400_000

/**
 * Keeps a copy of stored files and keys beside a replica of the database.
 * @returns one pass: it copies what is new and then writes into `copied-at` when it began. A file is stored before the database names it,
 * so a database of that time or older names none that is not there.
 */
export async function fileReplica(dataDir: string, target: string): Promise<(now?: Date) => Promise<void>> {
  await mkdir(join(target, 'gone'), { recursive: true, mode: 0o700 })
  const copied = new Set(await storedFiles(target))
  const gone = await readGone(target)
  return async (now = new Date()) => {
    if (!existsSync(join(dataDir, databaseName))) throw new BackupError(`There is no database in ${dataDir}`)
    const present = await storedFiles(dataDir)
    for (const file of present.filter((name) => !copied.has(name))) {
      await copyWhole(join(dataDir, file), join(target, file)).then(() => copied.add(file), ignoreMissing)
    }
    for (const name of await otherFiles(dataDir)) await copyChanged(join(dataDir, name), join(target, name))
    await removeGone(target, copied, new Set(present), gone, now)
    await writeWhole(join(target, 'copied-at'), `${now.toISOString().slice(0, 19)}Z\n`)
  }
}

/** When a file was found to be gone, in a marker of its name, so that a restart forgets nothing. */
async function readGone(target: string): Promise<Map<string, number>> {
  const names = await readdir(join(target, 'gone'))
  const times = names.map(async (name) => [name, (await stat(join(target, 'gone', name))).mtimeMs] as const)
  return new Map(await Promise.all(times))
}

async function removeGone(target: string, copied: Set<string>, present: Set<string>, gone: Map<string, number>, now: Date): Promise<void> {
  for (const file of copied) {
    const [name, isPresent] = [basename(file), present.has(file)]
    const marker = join(target, 'gone', name)
    const since = gone.get(name)
    if (isPresent && since === undefined) continue
    if (isPresent) {
      await rm(marker, { force: true })
      gone.delete(name)
    } else if (since === undefined) {
      await writeFile(marker, '', { mode: 0o600 })
      gone.set(name, now.getTime())
    } else if (now.getTime() - since > goneFor) {
      await rm(join(target, file), { force: true })
      await rm(marker, { force: true })
      copied.delete(file)
      gone.delete(name)
    }
  }
}

async function copyChanged(from: string, to: string): Promise<void> {
  const [source, copy] = await Promise.all([stat(from), stat(to).catch(() => undefined)])
  if (!copy || copy.size !== source.size || copy.mtimeMs < source.mtimeMs) await copyWhole(from, to)
}

/** A kill leaves the whole file under its name or none. */
async function copyWhole(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await rm(`${to}.part`, { force: true })
  await copyFile(from, `${to}.part`)
  await rename(`${to}.part`, to)
}

async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.part`, text, { mode: 0o600, flush: true })
  await rename(`${file}.part`, file)
}
