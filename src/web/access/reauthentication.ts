import type { FastifyRequest } from 'fastify'
import { HttpError } from '../http.ts'

const maxAge = 3600_000

export class ReauthenticationRequired extends HttpError {
  constructor() {
    super(403, 'Confirm your identity')
  }
}

/** Sensitive actions need a password given within the last hour, so that a stolen session cannot perform them. */
export function requireRecentPassword({ authenticatedAt }: FastifyRequest): void {
  if (Date.now() - authenticatedAt > maxAge) throw new ReauthenticationRequired()
}
