import { PassThrough } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../i18n/translate.ts'
import { effectiveUserId } from '../../web/access/session.ts'
import { HttpError } from '../../web/http.ts'
import { renderBell } from './unread.ts'

const pollInterval = 2000
const heartbeatInterval = 20_000
const maxPerSession = 20

const streamHeaders = {
  'Cache-Control': 'no-store',
  // Its connection ends with it, and keeps nobody waiting who closes the service.
  Connection: 'close',
  // For proxies that would collect an answer before passing it on.
  'X-Accel-Buffering': 'no',
}

/** An open page that wants to hear of news. */
interface Listener {
  sessionId: number
  userId: number
  language: Language
  body: PassThrough
  /** What it heard last. */
  lastHtml?: string
}

/** GET /notifications/stream: the bell whenever it changes, as server-sent events, for as long as the session shows this person. */
export function notificationStream(app: FastifyInstance) {
  const listeners = new Set<Listener>()
  const notifyUsers = (userIds: readonly number[]) => {
    for (const listener of listeners) if (userIds.includes(listener.userId)) sendBell(listener)
  }
  app.notices.on('queued', notifyUsers)
  app.notices.on('read', (userId) => notifyUsers([userId]))
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
    const listener = { sessionId: request.sessionId as number, userId: actor.id, language, body: new PassThrough() }
    listeners.add(listener)
    listener.body.on('close', () => listeners.delete(listener))
    closeOldest(maxPerSession, listener.sessionId)
    sendBell(listener)
    return reply.type('text/event-stream').headers(streamHeaders).send(listener.body)
  }

  function sendBell(listener: Listener): void {
    if (!isAuthorized(listener)) {
      closeStream(listener)
      return
    }
    renderBell(app, listener.userId, listener.language).then(
      (html) => {
        if (html === listener.lastHtml) return
        listener.lastHtml = html
        sendEvent(listener, 'unread', html)
      },
      (err) => app.log.error({ err }, 'the bell could not be rendered'),
    )
  }

  /** Whoever signed out, was switched off or acts as somebody else now hears no more. */
  function closeStale(): void {
    for (const listener of listeners) if (!isAuthorized(listener)) closeStream(listener)
  }

  /** Proxies hang up on silence, and a page that hears nothing begins to ask. */
  function keepAlive(): void {
    for (const listener of listeners) sendEvent(listener, 'beat', '')
  }

  function isAuthorized({ sessionId, userId }: Listener): boolean {
    return effectiveUserId(app.db)(sessionId) === userId
  }

  function closeOldest(count: number, sessionId: number): void {
    const mine = [...listeners].filter((listener) => listener.sessionId === sessionId)
    for (const listener of mine.slice(0, -count)) closeStream(listener)
  }
}

/** Tells the page not to come back, and hangs up. */
function closeStream(listener: Listener): void {
  sendEvent(listener, 'end', '')
  listener.body.end()
}

function sendEvent({ body }: Listener, event: string, data: string): void {
  if (body.writable) body.write(`event: ${event}\ndata: ${data.replace(/\s+/g, ' ')}\n\n`)
}
