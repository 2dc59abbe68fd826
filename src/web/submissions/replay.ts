import type { FastifyInstance, FastifyRequest } from 'fastify'
import { newToken } from '../access/tokens.ts'
import type { Problem } from '../http.ts'

export interface ReplayedBody {
  body: [name: string, value: string][]
  uploadErrors: Record<string, Problem>
}

const header = 'x-resumed-form'
const waiting = new Map<string, ReplayedBody>()

/** Submits a form again within this process, so that the request passes all hooks. */
export async function replaySubmission(request: FastifyRequest, url: string, referer: string | undefined, replayed: ReplayedBody) {
  const token = newToken()
  waiting.set(token, replayed)
  try {
    const headers = { ...pickForwardedHeaders(request), ...(referer && { referer }), [header]: token }
    return await (request.server as FastifyInstance).inject({ method: 'POST', url, headers, remoteAddress: request.socket.remoteAddress })
  } finally {
    waiting.delete(token)
  }
}

/** The body of a request made by `replaySubmission`; its key is a secret that clients cannot guess. */
export function findReplayedBody(request: FastifyRequest): ReplayedBody | undefined {
  const token = request.headers[header]
  return typeof token === 'string' ? waiting.get(token) : undefined
}

const forwardedHeaders = ['host', 'cookie', 'user-agent', 'accept-language', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']

function pickForwardedHeaders({ headers }: FastifyRequest) {
  return Object.fromEntries(forwardedHeaders.map((name) => [name, headers[name]]).filter(([, value]) => value !== undefined))
}
