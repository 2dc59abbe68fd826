import { and, eq, gte, max, ne } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashToken } from '../../core/tokens.ts'
import { type Database, logRepeatedEvent, logSecurityEvent, users, write } from '../../database/index.ts'
import { sampleAccounts, samplePassword } from '../../database/sample/accounts.ts'
import { verifyPassword } from '../../http/access/password-hashing.ts'
import { limited, networkOf, recordHit, secondsToWait, tooManyAttempts } from '../../http/access/rate-limit.ts'
import { needsSecondStep } from '../../http/access/second-factor.ts'
import { safePath, url } from '../../http/request/addresses.ts'
import { bodyOf, clientOf, parseId, queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { isPendingSubmission } from '../../http/submissions/pending-submissions.ts'
import { hasUsers } from '../users/user.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { findRelyingParty, type RelyingParty } from './passkeys/relying-party.ts'
import { clearAttempts, countAttempt } from './sign-in-attempts.ts'

interface SignInState {
  next: string
  email?: string
  note?: string
  /** Somebody was signed in until now. */
  ended?: boolean
  error?: string
  /** The error is in what was typed. */
  wrong?: boolean
}

const signInTemplate = template<
  SignInState & { title: string; isSetUp: boolean; pending: boolean; accounts: typeof sampleAccounts; party: RelyingParty | undefined }
>('session/sign-in.njk')

export function showSignIn(request: FastifyRequest, reply: FastifyReply) {
  const next = queryOf(request).get('next') ?? ''
  if (request.signIn.sessionId) return reply.redirect(safePath(request.server, next, url(request.server, '/')), 303)
  const note = queryOf(request).has('reset') ? request.t('Password changed. Sign in with the new one.') : undefined
  const ended = next !== '' && (queryOf(request).has('ended') || request.session.get('sid') !== undefined)
  return signInPage(request, reply, { next, note, ended })
}

export async function signIn(request: FastifyRequest, reply: FastifyReply) {
  const { db } = request.server
  const body = bodyOf(request)
  const demo = request.server.sample ? sampleAccounts.find(({ email }) => email === body.get('demo')) : undefined
  const email = demo?.email ?? (body.get('email') ?? '').trim().slice(0, 255)
  const password = demo ? samplePassword : (body.get('password') ?? '')
  const next = body.get('next') ?? ''
  const attempt = attemptOf(request, email)
  const wait = findWait(db, attempt)
  if (wait) {
    logSignInFailure(request, 'locked-out', email)
    return rejectLimited(request, reply, { email, next }, wait)
  }
  if ((runningAttempts.get(attempt.network) ?? 0) >= concurrencyLimit) return rejectLimited(request, reply, { email, next }, 2)
  const account = await countRunning(attempt.network, () => findAccount(db, email, password))
  const location = account && openAccount(request, attempt, account, next)
  if (location) return reply.redirect(location, 303)
  logSignInFailure(request, 'refused', email)
  const error = request.t('Wrong email or password, or the account is deactivated.')
  return signInPage(request, reply.code(422), { email, next, error, wrong: true })
}

export interface Attempt {
  email: string
  network: string
  browser: string | undefined
}

export function attemptOf(request: FastifyRequest, email: string): Attempt {
  return { email, network: networkOf(request.ip), browser: knownBrowser(request, email) }
}

/** Successful sign-ins count too: they cost the server just as much. */
export function findWait(db: Database, { email, network, browser }: Attempt): number | undefined {
  return (
    countAttempt(db, email, network, browser) ??
    secondsToWait(db, accountKey(email), { limit: 300, window: hour }) ??
    secondsToWait(db, networkKey(network), { limit: 3000, window: hour })
  )
}

export function recordSuccess(db: Database, { email, network, browser }: Attempt): void {
  clearAttempts(db, email, browser ?? network)
  for (const key of [accountKey(email), networkKey(network)]) recordHit(db, key)
}

const hour = 3600_000
const accountKey = (email: string) => `sign-in of ${email.toLowerCase()}`
const networkKey = (network: string) => `sign-in from ${network}`

const runningAttempts = new Map<string, number>()
const concurrencyLimit = 10

async function countRunning<T>(network: string, work: () => Promise<T>): Promise<T> {
  runningAttempts.set(network, (runningAttempts.get(network) ?? 0) + 1)
  try {
    return await work()
  } finally {
    const left = (runningAttempts.get(network) ?? 1) - 1
    if (left > 0) runningAttempts.set(network, left)
    else runningAttempts.delete(network)
  }
}

function knownBrowser({ knownBrowser, server }: FastifyRequest, email: string): string | undefined {
  const token = knownBrowser.get('token')
  const known = knownBrowser.get('users') ?? []
  const ids = token ? server.db.select({ id: users.id }).from(users).where(eq(users.email, email)).all() : []
  return token && ids.some(({ id }) => known.includes(id)) ? `browser ${hashToken(token)}` : undefined
}

interface Account {
  id: number
  group_id: number
  password: string
}

/** Opens the session or asks for the second factor, unless password, email or account have changed while the password was compared. */
function openAccount(request: FastifyRequest, attempt: Attempt, account: Account, next: string): string | undefined {
  const { db } = request.server
  const { id, password } = account
  return write(db, () => {
    const unchanged = and(eq(users.id, id), eq(users.email, attempt.email), eq(users.password, password), eq(users.active, true))
    if (!db.select({ id: users.id }).from(users).where(unchanged).get()) return undefined
    recordSuccess(db, attempt)
    if (needsSecondStep(request.server, account)) {
      requestFactor(request, account, next)
      return url(request.server, '/login/factor')
    }
    completeSignIn(request, id)
    return safePath(request.server, next, url(request.server, '/'))
  })
}

/** The first active account with this email that the password opens: duplicates may exist, and nobody is locked out by one. */
async function findAccount(db: Database, email: string, password: string): Promise<Account | undefined> {
  const active = and(eq(users.email, email), eq(users.active, true))
  const columns = { id: users.id, group_id: users.group_id, password: users.password }
  const accounts = db.select(columns).from(users).where(active).orderBy(users.id).all()
  // An unknown address takes as long as a known one, and one of several accounts not longer.
  if (accounts.length === 0) await verifyPassword(decoyHash(db, email), password)
  const opened = await Promise.all(accounts.map((account) => verifyPassword(account.password, password)))
  return accounts.find((_, index) => opened[index])
}

/** Somebody's hash, always the same for an address: hashes of earlier versions take longer than those of today. */
function decoyHash(db: Database, email: string): string {
  const last =
    db
      .select({ id: max(users.id) })
      .from(users)
      .get()?.id ?? 0
  const first = Number.parseInt(hashToken(email).slice(0, 8), 16) % (last + 1)
  const hashes = db
    .select({ password: users.password })
    .from(users)
    .where(and(gte(users.id, first), ne(users.password, '')))
  return hashes.orderBy(users.id).limit(1).get()?.password ?? ''
}

function rejectLimited(request: FastifyRequest, reply: FastifyReply, typed: { email: string; next: string }, wait: number) {
  const limit = tooManyAttempts(wait)
  return signInPage(request, limited(reply, limit), { ...typed, error: request.t(limit) })
}

function signInPage(request: FastifyRequest, reply: FastifyReply, data: SignInState) {
  const pending = isPendingSubmission(request, parseId(/\/resume\/(\d+)$/.exec(data.next)?.[1]) ?? 0)
  const accounts = request.server.sample ? sampleAccounts : []
  const isSetUp = hasUsers(request.server.db)
  return reply.page(signInTemplate, { title: request.t('Sign-in'), isSetUp, pending, accounts, party: findRelyingParty(request), ...data })
}

/** Unknown addresses are not stored: they may be a password typed into the wrong field. */
function logSignInFailure(request: FastifyRequest, event: 'refused' | 'locked-out', email: string): void {
  const { db } = request.server
  const user = db.select().from(users).where(eq(users.email, email)).limit(1).get()
  const entry = { event, author: { id: null, name: '', ...clientOf(request) }, user }
  if (event === 'refused') logSecurityEvent(db, entry)
  else logRepeatedEvent(db, entry)
}

function requestFactor(request: FastifyRequest, user: { id: number; password: string }, next: string): void {
  request.session.set('factor', { userId: user.id, passwordDigest: hashToken(user.password), at: Date.now(), next })
}
