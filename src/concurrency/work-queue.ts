import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const minDelay = 1000
const hour = 3600_000
const drainTimeout = 3000

/** Jobs that the database keeps. */
export interface Work<Job> {
  /** A few jobs that are due now; none when nothing is. */
  findDue: () => Job[]
  /** Settles a job, so that it is no longer due. */
  perform: (job: Job) => Promise<void>
  /** When the next job will be due. */
  findNext: () => number | undefined
}

export interface WorkQueue {
  wake: () => void
  close: () => Promise<void>
}

/** Performs jobs, a few at a time, from when it is woken until nothing is due, and again when the next one is. */
export function startQueue<Job>(app: FastifyInstance, { findDue, perform, findNext }: Work<Job>): WorkQueue {
  let running = Promise.resolve()
  let woken = false
  let closing = false
  let timer: NodeJS.Timeout | undefined

  function wake(): void {
    if (woken || closing) return
    woken = true
    running = running.then(drain).then(sleep).catch(handleError)
  }

  async function drain(): Promise<void> {
    woken = false
    for (let due = findDue(); due.length > 0 && !closing; due = findDue()) await Promise.all(due.map(perform))
  }

  function sleep(): void {
    clearTimeout(timer)
    const at = closing ? undefined : findNext()
    if (at !== undefined) timer = setTimeout(wake, Math.min(Math.max(at - Date.now(), minDelay), hour)).unref()
  }

  function handleError(error: unknown): void {
    if (!closing) app.log.error({ err: error }, 'delivering failed')
    timer = setTimeout(wake, hour / 60).unref()
  }

  async function close(): Promise<void> {
    closing = true
    clearTimeout(timer)
    await Promise.race([running, pause(drainTimeout, undefined, { ref: false })])
  }

  return { wake, close }
}
