import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../database/open.ts'
import { forbidden, notFound } from '../../web/http.ts'
import { attachment, downloadName } from '../../web/uploads/file-name.ts'
import { folderOf, isKey } from '../../web/uploads/folder.ts'
import { isKnown, type Naming, namingsOf, savedName, sentName } from '../../web/uploads/named.ts'

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
  if (!isKey(key)) throw notFound()
  const namings = namingsOf(server, key)
  const named = namings.filter(({ name }) => name !== undefined)
  // A file has one address in all its records: one with words of its own for it knows it best.
  const naming = [...named, ...namings].find(({ mayRead }) => mayRead(actor))
  if (naming) return nameIn(db, naming, key)
  const sent = sentName(db, key, actor.id)
  if (namings.length === 0 && sent !== undefined) return sent
  throw namings.length > 0 || isKnown(db, key) ? forbidden() : notFound()
}

function nameIn(db: Database, { holder, name }: Naming, key: string): string {
  const saved = savedName(db, holder, key)
  return downloadName(name ?? saved ?? key, saved)
}
