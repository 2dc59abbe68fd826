import type { FastifyReply } from 'fastify'
import { type Trouble, troubleOf } from '../database/trouble.ts'
import { HttpError } from './http.ts'

const answers: Record<Trouble, [status: number, message: string]> = {
  busy: [503, 'The cabinet is busy. Nothing was saved; please try again in a moment.'],
  full: [507, 'There is no room left to save this. Nothing was saved; please tell whoever runs the cabinet.'],
}

const secondsToWait = 5

/** What to tell when a write could not be taken through nobody's fault; undefined for any other error. */
export function troubled(reply: FastifyReply, error: unknown): HttpError | undefined {
  const trouble = troubleOf(error)
  if (!trouble) return undefined
  if (trouble === 'busy') reply.header('Retry-After', String(secondsToWait))
  return new HttpError(...answers[trouble])
}
