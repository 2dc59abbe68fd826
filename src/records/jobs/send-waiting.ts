import type { FastifyInstance } from 'fastify'
import type { AwaitedKind } from './job.ts'

/** What waits to be sent to one place. */
interface Waiting<Payload, T> {
  /** A few that are due now; none when nothing is. */
  findDue: (app: FastifyInstance, payload: Payload) => T[]
  /** Sends one, and notes in a transaction what became of it, so that it is no longer due. */
  send: (app: FastifyInstance, one: T) => Promise<void>
  /** When the next one will be due. */
  findNext: (app: FastifyInstance, payload: Payload) => number | undefined
}

/** A job that sends what waits for one place, a few at a time, until nothing does. A crash sends twice what it had no time to note. */
export function sendWaiting<Payload, T>({ findDue, send, findNext }: Waiting<Payload, T>): AwaitedKind<Payload> {
  return {
    async work(app, { payload }, signal) {
      for (let due = findDue(app, payload); due.length > 0; due = findDue(app, payload)) {
        const sent = await Promise.allSettled(due.map((one) => send(app, one)))
        for (const one of sent) if (one.status === 'rejected') throw one.reason
        signal.throwIfAborted()
      }
      return () => findNext(app, payload)
    },
  }
}
