import type { FastifyRequest } from 'fastify'
import { hashToken } from '../../../core/tokens.ts'
import { write } from '../../../database/index.ts'
import { recordHit, secondsToWait } from '../../../http/access/rate-limit.ts'

type Purpose = 'registration' | 'invitation' | 'sign-in' | 'confirmation'

interface Challenge {
  value: string
  purpose: Purpose
  /** Whose answer it takes; at the sign-in page anybody's. */
  userId: number | null
  /** What a new passkey will know its person by. */
  userHandle?: string
  at: number
}

declare module '@fastify/secure-session' {
  interface SessionData {
    challenge: Challenge | undefined
  }
}

const lifetime = 5 * 60_000

export function rememberChallenge({ session }: FastifyRequest, challenge: Omit<Challenge, 'at'>): void {
  session.set('challenge', { ...challenge, at: Date.now() })
}

/** The challenge this browser was given for this purpose. It is used up, whatever the answer is worth. */
export function takeChallenge({ server, session }: FastifyRequest, purpose: Purpose): Challenge | undefined {
  const challenge = session.get('challenge')
  session.set('challenge', undefined)
  if (challenge?.purpose !== purpose || challenge.at < Date.now() - lifetime) return undefined
  // An earlier cookie can be sent again, so the server remembers what was answered.
  const answer = `challenge ${hashToken(challenge.value)}`
  return write(server.db, () => {
    if (secondsToWait(server.db, answer, { limit: 1, window: lifetime }) !== undefined) return undefined
    recordHit(server.db, answer)
    return challenge
  })
}
