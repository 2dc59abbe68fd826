import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { sessions } from '../database/schema/index.ts'

/** Leaves a message for the next page that this session opens; the text is a translation key. */
export function flash(request: FastifyRequest, text: string, params: Record<string, unknown> = {}): void {
  if (!request.sessionId) return
  const message = JSON.stringify([text, params])
  request.server.db.update(sessions).set({ flash: message }).where(eq(sessions.id, request.sessionId)).run()
}

/** Takes the message that is waiting, in the reader's language. */
export function takeFlash(request: FastifyRequest): string | undefined {
  const { db } = request.server
  if (!request.sessionId || !request.flashed) return undefined
  db.update(sessions).set({ flash: null }).where(eq(sessions.id, request.sessionId)).run()
  const [text, params] = JSON.parse(request.flashed)
  return request.t(text, params)
}
