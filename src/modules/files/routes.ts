import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { forbidden, notFound } from '../../web/http.ts'
import { attachment, downloadName } from '../../web/uploads/file-name.ts'
import { folderOf, isKey } from '../../web/uploads/folder.ts'
import { hasUploaded, namingsOf, sentName } from '../../web/uploads/named.ts'

export async function fileRoutes(app: FastifyInstance): Promise<void> {
  // Compressed on the way, a download would lose its length, and most files are compressed already.
  app.get('/files/:key', { access: 'signed-in', answers: 'file', compress: false }, download)
}

function download(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { key } = request.params as { key: string }
  const name = nameFor(request, key)
  const folder = folderOf(request.server.config.dataDir, key)
  if (!existsSync(join(folder, key))) throw notFound()
  reply.headers({
    'Content-Disposition': attachment(name),
    'Cache-Control': 'private, no-store',
    'Content-Security-Policy': 'sandbox',
  })
  return reply.sendFile(key, folder)
}

/**
 * What this person knows the file as. Whoever may see a record that names it may have it;
 * until one does, only the person who sent it.
 * @throws HttpError 404 when there is no such file, 403 when it is not for them
 */
function nameFor({ server, actor }: FastifyRequest, key: string): string {
  const { db } = server
  const namings = isKey(key) ? namingsOf(server, key) : []
  const sent = isKey(key) ? sentName(db, key) : undefined
  if (namings.length === 0 && sent === undefined) throw notFound()
  const naming = namings.find(({ mayRead }) => mayRead(actor))
  if (naming) return downloadName(naming.name, sent)
  if (namings.length > 0 || sent === undefined || !hasUploaded(db, key, actor.id)) throw forbidden()
  return sent
}
