import { readFile } from 'node:fs/promises'
import { and, eq, inArray } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { group } from '../../core/access.ts'
import { type Database, prepareOnce, users } from '../../database/index.ts'
import { forbidden, notFound, paramOf } from '../../web/http.ts'
import { type AttachmentSource, hasUploaded } from '../../web/uploads/attachments.ts'
import { findPicture } from '../../web/uploads/folder.ts'
import { userLabel } from './user.ts'

export function avatarRoutes(app: FastifyInstance): void {
  app.attachmentSources.push(avatarAttachments)
  app.get('/avatars/:key/:size', { access: 'signed-in', answers: 'file' }, showAvatar)
}

const avatarAttachments: AttachmentSource = (db, key) =>
  usersWithAvatar(db, key).map((person) => ({
    record: { entity: 'users', id: person.id },
    name: userLabel(person),
    mayRead: () => true,
  }))

async function showAvatar(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db, config } = request.server
  const key = paramOf(request, 'key')
  const size = paramOf(request, 'size')
  const path = findPicture(config.dataDir, 'avatar', key, size)
  if (!path) throw notFound()
  if (usersWithAvatar(db, key).length === 0 && !hasUploaded(db, key, request.actor.id)) throw forbidden()
  reply.type('image/webp').header('Cache-Control', 'private, max-age=31536000, immutable')
  return reply.send(await readFile(path))
}

function usersWithAvatar(db: Database, key: string) {
  return byImage(db).all({ key })
}

// Dealers are many and have no picture, so the query uses the index of groups.
const staffGroups = [group.administrator, group.manager, group.production]
const byImage = prepareOnce((db, given) => {
  const rows = db.select({ id: users.id, lastname: users.lastname, name: users.name, middlename: users.middlename }).from(users)
  return rows.where(and(inArray(users.group_id, staffGroups), eq(users.image, given.key))).prepare()
})
