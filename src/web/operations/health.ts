import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Database, isMigrated, write } from '../../database/open.ts'
import { seeded } from '../../database/schema/index.ts'
import { incomingFolder } from '../uploads/folder.ts'

/** What supervisors and load balancers ask. */
export const healthPlugin = fp(async (app: FastifyInstance) => {
  app.get('/healthz', { access: 'public', answers: 'file' }, checkHealth)
  app.get('/readyz', { access: 'public', answers: 'file' }, checkReadiness)
})

/** Says ok when the database answers: otherwise a restart may help. */
function checkHealth(request: FastifyRequest, reply: FastifyReply) {
  request.server.db.get(sql`select 1`)
  return sendText(reply, 'ok')
}

/** Says ready when whatever people do could be carried out. */
function checkReadiness({ server, log }: FastifyRequest, reply: FastifyReply) {
  try {
    if (!isMigrated(server.db)) throw new Error('the database lacks migrations')
    checkDatabaseWrite(server.db)
    checkFolderWrite(incomingFolder(server.config.dataDir))
    return sendText(reply, 'ready')
  } catch (error) {
    log.warn({ err: error }, 'not ready')
    return sendText(reply.code(503), 'not ready')
  }
}

function sendText(reply: FastifyReply, text: string) {
  return reply.type('text/plain').header('Cache-Control', 'no-store').send(text)
}

const rollback = new Error('only a try')

/** Writes and takes it back; who holds the database is not waited for, because nobody else is served meanwhile. */
function checkDatabaseWrite(db: Database): void {
  const busyTimeout = db.$client.pragma('busy_timeout', { simple: true })
  db.$client.pragma('busy_timeout = 0')
  try {
    write(db, () => {
      db.update(seeded)
        .set({ at: sql`${seeded.at} + 1` })
        .run()
      throw rollback
    })
  } catch (error) {
    if (error !== rollback) throw error
  } finally {
    db.$client.pragma(`busy_timeout = ${busyTimeout}`)
  }
}

function checkFolderWrite(folder: string): void {
  const file = join(folder, `ready-${randomUUID()}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(file, Buffer.alloc(4096))
  rmSync(file)
}
