import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { bestEffort, sessions } from '../../database/index.ts'

/** A form that takes back what a message reports. */
export interface UndoForm {
  action: string
  fields?: Record<string, string>
  /** For how many milliseconds it can be sent, if that is limited. */
  time?: number
}

export interface Flash {
  text: string
  undo?: UndoForm
}

export function flash(request: FastifyRequest, text: string, params: Record<string, unknown> = {}, undo?: UndoForm): void {
  saveFlash(request, JSON.stringify([text, params, undo]))
}

export function takeFlash(request: FastifyRequest): Flash | undefined {
  if (!request.sessionId || !request.pendingFlash) return undefined
  saveFlash(request, null)
  const [text, params, undo] = JSON.parse(request.pendingFlash)
  return { text: request.t(text, params), undo: undo ?? undefined }
}

/** Best effort: the action it reports is already done. */
function saveFlash({ server, sessionId }: FastifyRequest, message: string | null): void {
  if (sessionId) bestEffort(() => server.db.update(sessions).set({ flash: message }).where(eq(sessions.id, sessionId)).run())
}
