import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { findDenial, type Rule } from '../../core/access.ts'
import { url } from '../request/addresses.ts'
import type { Context } from '../request/context.ts'
import { forbidden, HttpError, notFound, pageNotFound } from '../request/errors.ts'
import { paramOf, parseId } from '../request/input.ts'
import type { Person } from '../request/person.ts'
import type { FindRecord, RouteEntry, RoutePolicy } from '../request/route-policy.ts'
import { canSaveSubmission, saveSubmission } from '../submissions/pending-submissions.ts'
import { type ApiToken, countRequest, isApiRequest, noteUse, TokenRequired } from './api-tokens.ts'
import { refuseCrossSite, refuseEmbedding } from './cross-site.ts'
import { lacksRequiredFactor } from './second-factor.ts'

export class Forbidden extends HttpError {
  readonly denial: NonNullable<ReturnType<typeof findDenial>>
  constructor(denial: NonNullable<ReturnType<typeof findDenial>>) {
    super(403, "You don't have access.")
    this.denial = denial
  }
}

export class SignInRequired extends HttpError {
  constructor() {
    super(401, 'Sign in')
  }
}

/** Each is named: one that is not would be left out of the configuration of its route. */
const everyOption: Record<keyof RoutePolicy, true> = {
  access: true,
  record: true,
  changesState: true,
  ownForms: true,
  uploads: true,
  fileLimit: true,
  avatars: true,
  gallery: true,
  answers: true,
  background: true,
  withoutFactor: true,
}
const policyOptions = Object.keys(everyOption) as (keyof RoutePolicy)[]

/** The policy hook: the one place where access is decided, before any body is read. */
export const policyPlugin = fp(async (app: FastifyInstance) => {
  app.decorate('routeTable', [] as RouteEntry[])
  app.decorateRequest('record', null)
  app.decorateRequest('savesSubmission', false)
  app.decorateRequest('renew', renew)
  app.decorateRequest('reauthorize', reauthorize)
  app.addHook('onRoute', (route) => {
    const given = policyOptions.filter((name) => name in route).map((name) => [name, route[name]])
    route.config = { ...route.config, ...Object.fromEntries(given) }
    for (const method of [route.method].flat()) app.routeTable.push({ method, url: route.url, ...(route.config as RoutePolicy) })
  })
  app.addHook('onReady', async () => {
    const open = app.routeTable.find((route) => !route.access)
    if (open) throw new Error(`${open.method} ${open.url} declares no access rule`)
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (!enforcePolicy(request, reply)) done()
  })
  app.addHook('preHandler', (request, reply, done) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') request.reauthorize()
    if (request.savesSubmission) redirectToLogin(request, reply, saveSubmission(request))
    else done()
  })
})

function enforcePolicy(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  refuseCrossSite(request)
  refuseEmbedding(request)
  if (request.routeOptions.config.access === 'public') return
  if (isApiRequest(request)) return enforceTokenPolicy(request)
  if (request.sessionId && needsFactorFirst(request)) return redirectTo(request, reply, url(request.server, '/profile?tab=security'))
  if (request.sessionId) return authorizeRequest(request, request.actor)
  request.savesSubmission = canSaveSubmission(request) && isAuthorized(request, request.expiredPerson)
  if (!request.savesSubmission) return redirectToLogin(request, reply)
}

function enforceTokenPolicy(request: FastifyRequest): undefined {
  const { apiToken, server } = request
  if (!apiToken) throw new TokenRequired()
  countRequest(server.db, apiToken)
  noteUse(request, apiToken)
  authorizeToken(request, apiToken)
  return authorizeRequest(request, request.actor)
}

function authorizeToken(request: FastifyRequest, { read_only }: ApiToken): void {
  if (lacksRequiredFactor(request)) throw forbidden('Your account requires two-step verification. Set it up in the cabinet first.')
  if (read_only && !['GET', 'HEAD'].includes(request.method)) throw forbidden('This token is read-only.')
}

function needsFactorFirst(request: FastifyRequest): boolean {
  return !request.routeOptions.config.withoutFactor && lacksRequiredFactor(request)
}

function reauthorize(this: FastifyRequest, part?: unknown): void {
  if (this.routeOptions.config.access === 'public') return
  if (this.savesSubmission) return void reauthorizeExpired(this)
  this.renew()
  if (this.apiToken) authorizeToken(this, this.apiToken)
  authorizeRequest(this, this.actor, part)
}

function reauthorizeExpired(request: FastifyRequest): void {
  request.reloadSession()
  if (!isAuthorized(request, request.expiredPerson)) throw new SignInRequired()
}

function renew(this: FastifyRequest): FastifyRequest {
  const before = identityOf(this)
  this.reloadSession()
  if (isApiRequest(this) && !this.apiToken) throw new TokenRequired()
  if (!this.apiToken && !this.sessionId) throw new SignInRequired()
  if (identityOf(this) !== before) throw new HttpError(409, 'You are now in a different account. Nothing was saved.')
  return this
}

function identityOf({ actor }: Context): string {
  return `${actor.id} ${actor.impersonator?.id}`
}

function authorizeRequest(request: FastifyRequest, actor: Person, part?: unknown): undefined {
  const { access, record } = request.routeOptions.config
  if (!access) throw pageNotFound()
  if (typeof access === 'object') authorize(access, actor)
  if (!record) return
  request.record = part ?? findNamed(record, request, actor)
  if (request.record === undefined) throw notFound()
  if (typeof access === 'object') authorize(access, actor, request.record)
}

function isAuthorized(request: FastifyRequest, person: Person | null): boolean {
  try {
    if (person) authorizeRequest(request, person)
    return person !== null
  } catch (error) {
    if (error instanceof HttpError) return false
    throw error
  }
}

export function authorize<R>(rule: Rule<R>, actor: Person, ...record: [R?]): void {
  const denial = findDenial(rule, actor, ...record)
  if (denial) throw new Forbidden(denial as NonNullable<ReturnType<typeof findDenial>>)
}

function findNamed(find: FindRecord<unknown>, request: FastifyRequest, actor: Person): unknown {
  const name = paramOf(request, 'id')
  const id = parseId(name)
  return id === undefined ? find(request.server.db, -1, actor, name) : find(request.server.db, id, actor)
}

export function redirectToLogin(request: FastifyRequest, reply: FastifyReply, pendingId?: number): FastifyReply {
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const next = pendingId ? url(request.server, `/resume/${pendingId}`) : reads && !request.headers['hx-request'] && request.url
  const target = url(request.server, next ? `/login?next=${encodeURIComponent(next)}` : '/login')
  return redirectTo(request, reply, target)
}

export function redirectTo(request: FastifyRequest, reply: FastifyReply, target: string): FastifyReply {
  if (request.headers['hx-request']) return reply.code(401).header('HX-Redirect', target).send()
  return reply.redirect(target, 303)
}

const maxAge = 15 * 60_000

export class ReauthenticationRequired extends HttpError {
  constructor() {
    super(403, 'Confirm your identity')
  }
}

/** Sensitive actions need a password given within the last 15 minutes, so that a stolen session cannot perform them. */
export function requireRecentPassword({ authenticatedAt }: Context): void {
  if (Date.now() - authenticatedAt > maxAge) throw new ReauthenticationRequired()
}
