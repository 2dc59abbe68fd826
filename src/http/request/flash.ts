import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { bestEffort, sessions } from '../../database/index.ts'
import type { Context } from './context.ts'

/** A form that takes back what a message reports. */
export interface UndoForm {
  action: string
  fields?: Record<string, string>
  /** For how many milliseconds it can be sent, if that is limited. */
  time?: number
  /** What it is called, where it asks before it takes back. */
  asks?: string
}

/** Where somebody may go on. */
export interface FollowUp {
  text: string
  href: string
}

/** What a message offers. */
export interface Offered {
  undo?: UndoForm
  next?: FollowUp
  /** What should be looked at: such a message stays until it is closed. */
  warning?: string
  /** The address of a job that is under way. */
  follow?: string
}

export type Message = [text: string, params?: Record<string, unknown>, offered?: Offered]

export interface Flash extends Offered {
  text: string
}

export function flash(request: FastifyRequest, text: string, params: Record<string, unknown> = {}, offered: Offered = {}): void {
  saveFlash(request, JSON.stringify([text, params, offered]))
}

export function takeFlash(request: FastifyRequest): Flash | undefined {
  if (!request.signIn.sessionId || !request.signIn.pendingFlash) return undefined
  saveFlash(request, null)
  return flashOf(request, JSON.parse(request.signIn.pendingFlash))
}

/** A message as it is shown. */
export function flashOf({ t }: Context, [text, params, offered]: Message): Flash {
  return { text: t(text, params), ...offered }
}

/** Best effort: the action it reports is already done. */
function saveFlash({ server, signIn: { sessionId } }: FastifyRequest, message: string | null): void {
  if (sessionId) bestEffort(() => server.db.update(sessions).set({ flash: message }).where(eq(sessions.id, sessionId)).run())
}
