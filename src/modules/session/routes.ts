import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { updateRecord, users } from '../../database/index.ts'
import { endSession } from '../../http/access/session.ts'
import { action, type Done } from '../../http/action.ts'
import { refererPath, safePath, url } from '../../http/request/addresses.ts'
import { HttpError } from '../../http/request/errors.ts'
import { bodyOf } from '../../http/request/input.ts'
import { realAuthorOf } from '../../http/request/person.ts'
import { languages } from '../../i18n/translate.ts'
import type { Command } from '../../view/shell.ts'
import { realUserId } from '../users/access.ts'
import { logImpersonationEnd } from '../users/impersonation.ts'
import { findSelf, userLabel } from '../users/user.ts'
import { confirmIdentityRoutes } from './current-password.ts'
import { invitationRoutes } from './one-time-links.ts'
import { passkeyInvitationRoutes } from './passkeys/invitation.ts'
import { passkeySignInRoutes } from './passkeys/sign-in.ts'
import { passwordResetRoutes } from './password-reset.ts'
import { resumeRoutes } from './resume-submission.ts'
import { factorSignInRoutes } from './second-factor/sign-in.ts'
import { showSignIn, signIn } from './sign-in.ts'

export async function sessionRoutes(app: FastifyInstance): Promise<void> {
  app.get('/login', { access: 'public' }, showSignIn)
  app.post('/login', { access: 'public' }, signIn)
  app.post('/logout', { access: 'public' }, signOut)
  app.registry.commands.push(...preferences, { path: '/logout', label: ['Sign out'], says: ['log out, exit, quit'], sends: {} })
  app.post('/preferences', action({ access: 'signed-in', withoutFactor: true }, savePreferences))
  factorSignInRoutes(app)
  confirmIdentityRoutes(app)
  passwordResetRoutes(app)
  invitationRoutes(app)
  resumeRoutes(app)
  await app.register(passkeySignInRoutes)
  await app.register(passkeyInvitationRoutes)
}

const preferences: Command[] = [
  { path: '/preferences', label: ['Theme', 'Light'], says: ['appearance'], sends: { theme: 'light' } },
  { path: '/preferences', label: ['Theme', 'Dark'], says: ['appearance, night'], sends: { theme: 'dark' } },
  { path: '/preferences', label: ['Theme', 'Match system'], says: ['appearance'], sends: { theme: 'system' } },
  ...Object.entries(languages).map(
    ([language, name]): Command => ({ path: '/preferences', label: ['Language', name], sends: { language } }),
  ),
]

function signOut(request: FastifyRequest, reply: FastifyReply) {
  if (request.signIn.sessionId && request.signIn.impersonating) logImpersonationEnd(request)
  endSession(request)
  reply.header('Clear-Site-Data', '"cache", "storage"')
  return reply.redirect(url(request.server, '/login'), 303)
}

function savePreferences(request: FastifyRequest): Done {
  const body = bodyOf(request)
  const language = oneOf(body.get('language'), ['en', 'ru'] as const)
  const theme = oneOf(body.get('theme'), ['light', 'dark', 'system'] as const)
  if (!language && !theme) throw new HttpError(422, 'This option does not exist.')
  const { db } = request.server
  const self = findSelf(request, realUserId(request.actor))
  const chosen = { ...(language && { language }), ...(theme && { theme: theme === 'system' ? null : theme }) }
  updateRecord(db, users, self, chosen, userLabel(self), realAuthorOf(request.author))
  return { location: safePath(request.server, refererPath(request), url(request.server, '/')) }
}

function oneOf<T extends string>(text: string | null, accepted: readonly T[]): T | undefined {
  return accepted.find((value) => value === text)
}
