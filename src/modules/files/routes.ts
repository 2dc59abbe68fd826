import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../database/open.ts'
import { forbidden, notFound } from '../../web/http.ts'
import { type Attachment, attachmentsOf, ownUploadName, savedName, wasUploaded } from '../../web/uploads/attachments.ts'
import { contentDisposition, downloadName } from '../../web/uploads/file-name.ts'
import { folderOf, isKey } from '../../web/uploads/folder.ts'

export async function fileRoutes(app: FastifyInstance): Promise<void> {
  // Compression would drop the Content-Length, and most files are compressed already.
  app.get('/files/:key', { access: 'signed-in', answers: 'file', compress: false }, download)
}

function download(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { key } = request.params as { key: string }
  const name = resolveDownloadName(request, key)
  const folder = folderOf(request.server.config.dataDir, key)
  if (!existsSync(join(folder, key))) throw notFound()
  reply.headers({
    'Content-Disposition': contentDisposition(name),
    'Cache-Control': 'private, no-store',
    'Content-Security-Policy': 'sandbox',
  })
  return reply.sendFile(key, folder)
}

function resolveDownloadName({ server, actor }: FastifyRequest, key: string): string {
  const { db } = server
  if (!isKey(key)) throw notFound()
  const attachments = attachmentsOf(server, key)
  const withOwnName = attachments.filter(({ name }) => name !== undefined)
  const readable = [...withOwnName, ...attachments].find(({ mayRead }) => mayRead(actor))
  if (readable) return nameInRecord(db, readable, key)
  const sent = ownUploadName(db, key, actor.id)
  if (attachments.length === 0 && sent !== undefined) return sent
  throw attachments.length > 0 || wasUploaded(db, key) ? forbidden() : notFound()
}

function nameInRecord(db: Database, { record, name }: Attachment, key: string): string {
  const saved = savedName(db, record, key)
  return downloadName(name ?? saved ?? key, saved)
}
