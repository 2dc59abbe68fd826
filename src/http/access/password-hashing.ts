import argon2 from 'argon2'
import type { FastifyRequest } from 'fastify'
import { mutex, mutexes } from '../../concurrency/mutex.ts'
import { networkOf } from './rate-limit.ts'

const queueLimit = 20

let waiting = 0

/** Hashes share the thread pool of libuv with files and DNS, and the cores with everybody else. */
const oneByOne = mutex()

const turnsOf = mutexes<number | string>()

/** Of whoever is signed in, else of a network, one password at a time stands in the queue of all: nobody fills it in which others sign in. */
export function inOwnTurn<T>({ signIn, actor, ip }: FastifyRequest, work: () => Promise<T>): Promise<T> {
  const owner = signIn.sessionId ? (actor.impersonator?.id ?? actor.id) : networkOf(ip)
  return turnsOf(owner, work)
}

/** Parameters that OWASP and ASVS recommend, of these the ones with little memory. */
export function hashPassword(password: string): Promise<string> {
  return exclusively(() => argon2.hash(password, { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }))
}

export function verifyPassword(hash: string, password: string): Promise<boolean> {
  return exclusively(async () => hash !== '' && argon2.verify(hash, password))
}

async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  if (waiting > queueLimit) throw Object.assign(new Error('too many passwords at once'), { code: 'PASSWORDS_BUSY' })
  waiting += 1
  try {
    return await oneByOne(work)
  } finally {
    waiting -= 1
  }
}
