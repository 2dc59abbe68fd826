import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { namesFile } from '../../database/file-columns.ts'
import { prepareOnce, users } from '../../database/index.ts'
import { fileForbidden, notFound } from '../../http/request/errors.ts'
import { paramOf } from '../../http/request/input.ts'
import { findPicture } from '../../http/uploads/folder.ts'
import { hasUploaded } from '../../http/uploads/uploaded.ts'

export function avatarRoutes(app: FastifyInstance): void {
  app.get('/avatars/:key/:size', { access: 'signed-in', answers: 'file' }, showAvatar)
}

async function showAvatar(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db, config } = request.server
  const key = paramOf(request, 'key')
  const size = paramOf(request, 'size')
  const path = findPicture(config.dataDir, 'avatar', key, size)
  if (!path) throw notFound()
  if (!byImage(db).get({ key }) && !hasUploaded(db, key, request.actor.id)) throw fileForbidden()
  reply.type('image/webp').header('Cache-Control', 'private, max-age=31536000, immutable')
  return reply.send(await readFile(path))
}

const byImage = prepareOnce((db, params) => {
  const { id, image } = users
  return db.select({ id }).from(users).where(namesFile(image, params.key)).limit(1).prepare()
})
