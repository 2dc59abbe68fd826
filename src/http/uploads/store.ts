import { createHash, randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync } from 'node:fs'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { and, eq, gt, sql } from 'drizzle-orm'
import { mutex } from '../../concurrency/mutex.ts'
import { type Database, imports, prepareOnce, uploads, write } from '../../database/index.ts'
import { HttpError } from '../request/errors.ts'
import { cleanName } from './file-name.ts'
import { copyPath, fileLimit, filesFolder, folderOf, incomingFolder, unattachedLifetime } from './folder.ts'

export interface TemporaryFile {
  path: string
  key: string
  name: string
  type: string
  size: number
  copies?: readonly number[]
}

interface FileDescription {
  name: string
  type?: string
  limit?: number
}

interface UploadStorage {
  db: Database
  dataDir: string
}

export async function receiveFile(dataDir: string, stream: AsyncIterable<Buffer>, { name, type = '', limit = fileLimit }: FileDescription) {
  const folder = incomingFolder(dataDir)
  const path = join(folder, randomUUID())
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = await open(path, 'wx', 0o600)
  try {
    const written = await copy(stream, file, limit)
    return { path, ...written, name: cleanName(name), type: type.slice(0, 255) }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

async function copy(stream: AsyncIterable<Buffer>, file: FileHandle, limit: number): Promise<{ key: string; size: number }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > limit)
      throw new HttpError(413, 'Files are limited to {max} MB. Go back and choose a smaller one.', { max: limit / 1024 ** 2 })
    hash.update(chunk)
    await file.appendFile(chunk)
  }
  if (size > 0) await file.sync()
  return { key: hash.digest('hex'), size }
}

/** Disks take milliseconds for each file: whoever sends a hundred does not hold up everybody meanwhile. */
const oneATurn = mutex()

/** Records temporary files, one after the other; deletes those that cannot be recorded. */
export async function recordUploads({ db, dataDir }: UploadStorage, files: TemporaryFile[], userId: number): Promise<void> {
  const record = (file: TemporaryFile) =>
    oneATurn(async () => {
      // A crash in between leaves a file without a record, never a record without its file.
      write(db, () => recordUpload({ db, dataDir }, file, userId))
      await setImmediate()
    })
  try {
    for (const file of files) await record(file)
  } catch (error) {
    await discardFiles(files)
    throw error
  }
}

/** Call it inside `write`. */
export function recordUpload({ db, dataDir }: UploadStorage, { path, copies, ...file }: TemporaryFile, userId: number): void {
  db.insert(uploads)
    .values({ ...file, user_id: userId, at: Date.now() })
    .run()
  commitFile(dataDir, path, file.key, copies)
}

/** Small files count more than their bytes: each takes a place on the disk, and a row. */
const leastCounted = 64 * 1024

/** Bytes of files, and of the rows of spreadsheets, which can be far more than their file. */
export function uploadedLastDay(db: Database, userId: number): number {
  const given = { user: userId, since: Date.now() - unattachedLifetime }
  return (filesSince(db).get(given)?.bytes ?? 0) + (rowsSince(db).get(given)?.bytes ?? 0)
}

const filesSince = prepareOnce((db, params) => {
  const rows = db.select({ bytes: sql<number | null>`sum(max(${uploads.size}, ${leastCounted}))` }).from(uploads)
  return rows.where(and(gt(uploads.at, params.since), eq(uploads.user_id, params.user))).prepare()
})

const rowsSince = prepareOnce((db, params) => {
  const rows = db.select({ bytes: sql<number | null>`sum(${imports.size})` }).from(imports)
  return rows.where(and(gt(imports.created_at, params.since), eq(imports.user_id, params.user))).prepare()
})

export async function discardFiles(files: TemporaryFile[]): Promise<void> {
  const paths = files.flatMap(({ path, copies = [] }) => [path, ...copies.map((size) => copyPath(path, size))])
  await Promise.all(paths.map((path) => rm(path, { force: true })))
}

/** Renames and syncs the file and its folder, so that it survives a power failure. */
function commitFile(dataDir: string, path: string, key: string, copies: readonly number[] = []): void {
  const folder = folderOf(dataDir, key)
  if (mkdirSync(folder, { recursive: true, mode: 0o700 })) syncFolder(filesFolder(dataDir))
  renameSync(path, join(folder, key))
  for (const size of copies) renameSync(copyPath(path, size), copyPath(join(folder, key), size))
  syncFolder(folder)
}

function syncFolder(folder: string): void {
  // Windows cannot open folders and needs no sync.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
