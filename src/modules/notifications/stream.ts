import { PassThrough } from 'node:stream'
import { and, eq, gte } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Database, sessions, users, whereIn } from '../../database/index.ts'
import { personReader } from '../../http/access/person-reader.ts'
import { mustSetUpFactor } from '../../http/access/second-factor.ts'
import { expiryThresholds } from '../../http/access/session-expiry.ts'
import { effectiveUserId } from '../../http/access/session-loader.ts'
import { HttpError } from '../../http/request/errors.ts'
import { parseId, queryOf } from '../../http/request/input.ts'
import type { Language } from '../../i18n/translate.ts'
import { renderBell } from './unread.ts'

const pollInterval = 2000
const heartbeatInterval = 20_000
const maxPerSession = 20

const streamHeaders = {
  'Cache-Control': 'no-store',
  // Keep-alive would delay the shutdown of the service.
  Connection: 'close',
  // Keeps proxies from buffering the stream.
  'X-Accel-Buffering': 'no',
}

interface Listener {
  sessionId: number
  userId: number
  /** Who is signed in: somebody else while impersonating. */
  ownerId: number
  language: Language
  /** The order whose page is open. */
  orderId: number | undefined
  body: PassThrough
  lastHtml?: string
}

/** GET /notifications/stream: sends the bell as a server-sent event whenever it changes, until the session ends or changes its person. */
export function notificationStream(app: FastifyInstance) {
  const listeners = new Set<Listener>()
  const notifyUsers = (userIds: readonly number[]) => {
    for (const listener of listeners) if (userIds.includes(listener.userId)) sendBell(listener)
  }
  app.notificationEvents.on('queued', notifyUsers)
  app.notificationEvents.on('posted', announceMessage)
  app.notificationEvents.on('read', (userId) => notifyUsers([userId]))
  const timers = [setInterval(closeStale, pollInterval).unref(), setInterval(keepAlive, heartbeatInterval).unref()]
  app.addHook('preClose', async () => {
    timers.forEach(clearInterval)
    for (const { body } of listeners) body.end()
    listeners.clear()
  })
  return openStream

  function openStream(request: FastifyRequest, reply: FastifyReply) {
    if (!request.headers.accept?.includes('text/event-stream')) throw new HttpError(406, 'This address serves an event stream only.')
    const { actor, language } = request
    const orderId = parseId(queryOf(request).get('order'))
    const listener = {
      sessionId: request.signIn.sessionId as number,
      userId: actor.id,
      ownerId: actor.impersonator?.id ?? actor.id,
      language,
      orderId,
      body: new PassThrough(),
    }
    listeners.add(listener)
    listener.body.on('close', () => listeners.delete(listener))
    const ofSession = [...listeners].filter(({ sessionId }) => sessionId === listener.sessionId)
    for (const oldest of ofSession.slice(0, -maxPerSession)) closeStream(oldest)
    sendBell(listener)
    return reply.type('text/event-stream').headers(streamHeaders).send(listener.body)
  }

  function sendBell(listener: Listener) {
    if (!isAuthorized(listener)) return closeStream(listener)
    const sending = renderBell(app, listener.userId, listener.language).then((html) => sendChangedBell(listener, html))
    sending.catch((err) => app.log.error({ err }, 'bell not sent'))
  }

  function sendChangedBell(listener: Listener, html: string): void {
    if (html === listener.lastHtml) return
    listener.lastHtml = html
    sendEvent(listener, 'unread', html)
  }

  /** Only to those who may read the message: that there is one is part of it. */
  function announceMessage(orderId: number, readerIds: readonly number[]): void {
    const open = [...listeners].filter((listener) => listener.orderId === orderId && readerIds.includes(listener.userId))
    for (const listener of open) if (isAuthorized(listener)) sendEvent(listener, 'discussion', String(orderId))
  }

  /** One query for all open pages. */
  function closeStale(): void {
    const persons = effectiveUserIds(app.db, [...new Set([...listeners].map(({ sessionId }) => sessionId))])
    for (const listener of listeners)
      if (persons.get(listener.sessionId) !== listener.userId || lacksFactor(listener)) closeStream(listener)
  }

  /** Proxies close silent connections, and pages fall back to polling. */
  function keepAlive(): void {
    for (const listener of listeners) sendEvent(listener, 'heartbeat', '')
  }

  function isAuthorized(listener: Listener): boolean {
    const { sessionId, userId } = listener
    return effectiveUserId(app.db)(sessionId) === userId && !lacksFactor(listener)
  }

  function lacksFactor({ ownerId }: Listener): boolean {
    const owner = personReader(app.db)(ownerId)
    return !owner || mustSetUpFactor(app, owner)
  }
}

function closeStream(listener: Listener): void {
  sendEvent(listener, 'end', '')
  listener.body.end()
}

function sendEvent({ body }: Listener, event: string, data: string): void {
  if (body.writable) body.write(`event: ${event}\ndata: ${data.replace(/\s+/g, ' ')}\n\n`)
}

function effectiveUserIds(db: Database, ids: number[]): Map<number, number | undefined> {
  const { seen, created } = expiryThresholds()
  const live = db
    .select({ id: sessions.id, user_id: sessions.user_id, return_to: sessions.return_to })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user_id))
    .where(and(whereIn(sessions.id, ids), eq(users.active, true), gte(sessions.seen_at, seen), gte(sessions.created_at, created)))
    .all()
  return new Map(live.map(({ id, user_id, return_to }) => [id, return_to === null ? user_id : effectiveUserId(db)(id)]))
}
