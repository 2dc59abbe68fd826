import type { FastifyReply, FastifyRequest, RouteShorthandOptionsWithHandler } from 'fastify'
import type { Rule } from '../../core/access.ts'
import type { FindRecord, RoutePolicy } from '../request/route-policy.ts'

interface RecordPolicy<R> extends RoutePolicy {
  access: Rule<NoInfer<R>>
  record: FindRecord<R>
}

export type RecordHandler<R> = (request: FastifyRequest, reply: FastifyReply, record: R) => unknown

/**
 * The options of a route whose address names a record: the policy hook loads the record and authorizes the request for it, and the
 * handler gets it with the type that its finder promises.
 */
export function onRecord<R>(policy: RecordPolicy<R>, handler: RecordHandler<NoInfer<R>>): RouteShorthandOptionsWithHandler {
  return { ...policy, handler: (request, reply) => handler(request, reply, request.record as R) }
}
