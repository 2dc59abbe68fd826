import autocannon from 'autocannon'
import type { Server } from './server.ts'

export interface BenchRequest {
  method?: 'GET' | 'POST'
  path: string
  body?: string
  headers?: Record<string, string>
}

export interface Measurement {
  requests: number
  times: number[]
  /** Milliseconds of processor time that the server spent. */
  cpu: number
  seconds: number
}

/** Lets autocannon ask for one second, or as often as `amount` says, and notes what it cost the server. */
export async function measure(
  server: Server,
  next: () => BenchRequest,
  cookie: string,
  connections: number,
  amount?: number,
): Promise<Measurement> {
  const times: number[] = []
  // What the round before has left unanswered comes first.
  await fetch(`${server.origin}/healthz`)
  const before = await server.usage()
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const setupRequest = (request: object) => {
    const { method = 'GET', path, body, headers } = next()
    return { ...request, method, path, body, headers: { cookie, ...(body && form), ...headers } } as autocannon.Request
  }
  const load = { url: server.origin, connections, ...(amount ? { amount } : { duration: 1 }), requests: [{ setupRequest }] }
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(load, (error, done) => (error ? reject(error) : resolve(done)))
    // The first answer on a connection has waited for the connection to be taken up, one of them at a turn of the server.
    const taken = new Set()
    run.on('response', (client, _status, _bytes, time) => (taken.has(client) ? times.push(time) : taken.add(client)))
  })
  const after = await server.usage()
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) throw new Error(`${failed} answers of ${times.length} failed: ${next().path}`)
  // A busy machine may have kept the server waiting for the whole second.
  if (times.length === 0) return measure(server, next, cookie, connections, amount)
  return { requests: times.length + connections, times, cpu: after.cpu - before.cpu, seconds: result.duration }
}

/** Several rounds taken together. */
export function summarize(rounds: Measurement[]) {
  const times = rounds.flatMap((round) => round.times).sort((a, b) => a - b)
  const sum = (of: (round: Measurement) => number) => rounds.reduce((total, round) => total + of(round), 0)
  return {
    median: times[Math.floor(times.length / 2)] as number,
    p99: times[Math.floor(times.length * 0.99)] as number,
    perSecond: sum(({ requests }) => requests) / sum(({ seconds }) => seconds),
    cpu: sum(({ cpu }) => cpu) / sum(({ requests }) => requests),
  }
}

export type Summary = ReturnType<typeof summarize>
