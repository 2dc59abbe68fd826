import { once } from 'node:events'
import type { FastifyRequest } from 'fastify'
import { mutex } from '../../concurrency/mutex.ts'
import { startThread } from '../../concurrency/thread.ts'
import { isTooComplex, type Sanitized, sanitizeDescription } from '../../core/sanitize.ts'
import { ownHosts } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import type { Sent } from '../../records/form/sent.ts'

/** Shorter texts take less than a slice of long work. */
const longText = 50_000

/** What a request has sent, sanitized beforehand, and the hosts that count as this service for it. */
const prepared = new WeakMap<Context, { hosts: string[]; description?: string; result?: Sanitized }>()

/** Sanitizes a long text in a thread before the transaction. */
export async function sanitizeSent(request: FastifyRequest, _: unknown, { texts }: Sent): Promise<void> {
  const description = texts.get('description')?.replace(/\r\n?/g, '\n') ?? ''
  const hosts = ownHosts(request.server, request)
  prepared.set(request, { hosts })
  if (description.length > longText && !isTooComplex(description))
    prepared.set(request, { hosts, description, result: await sanitizeInThread(description, hosts) })
}

export function sanitizedText(context: Context, description: string | null): Sanitized {
  const { hosts = ownHosts(context.server), description: known, result } = prepared.get(context) ?? {}
  return result && known === description ? result : sanitizeDescription(description, hosts)
}

const exclusively = mutex()

function sanitizeInThread(description: string, hosts: string[]): Promise<Sanitized> {
  return exclusively(async () => {
    const workerData = { description, ownHosts: hosts }
    const [result] = await once(startThread('modules/news/sanitize-thread', { workerData, maxOldGenerationSizeMb: 256 }), 'message')
    return result as Sanitized
  })
}
