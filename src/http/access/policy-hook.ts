import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { url } from '../request/addresses.ts'
import type { Context } from '../request/context.ts'
import { forbidden, HttpError, notFound, pageNotFound } from '../request/errors.ts'
import { paramOf, parseId } from '../request/input.ts'
import type { Person } from '../request/person.ts'
import type { RouteEntry, RoutePolicy } from '../request/route-policy.ts'
import { canSaveSubmission, saveSubmission } from '../submissions/pending-submissions.ts'
import { type ApiToken, countRequest, isApiRequest, noteUse, TokenRequired } from './api-tokens.ts'
import { authorize } from './authorize.ts'
import { refuseCrossSite, refuseEmbedding } from './cross-site.ts'
import { redirectTo, redirectToLogin, SignInRequired } from './redirect-to-login.ts'
import { lacksRequiredFactor } from './second-factor.ts'
import { loadSignIn } from './session.ts'

/** Each is named: one that is not would be left out of the configuration of its route. */
const everyOption: Record<keyof RoutePolicy, true> = {
  access: true,
  record: true,
  missing: true,
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
  app.decorateRequest('record')
  app.decorateRequest('savesSubmission', false)
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
    if (request.method !== 'GET' && request.method !== 'HEAD') reauthorize(request)
    if (request.savesSubmission) redirectToLogin(request, reply, saveSubmission(request))
    else done()
  })
})

function enforcePolicy(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  refuseCrossSite(request)
  refuseEmbedding(request)
  if (request.routeOptions.config.access === 'public') return
  if (isApiRequest(request)) return enforceTokenPolicy(request)
  const { sessionId, expiredPerson } = request.signIn
  if (sessionId && needsFactorFirst(request)) return redirectTo(request, reply, url(request.server, '/profile?tab=security'))
  if (sessionId) return authorizeRequest(request, request.actor)
  request.savesSubmission = canSaveSubmission(request) && isAuthorized(request, expiredPerson)
  if (!request.savesSubmission) return redirectToLogin(request, reply)
}

function enforceTokenPolicy(request: FastifyRequest): undefined {
  const { apiToken } = request.signIn
  if (!apiToken) throw new TokenRequired()
  countRequest(request.server.db, apiToken)
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

/** Reloads session, person and rights and authorizes the request again, for use after something slow. */
export function reauthorize(request: FastifyRequest): void {
  if (request.routeOptions.config.access === 'public') return
  if (request.savesSubmission) return void reauthorizeExpired(request)
  const { actor } = renew(request)
  if (request.signIn.apiToken) authorizeToken(request, request.signIn.apiToken)
  authorizeRequest(request, actor)
}

function reauthorizeExpired(request: FastifyRequest): void {
  loadSignIn(request)
  if (!isAuthorized(request, request.signIn.expiredPerson)) throw new SignInRequired()
}

/**
 * Reloads session, person and rights: what takes long asks again before it writes.
 * @throws HttpError when they may no longer act: deactivated, deleted, signed out
 */
export function renew(request: FastifyRequest): FastifyRequest {
  const before = identityOf(request)
  loadSignIn(request)
  const { apiToken, sessionId } = request.signIn
  if (isApiRequest(request) && !apiToken) throw new TokenRequired()
  if (!apiToken && !sessionId) throw new SignInRequired()
  if (identityOf(request) !== before) throw new HttpError(409, 'You are now in a different account. Nothing was saved.')
  return request
}

function identityOf({ actor }: Context): string {
  return `${actor.id} ${actor.impersonator?.id}`
}

function authorizeRequest(request: FastifyRequest, actor: Person): undefined {
  const { access, record, missing } = request.routeOptions.config
  if (!access) throw pageNotFound()
  if (typeof access === 'object') authorize(access, actor)
  if (!record) return
  const name = paramOf(request, 'id')
  const id = parseId(name)
  request.record = id === undefined ? record(request.server.db, -1, actor, name) : record(request.server.db, id, actor)
  if (request.record === undefined) throw (id !== undefined && missing?.(id)) || notFound()
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
