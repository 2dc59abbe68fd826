import type { FastifyInstance, FastifyRequest } from 'fastify'
import { newToken } from '../tokens.ts'
import type { Problem } from './form.ts'

/** What a form carried when it was sent: its fields, and what was wrong with its files. */
export interface Sending {
  body: [name: string, value: string][]
  uploadErrors: Record<string, Problem>
}

const header = 'x-resumed-form'
const waiting = new Map<string, Sending>()

/**
 * Sends a form to the cabinet once more, within this process: the same request through the same hooks.
 * @param request of the person who goes on, whose cookie and language it gets
 */
export async function sendAgain(request: FastifyRequest, url: string, referer: string | undefined, sending: Sending) {
  const token = newToken()
  waiting.set(token, sending)
  try {
    const headers = { ...personal(request), ...(referer && { referer }), [header]: token }
    return await (request.server as FastifyInstance).inject({ method: 'POST', url, headers, remoteAddress: request.socket.remoteAddress })
  } finally {
    waiting.delete(token)
  }
}

/** The form that a request of `sendAgain` stands for; nobody else can name one. */
export function resumedBy(request: FastifyRequest): Sending | undefined {
  const token = request.headers[header]
  return typeof token === 'string' ? waiting.get(token) : undefined
}

const kept = ['host', 'cookie', 'user-agent', 'accept-language', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']

function personal({ headers }: FastifyRequest) {
  return Object.fromEntries(kept.map((name) => [name, headers[name]]).filter(([, value]) => value !== undefined))
}
