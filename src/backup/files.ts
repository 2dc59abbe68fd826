import { createHash } from 'node:crypto'
import { constants, createReadStream, existsSync, lstatSync } from 'node:fs'
import { chmod, copyFile as copyContent, link, mkdir, open, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isKey } from '../http/uploads/folder.ts'

export const databaseName = 'cabinet.sqlite'

const storedNamePattern = /^[0-9a-f]{64}(-\d+)?$/

export async function storedFiles(dataDir: string): Promise<string[]> {
  const files = join(dataDir, 'files')
  if (!existsSync(files)) return []
  const entries = await readdir(files, { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name)).map((entry) => entry.name)
  const inside = await Promise.all(folders.map((folder) => filesIn(join(files, folder))))
  return folders.flatMap((folder, index) =>
    (inside[index] as string[])
      .filter((name) => storedNamePattern.test(name) && name.startsWith(folder))
      .map((name) => join('files', folder, name)),
  )
}

export async function otherFiles(dataDir: string): Promise<string[]> {
  return (await filesIn(dataDir)).filter((name) => !name.startsWith(databaseName))
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

export async function copyMissing(from: string, to: string, earlier?: string): Promise<void> {
  for (const file of await storedFiles(from)) {
    const target = join(to, file)
    if (existsSync(target)) continue
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    if (!(earlier && (await tryLink(join(earlier, file), target)))) await copyFile(join(from, file), target).catch(ignoreMissing)
  }
}

async function tryLink(source: string, target: string): Promise<boolean> {
  const key = basename(source)
  if (!isKey(key) || !lstatSync(source, { throwIfNoEntry: false })?.isFile() || (await hashOf(source)) !== key) return false
  // Hard links fail across disks and on some file systems.
  return link(source, target).then(
    () => true,
    () => false,
  )
}

export function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

export async function copyFile(from: string, to: string): Promise<void> {
  await copyContent(from, to, constants.COPYFILE_EXCL)
  await syncFile(to)
}

export async function syncFile(file: string): Promise<void> {
  await chmod(file, 0o600)
  const handle = await open(file, 'r+')
  await handle.sync().finally(() => handle.close())
}

export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
