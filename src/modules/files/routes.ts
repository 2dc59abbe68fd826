import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fileForbidden, HttpError, notFound } from '../../http/request/errors.ts'
import { paramOf, queryOf } from '../../http/request/input.ts'
import { contentDisposition, downloadName } from '../../http/uploads/file-name.ts'
import { fileTypeOf } from '../../http/uploads/file-type.ts'
import { folderOf, isKey } from '../../http/uploads/folder.ts'
import { ownUpload, savedName, wasUploaded } from '../../http/uploads/uploaded.ts'
import { attachmentsOf } from '../../records/attachments.ts'

export async function fileRoutes(app: FastifyInstance): Promise<void> {
  // Compression would drop the Content-Length, and most files are compressed already.
  app.get('/files/:key', { access: 'signed-in', answers: 'file', compress: false }, download)
  app.get('/files/:key/preview', { access: 'signed-in', answers: 'file', compress: false }, preview)
}

/** Sends an upload to whoever may see a record that has it. */
export function download(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { key, folder, name } = locateFile(request)
  reply.headers({
    'Content-Disposition': contentDisposition(name),
    'Cache-Control': 'private, no-store',
    'Content-Security-Policy': 'sandbox',
  })
  return reply.sendFile(key, folder)
}

/** Pictures and PDFs, shown within our pages only; anything else stays a download (415). */
async function preview(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { key, folder } = locateFile(request)
  const type = await fileTypeOf(join(folder, key))
  if (!type) throw new HttpError(415, 'This file cannot be previewed. Download it instead.')
  // Browsers refuse to show a PDF within a sandbox.
  const sandbox = type === 'application/pdf' ? '' : ';sandbox'
  reply.headers({
    'Content-Type': type,
    'Content-Disposition': 'inline',
    'Cache-Control': 'private, no-store',
    'Content-Security-Policy': `default-src 'none';style-src 'unsafe-inline';frame-ancestors 'self'${sandbox}`,
    'X-Frame-Options': 'SAMEORIGIN',
  })
  return reply.sendFile(key, folder, { contentType: false })
}

function locateFile(request: FastifyRequest): { key: string; folder: string; name: string } {
  const key = paramOf(request, 'key')
  const name = resolveDownloadName(request, key)
  const folder = folderOf(request.server.config.dataDir, key)
  if (!existsSync(join(folder, key))) throw notFound()
  return { key, folder, name }
}

/** Of the places where somebody may read a file, the one that calls it as the address says, else the first that names it itself. */
function resolveDownloadName(request: FastifyRequest, key: string): string {
  const { server, actor } = request
  const { db } = server
  if (!isKey(key)) throw notFound()
  const attachments = attachmentsOf(server, key)
  const refused = attachments.some(({ isRefused }) => isRefused?.(actor))
  const readable = refused ? [] : attachments.filter(({ mayRead }) => mayRead(actor))
  const asked = queryOf(request).get('name')
  const names = readable.map(({ record, name }) => ({ own: name, saved: savedName(db, record, key) }))
  const place = names.find(({ own, saved }) => asked === (own ?? saved)) ?? names.find(({ own }) => own !== undefined) ?? names[0]
  if (place) return downloadName(place.own ?? place.saved ?? key, place.saved)
  const sent = ownUpload(db, key, actor.id)?.name
  if (attachments.length === 0 && sent !== undefined) return sent
  throw attachments.length > 0 || wasUploaded(db, key) ? fileForbidden() : notFound()
}
