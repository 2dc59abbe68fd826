import argon2 from 'argon2'

/** A hash takes 64 MB and all cores, and shares the thread pool of libuv with files and DNS: more than one at a time would be no faster. */
const concurrency = 1
const queueLimit = 20

let running = 0
const queue: (() => void)[] = []

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => argon2.hash(password, { type: argon2.argon2id }))
}

export function verifyPassword(hash: string, password: string): Promise<boolean> {
  return inTurn(async () => hash !== '' && argon2.verify(hash, password))
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < concurrency) running += 1
  else if (queue.length < queueLimit) await new Promise<void>((resolve) => queue.push(resolve))
  else throw Object.assign(new Error('too many passwords at once'), { code: 'PASSWORDS_BUSY' })
  try {
    return await work()
  } finally {
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }
}
