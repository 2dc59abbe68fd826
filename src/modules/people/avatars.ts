import { readFile } from 'node:fs/promises'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { group } from '../../core/access.ts'
import type { Database } from '../../database/open.ts'
import { prepared } from '../../database/prepared.ts'
import { users } from '../../database/schema/index.ts'
import { forbidden, notFound } from '../../web/http.ts'
import { avatarPath, avatarSizes, isAvatar } from '../../web/uploads/avatar.ts'
import { type FileOwner, hasUploaded } from '../../web/uploads/named.ts'
import { personLabel } from './accounts.ts'

/** The pictures of people, which everybody signed in may see. */
export function avatarRoutes(app: FastifyInstance): void {
  app.fileOwners.push(avatarFiles)
  app.get('/avatars/:key/:size', { access: 'signed-in', answers: 'file' }, showAvatar)
}

const avatarFiles: FileOwner = {
  find: (db, key) =>
    peopleWith(db, key).map((person) => ({ holder: { entity: 'users', id: person.id }, name: personLabel(person), mayRead: () => true })),
}

async function showAvatar(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db, config } = request.server
  const { key, size } = request.params as { key: string; size: string }
  const wanted = avatarSizes.find((one) => String(one) === size)
  if (!wanted || !isAvatar(config.dataDir, key)) throw notFound()
  if (peopleWith(db, key).length === 0 && !hasUploaded(db, key, request.actor.id)) throw forbidden()
  reply.type('image/webp').header('Cache-Control', 'private, max-age=31536000, immutable')
  return reply.send(await readFile(avatarPath(config.dataDir, key, wanted)))
}

function peopleWith(db: Database, key: string) {
  return withImage(db).all({ key })
}

// Dealers have no picture and are many: the index of groups leads past them.
const staff = [group.administrator, group.manager, group.production]
const withImage = prepared((db) =>
  db
    .select({ id: users.id, lastname: users.lastname, name: users.name, middlename: users.middlename })
    .from(users)
    .where(and(inArray(users.group_id, staff), eq(users.image, sql.placeholder('key'))))
    .prepare(),
)
