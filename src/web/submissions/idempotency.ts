import { and, eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { submissions } from '../../database/schema/index.ts'

export function findSubmission({ server, actor }: FastifyRequest, body: URLSearchParams): string | undefined {
  const once = idempotencyKey(body)
  if (!once || !actor) return undefined
  const same = and(eq(submissions.user_id, actor.id), eq(submissions.once, once))
  return server.db.select().from(submissions).where(same).get()?.location
}

export function recordSubmission({ server, actor }: FastifyRequest, body: URLSearchParams, location: string): void {
  const once = idempotencyKey(body)
  if (once && actor) server.db.insert(submissions).values({ user_id: actor.id, once, location, at: Date.now() }).run()
}

function idempotencyKey(body: URLSearchParams): string | undefined {
  return body.get('once')?.slice(0, 100) || undefined
}
