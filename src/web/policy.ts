import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Rule, refusal } from '../core/access.ts'
import { write } from '../database/open.ts'
import { refuseCrossSite } from './cross-site.ts'
import { HttpError, notFound, type Person, type RouteEntry, type RoutePolicy, url } from './http.ts'

/** Somebody signed in who may not do this; `refused` says what is missing, for the page that explains it. */
export class Forbidden extends HttpError {
  readonly refused: NonNullable<ReturnType<typeof refusal>>
  constructor(refused: NonNullable<ReturnType<typeof refusal>>) {
    super(403, 'You may not do this.')
    this.refused = refused
  }
}

/** What a route says beside its handler; Fastify keeps it as the route's config. */
const policyOptions = ['access', 'record', 'recordByKey', 'changesState', 'uploads', 'avatars', 'gallery', 'answers'] as const

/**
 * The policy hook: the one place where access is decided, before any body is read. In this order: cross-site refusal,
 * signed in, any right at all, the record exists, the right covers the record (decisions, order of answers).
 * Register it before every route; a route without an access rule stops the start.
 */
export const policyPlugin = fp(async (app: FastifyInstance) => {
  app.decorate('routeTable', [] as RouteEntry[])
  app.decorateRequest('record', null)
  app.addHook('onRoute', (route) => {
    const given = policyOptions.filter((name) => name in route).map((name) => [name, route[name]])
    route.config = { ...route.config, ...Object.fromEntries(given) }
    for (const method of [route.method].flat()) app.routeTable.push({ method, url: route.url, ...(route.config as RoutePolicy) })
  })
  app.addHook('onReady', async () => {
    const open = app.routeTable.find((route) => !route.access)
    if (open) throw new Error(`${open.method} ${open.url} declares no access rule`)
  })
  app.addHook('onRequest', async (request, reply) => judge(request, reply))
})

function judge(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  refuseCrossSite(request)
  const { access, record } = request.routeOptions.config
  if (access === 'public') return
  if (!request.sessionId) return askToSignIn(request, reply)
  if (!access) throw notFound()
  if (access !== 'signed-in') decide(access, request.actor)
  if (!record) return
  request.record = namedRecord(request)
  if (request.record === undefined) throw notFound()
  if (access !== 'signed-in') decide(access, request.actor, request.record)
}

/** @throws Forbidden with what is missing */
export function decide<R>(rule: Rule<R>, actor: Person, ...record: [R?]): void {
  const refused = refusal(rule, actor, ...record)
  if (refused) throw new Forbidden(refused as NonNullable<ReturnType<typeof refusal>>)
}

/**
 * Runs a write on the record that the address names, loaded and judged once more inside the transaction:
 * while the body was being read, another request may have changed it.
 */
export function writeRecord<R, T>(request: FastifyRequest, work: (record: R) => T): T {
  const { access } = request.routeOptions.config
  return write(request.server.db, () => {
    const record = namedRecord(request)
    if (record === undefined) throw notFound()
    if (typeof access === 'object') decide(access, request.actor, record)
    return work(record as R)
  })
}

/** The record of the address, by its id; a word names one only where records have keys. */
function namedRecord({ routeOptions, params, server, actor }: FastifyRequest): unknown {
  const { record: find, recordByKey: findByKey } = routeOptions.config
  const { id: name } = params as { id: string }
  const id = parseId(name)
  return id === undefined && findByKey ? findByKey(server.db, name) : find?.(server.db, id ?? -1, actor)
}

/** A record id as people type it, or undefined. */
export function parseId(text: string | null | undefined): number | undefined {
  return text && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const next = reads && !request.headers['hx-request'] ? `?next=${encodeURIComponent(request.url)}` : ''
  const target = url(request.server, `/login${next}`)
  if (request.headers['hx-request']) return reply.code(401).header('HX-Redirect', target).send()
  return reply.redirect(target, 303)
}
