import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { sessions } from '../database/schema/index.ts'
import { ifPossible } from '../database/trouble.ts'

/** Leaves a message for the next page that this session opens; the text is a translation key. */
export function flash(request: FastifyRequest, text: string, params: Record<string, unknown> = {}): void {
  keep(request, JSON.stringify([text, params]))
}

/** Takes the message that is waiting, in the reader's language. */
export function takeFlash(request: FastifyRequest): string | undefined {
  if (!request.sessionId || !request.flashed) return undefined
  keep(request, null)
  const [text, params] = JSON.parse(request.flashed)
  return request.t(text, params)
}

/** What was said is done already, whether it can be told or not. */
function keep({ server, sessionId }: FastifyRequest, message: string | null): void {
  if (sessionId) ifPossible(() => server.db.update(sessions).set({ flash: message }).where(eq(sessions.id, sessionId)).run())
}
