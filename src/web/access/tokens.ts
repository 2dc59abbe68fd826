import { createHash, randomBytes } from 'node:crypto'

/** A value that nobody guesses, for a cookie or a link. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What the database keeps of such a value: a copy of it opens nothing. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
