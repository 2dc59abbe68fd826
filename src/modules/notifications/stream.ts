import { PassThrough } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from '../../web/http.ts'
import type { Language } from '../../web/i18n/translate.ts'
import { shownPerson } from '../../web/session.ts'
import { drawBell } from './unread.ts'

const glance = 2000
const beat = 20_000
const perSession = 20

const streaming = {
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
  told?: string
}

/** GET /notifications/stream: the bell whenever it changes, as server-sent events, for as long as the session shows this person. */
export function notificationStream(app: FastifyInstance) {
  const listeners = new Set<Listener>()
  const tellAll = (userIds: readonly number[]) => {
    for (const listener of listeners) if (userIds.includes(listener.userId)) tell(listener)
  }
  app.notices.on('queued', tellAll)
  app.notices.on('read', (userId) => tellAll([userId]))
  const timers = [setInterval(lookAround, glance).unref(), setInterval(keepAlive, beat).unref()]
  app.addHook('preClose', async () => {
    timers.forEach(clearInterval)
    for (const { body } of listeners) body.end()
    listeners.clear()
  })
  return listen

  function listen(request: FastifyRequest, reply: FastifyReply) {
    if (!request.headers.accept?.includes('text/event-stream'))
      throw new HttpError(406, 'This address answers with a stream of events only.')
    const { actor, language } = request
    const listener = { sessionId: request.sessionId as number, userId: actor.id, language, body: new PassThrough() }
    listeners.add(listener)
    listener.body.on('close', () => listeners.delete(listener))
    dismissAllBut(perSession, listener.sessionId)
    tell(listener)
    return reply.type('text/event-stream').headers(streaming).send(listener.body)
  }

  function tell(listener: Listener): void {
    if (!isPresent(listener)) {
      dismiss(listener)
      return
    }
    const html = drawBell(app, listener.userId, listener.language)
    if (html === listener.told) return
    listener.told = html
    say(listener, 'unread', html)
  }

  /** Whoever signed out, was switched off or acts as somebody else now hears no more. */
  function lookAround(): void {
    for (const listener of listeners) if (!isPresent(listener)) dismiss(listener)
  }

  /** Proxies hang up on silence, and a page that hears nothing begins to ask. */
  function keepAlive(): void {
    for (const listener of listeners) say(listener, 'beat', '')
  }

  function isPresent({ sessionId, userId }: Listener): boolean {
    return shownPerson(app.db)(sessionId) === userId
  }

  function dismissAllBut(count: number, sessionId: number): void {
    const mine = [...listeners].filter((listener) => listener.sessionId === sessionId)
    for (const listener of mine.slice(0, -count)) dismiss(listener)
  }
}

/** Tells the page not to come back, and hangs up. */
function dismiss(listener: Listener): void {
  say(listener, 'end', '')
  listener.body.end()
}

function say({ body }: Listener, event: string, data: string): void {
  if (body.writable) body.write(`event: ${event}\ndata: ${data.replace(/\s+/g, ' ')}\n\n`)
}
