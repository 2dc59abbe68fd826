import { createHash, timingSafeEqual } from 'node:crypto'
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isLoopback } from '../config.ts'
import { isMigrated } from '../database/migrations.ts'
import type { Database } from '../database/open.ts'
import { version } from '../version.ts'
import { incomingFolder } from './uploads/folder.ts'

export const healthPlugin = fp(async (app: FastifyInstance) => {
  app.get('/healthz', { access: 'public', answers: 'file' }, checkHealth)
  app.get('/readyz', { access: 'public', answers: 'file' }, checkReadiness)
})

/** Says ok when the database answers: otherwise a restart may help. As JSON, whoever may ask `/readyz` learns the version too. */
function checkHealth(request: FastifyRequest, reply: FastifyReply) {
  request.server.db.get(sql`select 1`)
  if (!request.headers.accept?.includes('application/json')) return sendText(reply, 'ok')
  const details = isLocal(request) || hasToken(request) ? version : {}
  return reply.header('Cache-Control', 'no-store').send({ status: 'ok', ...details })
}

function checkReadiness(request: FastifyRequest, reply: FastifyReply) {
  const { server, log } = request
  if (!isLocal(request) && !hasToken(request)) return sendText(reply.code(403), 'forbidden')
  try {
    if (!isMigrated(server.db)) throw new Error('the database lacks migrations')
    checkDatabaseWritable(server.db)
    checkFolderWritable(incomingFolder(server.config.dataDir))
    return sendText(reply, 'ready')
  } catch (error) {
    log.warn({ err: error }, 'not ready')
    return sendText(reply.code(503), 'not ready')
  }
}

function isLocal({ ip, headers, server }: FastifyRequest): boolean {
  return isLoopback(ip.replace(/^::ffff:/i, '')) && (server.config.trustProxy || headers['x-forwarded-for'] === undefined)
}

function hasToken({ headers, server }: FastifyRequest): boolean {
  const { readyToken } = server.config
  if (!readyToken || !headers.authorization) return false
  return timingSafeEqual(digest(headers.authorization), digest(`Bearer ${readyToken}`))
}

const digest = (text: string) => createHash('sha256').update(text).digest()

function sendText(reply: FastifyReply, text: string) {
  return reply.type('text/plain').header('Cache-Control', 'no-store').send(text)
}

/** Takes the lock of a write and gives it back; who holds the database is not waited for, because nobody else is served meanwhile. */
function checkDatabaseWritable({ $client }: Database): void {
  const busyTimeout = $client.pragma('busy_timeout', { simple: true })
  $client.pragma('busy_timeout = 0')
  try {
    $client.transaction(() => {}).immediate()
  } finally {
    $client.pragma(`busy_timeout = ${busyTimeout}`)
  }
}

function checkFolderWritable(folder: string): void {
  let nearest = folder
  while (!existsSync(nearest)) nearest = dirname(nearest)
  if (!statSync(nearest).isDirectory()) throw new Error('a file is in the way of the folder of files')
  accessSync(nearest, constants.W_OK | constants.X_OK)
  if (statfsSync(nearest).bavail === 0) throw new Error('the disk is full')
}
