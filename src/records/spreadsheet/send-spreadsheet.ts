import { type FileHandle, open, unlink } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { SQL } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { dialect } from '../../database/prepare-once.ts'
import { logSecurityEvent } from '../../database/security-log.ts'
import { refererPath, safePath, url } from '../../http/request/addresses.ts'
import { HttpError } from '../../http/request/errors.ts'
import { flash } from '../../http/request/flash.ts'
import { incomingFolder } from '../../http/uploads/folder.ts'
import { beginForPerson, goOnAsJob } from './export-job.ts'
import type { DescribedRows, ExportJob, LoadRows, SelectedRows } from './write.ts'

const contentTypes = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
  pdf: 'application/pdf',
}

/** What a spreadsheet is made of: the thread reads and formats its rows by itself, or `load` makes the cells in this one. */
type Sheet = Pick<ExportJob, 'name' | 'format' | 'columns' | 'further'> & { ids: SQL } & (
    | { rows: SelectedRows | DescribedRows; load?: undefined }
    | { rows?: undefined; load: LoadRows }
  )

/** Sends a spreadsheet that a worker thread has written to disk, so that neither its length nor a slow reader blocks other requests. */
export async function sendSpreadsheet(request: FastifyRequest, reply: FastifyReply, name: string, { ids, load, ...sheet }: Sheet) {
  const { server } = request
  const filename = `${name}_export_${fileStamp(new Date())}.${sheet.format}`
  const plain = { ...sheet, language: request.language, ids: dialect.sqlToQuery(ids) }
  const begun = beginForPerson(request, plain, load)
  logSecurityEvent(server.db, { event: 'exported', author: request.author, detail: filename })
  const cancel = () => begun.canceled.abort()
  reply.raw.once('close', cancel)
  // Nothing is sent until the file is complete, so a silent socket does not mean that the client is gone.
  request.raw.socket.setTimeout?.(0)
  // What is found while impersonating is not for the inbox of the other person, and what this thread makes is not for a job.
  const inTime =
    request.signIn.impersonating || load
      ? true
      : await Promise.race([begun.written.then(() => true), pause(server.timeouts.export, false, { ref: false })])
  request.raw.socket.setTimeout?.(server.server.timeout)
  if (inTime) return sendFile(reply, await begun.written, filename)
  const follow = goOnAsJob(request, name, begun, plain, filename)
  reply.raw.off('close', cancel)
  flash(request, 'This takes a while. A link to the spreadsheet will be in your notifications.', {}, { follow })
  return reply.redirect(safePath(server, refererPath(request), url(server, '/')), 303)
}

/** Sends a spreadsheet and deletes it. */
async function sendFile(reply: FastifyReply, path: string | undefined, filename: string): Promise<FastifyReply> {
  if (!path) return reply
  const file = await open(path)
  await unlink(path)
  return sendOpenFile(reply, file, filename)
}

/** Sends a spreadsheet that was left in an inbox; it may be there for a day. */
export async function sendKeptFile(reply: FastifyReply, key: string | null, filename: string): Promise<FastifyReply> {
  const gone = () => new HttpError(410, 'This spreadsheet has expired. Export the list again.')
  if (!key) throw gone()
  const file = await open(join(incomingFolder(reply.server.config.dataDir), key)).catch(() => Promise.reject(gone()))
  return sendOpenFile(reply, file, filename)
}

function contentTypeOf(filename: string): string {
  const extension = extname(filename).slice(1)
  return contentTypes[extension as keyof typeof contentTypes]
}

async function sendOpenFile(reply: FastifyReply, file: FileHandle, filename: string): Promise<FastifyReply> {
  const { size } = await file.stat()
  return reply
    .type(contentTypeOf(filename))
    .header('Content-Disposition', `attachment; filename="${filename}"`)
    .header('Content-Length', size)
    .header('Cache-Control', 'no-store')
    .send(file.createReadStream({ start: 0, end: size - 1 }))
}

/** As in `20260131_093000`. */
export function fileStamp(now: Date): string {
  return now.toLocaleString('sv').replaceAll(/[-:]/g, '').replace(' ', '_')
}
