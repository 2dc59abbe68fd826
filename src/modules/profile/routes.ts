import argon2 from 'argon2'
import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Database, write } from '../../database/open.ts'
import { users } from '../../database/schema/index.ts'
import { flash } from '../../web/flash.ts'
import { bodyOf } from '../../web/form/body.ts'
import { drawForm } from '../../web/form/clash.ts'
import type { Entry, Values } from '../../web/form/form.ts'
import { type Clash, Invalid, submit } from '../../web/form/submit.ts'
import { authorOf, url } from '../../web/http.ts'
import { openSession } from '../../web/session.ts'
import { type User, updateAccount } from '../people/accounts.ts'
import type { Kind } from '../people/kind.ts'
import { profileForm, profilePage } from './form.ts'

/** Everybody's own data. */
export async function profileRoutes(app: FastifyInstance): Promise<void> {
  app.get('/profile', { access: 'signed-in' }, (request, reply) => showProfile(request, reply))
  app.post('/profile', { access: 'signed-in' }, saveProfile)
}

function showProfile(request: FastifyRequest, reply: FastifyReply, entry?: Entry, clash?: Clash) {
  const { actor, server, t } = request
  const user = findSelf(server.db, actor.id)
  const form = drawForm(profileForm, profilePage(actor, user), t, entry, clash)
  return reply.page('pages/card.njk', {
    ...form,
    title: t('My profile'),
    list_name: 'profile',
    action: url(server, '/profile'),
    record: user,
  })
}

async function saveProfile(request: FastifyRequest, reply: FastifyReply) {
  const { actor, server } = request
  const proven = await provesPassword(request)
  let user: User
  return submit(request, reply, {
    form: profileForm,
    mode: 'edit',
    table: users,
    transaction: (work) =>
      write(server.db, () => {
        user = findSelf(server.db, actor.id)
        return work(profilePage(actor, user))
      }),
    save: (values) => saveSelf(request, user, values, proven),
    saved: () => flash(request, 'Saved.'),
    again: (entry, clash) => showProfile(request, reply, entry, clash),
  })
}

/** A new password ends every session of the person; this browser goes on in a new one. */
function saveSelf(request: FastifyRequest, user: User, { current_password, ...values }: Values, proven: boolean): string {
  const { db, kinds } = request.server
  if (values.password && !proven) throw new Invalid({ current_password: 'This is not your present password.' })
  updateAccount(db, kinds.get(user.group_id) as Kind, user, values, authorOf(request))
  if (values.password) openSession(request, user.id)
  return url(request.server, '/profile')
}

/** Whether the present password came along; asked before the transaction, because it is slow. */
async function provesPassword(request: FastifyRequest): Promise<boolean> {
  const body = bodyOf(request)
  if (!body.get('password') || request.actor.impersonator) return false
  return argon2.verify(findSelf(request.server.db, request.actor.id).password, body.get('current_password') ?? '')
}

function findSelf(db: Database, id: number): User {
  return db.select().from(users).where(eq(users.id, id)).get() as User
}
