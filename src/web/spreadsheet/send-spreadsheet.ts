import type { SQL } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { logSecurityEvent } from '../../database/security-log.ts'
import { authorOf } from '../http.ts'
import { incomingFolder } from '../uploads/folder.ts'
import { type Sheet, writeSpreadsheet } from './write.ts'

const contentTypes = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
}

/** Sends a spreadsheet that a worker thread has written to disk, so that neither its length nor a slow reader blocks other requests. */
export async function sendSpreadsheet(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  sheet: Omit<Sheet, 'ids' | 'database'> & { ids: SQL },
) {
  const { server } = request
  const filename = `${name}_export_${spreadsheetStamp(new Date())}.${sheet.format}`
  logSecurityEvent(server.db, { event: 'exported', author: authorOf(request), detail: filename })
  const canceled = new AbortController()
  reply.raw.once('close', () => canceled.abort())
  // Nothing is sent until the file is complete, so a silent socket does not mean that the client is gone.
  request.raw.socket.setTimeout?.(0)
  const ids = new SQLiteSyncDialect().sqlToQuery(sheet.ids)
  const file = await writeSpreadsheet(
    { ...sheet, ids, database: server.db.$client.name },
    incomingFolder(server.config.dataDir),
    canceled.signal,
  )
  if (!file) return reply
  request.raw.socket.setTimeout?.(server.server.timeout)
  const { size } = await file.stat()
  return reply
    .type(contentTypes[sheet.format])
    .header('Content-Disposition', `attachment; filename="${filename}"`)
    .header('Content-Length', size)
    .header('Cache-Control', 'no-store')
    .send(file.createReadStream({ start: 0, end: size - 1 }))
}

function spreadsheetStamp(now: Date): string {
  const pad = (value: number) => String(value).padStart(2, '0')
  const day = `${now.getFullYear()}${pad(now.getMonth() + 1)}${pad(now.getDate())}`
  return `${day}_${pad(now.getHours())}${pad(now.getMinutes())}${pad(now.getSeconds())}`
}
