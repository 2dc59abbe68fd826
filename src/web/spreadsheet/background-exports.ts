import { unlink } from 'node:fs/promises'
import { basename } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { write } from '../../database/open.ts'
import { notifications } from '../../database/schema/index.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Milliseconds that somebody waits for a spreadsheet before it is left in their inbox. */
    exportWait: number
    backgroundExports: Map<Promise<void>, AbortController>
  }
}

export const backgroundExportsPlugin = fp(async (app: FastifyInstance) => {
  app.decorate('exportWait', 5_000)
  app.decorate('backgroundExports', new Map())
  app.addHook('onClose', async () => {
    for (const canceled of app.backgroundExports.values()) canceled.abort()
    await Promise.all(app.backgroundExports.keys())
  })
})

/** A spreadsheet that takes longer than somebody waits for: a link in the inbox says when it is ready, or that it could not be made. */
export function leaveInInbox(
  { server, actor, log }: FastifyRequest,
  written: Promise<string | undefined>,
  file_name: string,
  canceled: AbortController,
): void {
  const notice = { user_id: actor.id, status_name: '', file_name }
  const done = written
    .then(
      (path) => (path ? notify(server, { ...notice, event: 'export-ready', file: basename(path) }, path) : undefined),
      (error) => {
        log.error({ err: error }, 'an export failed')
        return notify(server, { ...notice, event: 'export-failed' })
      },
    )
    .catch((error) => log.error({ err: error }, 'nobody was told of an export'))
    .then(() => void server.backgroundExports.delete(done))
  server.backgroundExports.set(done, canceled)
}

async function notify(
  { db, notificationEvents }: FastifyInstance,
  notice: Omit<typeof notifications.$inferInsert, 'created_at'>,
  path?: string,
): Promise<void> {
  try {
    const row = { ...notice, created_at: Date.now() }
    write(db, () => db.insert(notifications).values(row).run())
    notificationEvents.emit('queued', [notice.user_id])
  } catch (error) {
    if (path) await unlink(path)
    throw error
  }
}
