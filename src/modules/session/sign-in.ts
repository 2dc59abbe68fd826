import argon2 from 'argon2'
import { and, eq } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Database, write } from '../../database/open.ts'
import { users } from '../../database/schema/index.ts'
import { parseId } from '../../web/access/policy-hook.ts'
import { openSession } from '../../web/access/session.ts'
import { safePath, url } from '../../web/http.ts'
import { bodyOf, queryOf } from '../../web/request.ts'
import { isPendingSubmission } from '../../web/submissions/pending-submissions.ts'
import { page } from '../../web/view/page.ts'
import { clearAttempts, countAttempt } from './rate-limit.ts'

interface SignInState {
  next: string
  email?: string
  note?: string
  error?: string
}

const signInTemplate = page<SignInState & { title: string; kept: boolean }>('session/sign-in.njk')

export function showSignIn(request: FastifyRequest, reply: FastifyReply) {
  const next = queryOf(request).get('next') ?? ''
  if (request.sessionId) return reply.redirect(safePath(request.server, next, url(request.server, '/')), 303)
  const note = queryOf(request).has('reset') ? request.t('Password changed. Sign in with the new one.') : undefined
  return signInPage(request, reply, { next, note })
}

export async function signIn(request: FastifyRequest, reply: FastifyReply) {
  const { db } = request.server
  const body = bodyOf(request)
  const email = (body.get('email') ?? '').trim().slice(0, 255)
  const next = body.get('next') ?? ''
  const wait = countAttempt(db, email, request.ip)
  if (wait)
    return rejectSignIn(
      request,
      reply.code(429).header('Retry-After', String(wait)),
      { email, next },
      'Too many attempts. Try again later.',
    )
  const account = await findAccount(db, email, body.get('password') ?? '')
  if (!account || !openAccount(request, email, account))
    return rejectSignIn(request, reply.code(422), { email, next }, 'Wrong email or password, or the account is deactivated.')
  return reply.redirect(safePath(request.server, next, url(request.server, '/')), 303)
}

interface Account {
  id: number
  /** The hash that the password was compared with. */
  password: string
}

/** Opens the session, unless password, email or account have changed while the password was compared. */
function openAccount(request: FastifyRequest, email: string, { id, password }: Account): boolean {
  const { db } = request.server
  return write(db, () => {
    const unchanged = and(eq(users.id, id), eq(users.email, email), eq(users.password, password), eq(users.active, true))
    const { changes } = db.update(users).set({ last_auth: Date.now() }).where(unchanged).run()
    if (changes === 0) return false
    clearAttempts(db, email, request.ip)
    openSession(request, id)
    return true
  })
}

/** The first active account with this email that the password opens: duplicates may exist, and nobody is locked out by one. */
async function findAccount(db: Database, email: string, password: string): Promise<Account | undefined> {
  const accounts = db
    .select({ id: users.id, password: users.password })
    .from(users)
    .where(and(eq(users.email, email), eq(users.active, true)))
    .orderBy(users.id)
    .all()
  // An unknown address takes as long as a known one, and one of several accounts not longer.
  if (accounts.length === 0) await argon2.verify(await decoy, password)
  const opened = await Promise.all(accounts.map((account) => argon2.verify(account.password, password)))
  return accounts.find((_, index) => opened[index])
}

const decoy = argon2.hash('nobody has this password', { type: argon2.argon2id })

function rejectSignIn(request: FastifyRequest, reply: FastifyReply, typed: { email: string; next: string }, message: string) {
  return signInPage(request, reply, { ...typed, error: request.t(message) })
}

function signInPage(request: FastifyRequest, reply: FastifyReply, data: SignInState) {
  const kept = isPendingSubmission(request, parseId(/\/resume\/(\d+)$/.exec(data.next)?.[1]) ?? 0)
  return reply.page(signInTemplate, { title: request.t('Sign in'), kept, ...data })
}
