import argon2 from 'argon2'
import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Database, write } from '../../database/open.ts'
import { users } from '../../database/schema/index.ts'
import { openTab, tabLinks } from '../../web/card/tabs.ts'
import { bodyOf } from '../../web/form/body.ts'
import { drawForm } from '../../web/form/clash.ts'
import type { Entry, Values } from '../../web/form/form.ts'
import { tellSaved } from '../../web/form/saved.ts'
import { type Clash, Invalid, submit } from '../../web/form/submit.ts'
import { authorOf, notFound, url } from '../../web/http.ts'
import { queryOf } from '../../web/list/state.ts'
import { openSession } from '../../web/session.ts'
import { type User, updateAccount } from '../people/accounts.ts'
import type { Kind } from '../people/kind.ts'
import { drawnPage, profileForm, profilePage } from './form.ts'
import { ownSessionRoutes, sessionsTab } from './sessions.ts'

const tabs = [sessionsTab]

/** Everybody's own data. */
export async function profileRoutes(app: FastifyInstance): Promise<void> {
  app.get('/profile', { access: 'signed-in' }, (request, reply) => showProfile(request, reply))
  app.post('/profile', { access: 'signed-in' }, saveProfile)
  ownSessionRoutes(app)
}

function showProfile(request: FastifyRequest, reply: FastifyReply, entry?: Entry, clash?: Clash) {
  const { actor, server, t } = request
  const record = findSelf(server.db, actor.id)
  const tab = openTab(request, tabs, record, queryOf(request).get('tab') ?? undefined)
  const card = { record, title: t('My profile'), list_name: 'profile', tabs: tabLinks(request, tabs, record, tab) }
  if (tab?.template) return reply.page(tab.template, { ...card, ...tab.load?.(request, record) })
  const form = drawForm(profileForm, drawnPage(request, record), t, entry, clash)
  return reply.page('pages/card.njk', { ...form, ...card, action: url(server, '/profile') })
}

async function saveProfile(request: FastifyRequest, reply: FastifyReply) {
  const { actor, server } = request
  const proven = await provenHash(request)
  let user: User
  return submit(request, reply, {
    form: profileForm,
    mode: 'edit',
    table: users,
    page: () => profilePage(request, findSelf(server.db, actor.id)),
    transaction: (work) =>
      write(server.db, () => {
        user = findSelf(server.db, actor.id)
        return work(profilePage(request, user))
      }),
    save: (values) => saveSelf(request, user, values, proven),
    saved: (saved) => tellSaved(request, profileForm, saved),
    again: (entry, clash) => showProfile(request, reply, entry, clash),
  })
}

/** A new password ends every session of the person; this browser goes on in a new one. */
function saveSelf(request: FastifyRequest, user: User, { current_password, ...values }: Values, proven: string | undefined): string {
  const { db, kinds } = request.server
  if (values.password && user.password !== proven)
    throw new Invalid({ current_password: current_password ? 'This is not your present password.' : 'Please fill this in.' })
  updateAccount(db, kinds.get(user.group_id) as Kind, user, values, authorOf(request))
  if (values.password) openSession(request, user.id)
  return url(request.server, '/profile')
}

/** The stored hash that the given password opens; slow, so before the transaction, where it may have changed already. */
async function provenHash(request: FastifyRequest): Promise<string | undefined> {
  const body = bodyOf(request)
  if (!body.get('password') || request.actor.impersonator) return undefined
  const { password } = findSelf(request.server.db, request.actor.id)
  return (await argon2.verify(password, body.get('current_password') ?? '')) ? password : undefined
}

/** @throws HttpError 404 when the person was deleted while the body was being read */
function findSelf(db: Database, id: number): User {
  const user = db.select().from(users).where(eq(users.id, id)).get()
  if (!user) throw notFound()
  return user
}
