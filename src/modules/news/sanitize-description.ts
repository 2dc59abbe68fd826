import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isTooComplex, type Sanitized, sanitizeDescription } from '../../core/sanitize.ts'
import { bodyOf, ownHosts } from '../../web/http.ts'
import { oneAtATime } from '../../web/operations/one-at-a-time.ts'
import { startThread } from '../../web/operations/thread.ts'

/** Shorter texts take less than a slice of long work. */
const longText = 50_000

const sanitized = new WeakMap<FastifyRequest, { description: string; result: Sanitized }>()

/** Sanitizes a long text in a thread before the handler begins its transaction. */
export function withSanitizedText<R extends unknown[], T>(handler: (request: FastifyRequest, reply: FastifyReply, ...record: R) => T) {
  return async (request: FastifyRequest, reply: FastifyReply, ...record: R) => {
    const description = bodyOf(request).get('description')?.replace(/\r\n?/g, '\n') ?? ''
    if (description.length > longText && !isTooComplex(description)) {
      const result = await sanitizeInThread(description, ownHosts(request.server, request))
      sanitized.set(request, { description, result })
      request.reauthorize()
    }
    return handler(request, reply, ...record)
  }
}

export function sanitizedText(request: FastifyRequest, description: string | null): Sanitized {
  const known = sanitized.get(request)
  return known && known.description === description ? known.result : sanitizeDescription(description, ownHosts(request.server, request))
}

const inTurn = oneAtATime()

function sanitizeInThread(description: string, hosts: string[]): Promise<Sanitized> {
  return inTurn(async () => {
    const workerData = { description, ownHosts: hosts }
    const [result] = await once(startThread('./sanitize-thread', import.meta.url, { workerData, maxOldGenerationSizeMb: 256 }), 'message')
    return result as Sanitized
  })
}
