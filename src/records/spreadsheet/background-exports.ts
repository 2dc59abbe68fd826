import { unlink } from 'node:fs/promises'
import { basename } from 'node:path'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type Database, notifications, write } from '../../database/index.ts'
import { LimitReached } from '../../http/access/rate-limit.ts'
import type { Context } from '../../http/request/context.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Milliseconds that somebody waits for a spreadsheet before it is left in their inbox. */
    exportWait: number
    backgroundExports: Map<Promise<void>, AbortController>
    /** How many spreadsheets are being made for each person. */
    exportsOf: Map<number, number>
  }
}

export const backgroundExportsPlugin = fp(async (app: FastifyInstance) => {
  app.decorate('exportWait', 5_000)
  app.decorate('backgroundExports', new Map())
  app.decorate('exportsOf', new Map())
  app.addHook('onReady', async () => failInterrupted(app.db))
  app.addHook('onClose', async () => {
    for (const canceled of app.backgroundExports.values()) canceled.abort()
    await Promise.all(app.backgroundExports.keys())
  })
})

const exportLimit = 2
const exportPause = 15

/** Makes a spreadsheet for a person, whoever they act as, unless enough are being made for them. */
export async function makeForPerson<T>({ server, actor }: Context, make: () => Promise<T>): Promise<T> {
  const { exportsOf } = server
  const person = actor.impersonator?.id ?? actor.id
  const before = exportsOf.get(person) ?? 0
  if (before >= exportLimit)
    throw new LimitReached(exportPause, '{max} spreadsheets are being made for you. Try again after {time}.', { max: exportLimit })
  exportsOf.set(person, before + 1)
  try {
    return await make()
  } finally {
    exportsOf.set(person, (exportsOf.get(person) ?? 1) - 1)
  }
}

/** A spreadsheet that takes longer than somebody waits for: a notice in the inbox says that it is being made, and then becomes a link to it. */
export function leaveInInbox(
  { server, actor, log }: Context,
  written: Promise<string | undefined>,
  file_name: string,
  canceled: AbortController,
): void {
  const notice = { user_id: actor.id, status_name: '', file_name, event: 'export-running' as const, created_at: Date.now() }
  const { lastInsertRowid } = write(server.db, () => server.db.insert(notifications).values(notice).run())
  const tell = (result: Result, path?: string) => finishNotice(server, Number(lastInsertRowid), result, path)
  const done = written
    .then(
      (path) => (path ? tell({ event: 'export-ready', file: basename(path) }, path) : undefined),
      (error) => {
        log.error({ err: error }, 'an export failed')
        return tell({ event: 'export-failed' })
      },
    )
    .catch((error) => log.error({ err: error }, 'nobody was told of an export'))
    .then(() => void server.backgroundExports.delete(done))
  server.backgroundExports.set(done, canceled)
}

type Result = Pick<typeof notifications.$inferInsert, 'event' | 'file'>

async function finishNotice({ db, notificationEvents }: FastifyInstance, id: number, result: Result, path?: string): Promise<void> {
  try {
    const unread = { ...result, read_at: null, created_at: Date.now() }
    const told = write(db, () => db.update(notifications).set(unread).where(eq(notifications.id, id)).returning().get())
    // Somebody who is gone has no inbox.
    if (told) notificationEvents.emit('queued', [told.user_id])
    else if (path) await unlink(path)
  } catch (error) {
    if (path) await unlink(path)
    throw error
  }
}

/** What the end of the process has interrupted will not be made any more. */
function failInterrupted(db: Database): void {
  const interrupted = eq(notifications.event, 'export-running')
  if (!db.select({ id: notifications.id }).from(notifications).where(interrupted).limit(1).get()) return
  write(db, () => db.update(notifications).set({ event: 'export-failed', read_at: null }).where(interrupted).run())
}
