import type { Context } from '../request/context.ts'
import { HttpError } from '../request/errors.ts'

const maxAge = 15 * 60_000

export class ReauthenticationRequired extends HttpError {
  constructor() {
    super(403, 'Confirm your identity')
  }
}

/** Sensitive actions need a password given within the last 15 minutes, so that a stolen session cannot perform them. */
export function requireRecentPassword({ authenticatedAt }: Context): void {
  if (Date.now() - authenticatedAt > maxAge) throw new ReauthenticationRequired()
}
