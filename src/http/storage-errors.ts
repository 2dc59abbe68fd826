import type { FastifyReply } from 'fastify'
import { storageUnavailableReason, type UnavailableReason } from '../database/storage-unavailable.ts'
import { LimitReached, limited } from './access/rate-limit.ts'
import { HttpError } from './request/errors.ts'

const responses: Record<UnavailableReason, [status: number, message: string]> = {
  busy: [503, 'The service is busy. Nothing was saved. Try again in a moment.'],
  full: [507, 'The server is out of storage. Nothing was saved. Contact your administrator.'],
}

const retryAfterSeconds = 5

/** Why something could not be saved although nothing is wrong with it. */
export function toHttpError(reply: FastifyReply, error: unknown): HttpError | undefined {
  if (error instanceof LimitReached) {
    limited(reply, error)
    return error
  }
  const storageProblem = storageUnavailableReason(error)
  if (!storageProblem) return undefined
  if (storageProblem === 'busy') reply.header('Retry-After', String(retryAfterSeconds))
  return new HttpError(...responses[storageProblem])
}
