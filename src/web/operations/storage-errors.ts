import type { FastifyReply } from 'fastify'
import { storageUnavailableReason, type UnavailableReason } from '../../database/storage-unavailable.ts'
import { HttpError } from '../http.ts'

const responses: Record<UnavailableReason, [status: number, message: string]> = {
  busy: [503, 'The service is busy. Nothing was saved. Try again in a moment.'],
  full: [507, 'The server is out of storage. Nothing was saved. Contact your administrator.'],
}

const retryAfterSeconds = 5

export function toHttpError(reply: FastifyReply, error: unknown): HttpError | undefined {
  const storageProblem = storageUnavailableReason(error)
  if (!storageProblem) return undefined
  if (storageProblem === 'busy') reply.header('Retry-After', String(retryAfterSeconds))
  return new HttpError(...responses[storageProblem])
}
