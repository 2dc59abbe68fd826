import argon2 from 'argon2'
import { mutex } from '../../concurrency/mutex.ts'

const queueLimit = 20

let waiting = 0

/** Hashes share the thread pool of libuv with files and DNS, and the cores with everybody else. */
const oneByOne = mutex()

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
