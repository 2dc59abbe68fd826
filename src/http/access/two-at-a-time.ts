import { prepareOnce } from '../../database/index.ts'
import type { Context } from '../request/context.ts'
import { LimitReached } from './rate-limit.ts'

const most = 2

/** By database: how many of what a message names are being made for each person. */
const making = prepareOnce(() => new Map<string, number>())

interface Made {
  /** Seconds after which there may be room again. */
  pause: number
  /** Says what is made, and may name `max` and `time`. */
  message: string
}

/**
 * Makes what takes long, for the person who asks, whoever they act as: nobody fills a queue in which others wait.
 * @throws LimitReached (429) while two of it are being made for this person
 */
export function twoAtATime<T>(context: Context, made: Made, make: () => Promise<T>): Promise<T> {
  const end = takeTurn(context, made)
  return make().finally(end)
}

/** @returns what ends the turn. @throws LimitReached as above */
export function takeTurn({ server, actor }: Context, made: Made): () => void {
  const counts = making(server.db)
  const key = `${actor.impersonator?.id ?? actor.id} ${made.message}`
  const count = (more: number) => counts.set(key, (counts.get(key) ?? 0) + more)
  requireTurn(counts.get(key) ?? 0, made)
  count(1)
  return () => void count(-1)
}

/**
 * @param count how many of it are being made for a person
 * @throws LimitReached (429) while these are two
 */
export function requireTurn(count: number, { pause, message }: Made): void {
  if (count >= most) throw new LimitReached(pause, message, { max: most })
}

export const documents = { pause: 5, message: '{max} documents are being made for you. Try again after {time}.' }
