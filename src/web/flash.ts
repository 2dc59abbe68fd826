import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { sessions } from '../database/schema/index.ts'
import { bestEffort } from '../database/storage-unavailable.ts'

/** What has just happened, in the reader's language, and where it can be undone. */
export interface Flash {
  text: string
  undo?: string
}

/**
 * Leaves a message for the next page that this session opens; the text is a translation key.
 * @param undo the path that a form is posted to in order to undo it
 */
export function flash(request: FastifyRequest, text: string, params: Record<string, unknown> = {}, undo?: string): void {
  saveFlash(request, JSON.stringify([text, params, undo]))
}

/** Takes the message that is waiting, in the reader's language. */
export function takeFlash(request: FastifyRequest): Flash | undefined {
  if (!request.sessionId || !request.pendingFlash) return undefined
  saveFlash(request, null)
  const [text, params, undo] = JSON.parse(request.pendingFlash)
  return { text: request.t(text, params), undo: undo ?? undefined }
}

/** What was said is done already, whether it can be told or not. */
function saveFlash({ server, sessionId }: FastifyRequest, message: string | null): void {
  if (sessionId) bestEffort(() => server.db.update(sessions).set({ flash: message }).where(eq(sessions.id, sessionId)).run())
}
