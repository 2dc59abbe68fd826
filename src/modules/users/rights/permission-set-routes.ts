import { count, eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anyOf, superadministrator } from '../../../core/access.ts'
import { stripControlCharacters } from '../../../core/text.ts'
import { write } from '../../../database/open.ts'
import { permissionSets, users } from '../../../database/schema/index.ts'
import { flash } from '../../../web/flash.ts'
import { HttpError, refererPath, url } from '../../../web/http.ts'
import { bodyOf } from '../../../web/request.ts'
import { findSet, type PermissionSet } from './permission-sets.ts'
import { grantedKeys } from './rights.ts'

const limits = { name: 60, sets: 50 }

const mayManageSets = anyOf(superadministrator)

export function permissionSetRoutes(app: FastifyInstance): void {
  app.post('/permission-sets', { access: mayManageSets }, saveSet)
  app.post('/permission-sets/:id/delete', { access: mayManageSets, record: findSet }, deleteSet)
}

function saveSet(request: FastifyRequest, reply: FastifyReply) {
  const { db } = request.server
  const body = bodyOf(request)
  const name = stripControlCharacters(body.get('name') ?? '').trim()
  if (!name || name.length > limits.name)
    throw new HttpError(422, 'Give the set a name of up to {limit} characters.', { limit: limits.name })
  write(db, () => {
    const userId = Number(body.get('user_id'))
    if (!db.select().from(users).where(eq(users.id, userId)).get()) throw new HttpError(422, 'Choose a value from the list.')
    const keys = grantedKeys(db, userId)
    const saved = db.select({ sets: count() }).from(permissionSets).get()
    if ((saved?.sets ?? 0) >= limits.sets) throw new HttpError(422, 'You can save up to {limit} sets.', { limit: limits.sets })
    db.insert(permissionSets).values({ name, keys }).onConflictDoUpdate({ target: permissionSets.name, set: { keys } }).run()
  })
  flash(request, 'Permission set "{name}" saved', { name })
  return redirectBack(request, reply)
}

function deleteSet(request: FastifyRequest, reply: FastifyReply) {
  const { db } = request.server
  const { id, name } = request.record as PermissionSet
  write(db, () => db.delete(permissionSets).where(eq(permissionSets.id, id)).run())
  flash(request, 'Permission set "{name}" deleted', { name })
  return redirectBack(request, reply)
}

function redirectBack(request: FastifyRequest, reply: FastifyReply) {
  return reply.redirect(refererPath(request) ?? url(request.server, '/'), 303)
}
