import type { FastifyRequest } from 'fastify'
import { HttpError } from '../http.ts'

const maxAge = 3600_000

/** Somebody is to give their password once more; what they sent waits meanwhile. */
export class ReauthenticationRequired extends HttpError {
  constructor() {
    super(403, 'Confirm your identity')
  }
}

/**
 * For what a stolen session must not do: the person has given their password within the hour.
 * @throws ReauthenticationRequired
 */
export function requireRecentProof({ provedAt }: FastifyRequest): void {
  if (Date.now() - provedAt > maxAge) throw new ReauthenticationRequired()
}
