import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { eq, lt, max, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { isNamed } from '../database/file-columns.ts'
import { type Database, trash, uploads, write } from '../database/index.ts'
import { copyPath, incomingFolder, pictureSizes, storedPath, unattachedLifetime } from '../http/uploads/folder.ts'
import { attachmentsOf } from './attachments.ts'

export async function sweepUploads(app: FastifyInstance, signal?: AbortSignal): Promise<void> {
  const before = Date.now() - unattachedLifetime
  sweepIncoming(app.config.dataDir, before)
  for (const key of staleKeys(app.db, before)) {
    await setImmediate()
    if (signal?.aborted) return
    if (!isAttached(app, key)) removeFile(app, key, before)
  }
}

function sweepIncoming(dataDir: string, before: number): void {
  const folder = incomingFolder(dataDir)
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const file = join(folder, name)
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs
    if (changed !== undefined && changed < before) rmSync(file, { force: true })
  }
}

function staleKeys(db: Database, before: number, key?: string): string[] {
  const keys = db
    .select({ key: uploads.key })
    .from(uploads)
    .where(key ? eq(uploads.key, key) : undefined)
  const rows = keys
    .groupBy(uploads.key)
    .having(lt(max(uploads.at), before))
    .all()
  return rows.map((row) => row.key)
}

/** By a record, whether or not its form is known to hold it, or by a deleted one, which can be restored. */
function isAttached(app: FastifyInstance, key: string): boolean {
  if (isNamed(app.db, key) || attachmentsOf(app, key).length > 0) return true
  return app.db.select({ id: trash.id }).from(trash).where(sql`instr(${trash.removed}, ${key})`).limit(1).get() !== undefined
}

/** Checks again inside the transaction, so that no save can attach the file in between. */
function removeFile(app: FastifyInstance, key: string, before: number): void {
  const { db, config } = app
  const removed = write(db, () => {
    if (staleKeys(db, before, key).length === 0 || isAttached(app, key)) return false
    db.delete(uploads).where(eq(uploads.key, key)).run()
    return true
  })
  if (!removed) return
  const path = storedPath(config.dataDir, key)
  const copies = Object.values(pictureSizes).map(([, size]) => copyPath(path, size))
  for (const file of [...copies, path]) rmSync(file, { force: true })
}
