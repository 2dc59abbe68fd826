import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isTooComplex, type Sanitized, sanitizeDescription } from '../../core/sanitize.ts'
import { bodyOf, ownHosts } from '../../web/http.ts'
import { oneAtATime } from '../../web/operations/one-at-a-time.ts'

/** Shorter texts take less than a slice of long work. */
const longText = 50_000

const sanitized = new WeakMap<FastifyRequest, { description: string; result: Sanitized }>()

/** Sanitizes a long text in a thread before the handler begins its transaction. */
export function withSanitizedText<T>(handler: (request: FastifyRequest, reply: FastifyReply) => T) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const description = bodyOf(request).get('description')?.replace(/\r\n?/g, '\n') ?? ''
    if (description.length > longText && !isTooComplex(description)) {
      const result = await sanitizeInThread(description, ownHosts(request.server, request))
      sanitized.set(request, { description, result })
      request.reauthorize()
    }
    return handler(request, reply)
  }
}

export function sanitizedText(request: FastifyRequest, description: string | null): Sanitized {
  const known = sanitized.get(request)
  return known && known.description === description ? known.result : sanitizeDescription(description, ownHosts(request.server, request))
}

const inTurn = oneAtATime()

const resourceLimits = { maxYoungGenerationSizeMb: 16 }

function sanitizeInThread(description: string, hosts: string[]): Promise<Sanitized> {
  return inTurn(async () => {
    const file = new URL(`./sanitize-thread${extname(import.meta.url)}`, import.meta.url)
    const [result] = await once(new Worker(file, { workerData: { description, ownHosts: hosts }, resourceLimits }), 'message')
    return result as Sanitized
  })
}
