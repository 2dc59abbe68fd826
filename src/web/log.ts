import { randomUUID } from 'node:crypto'
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'

/**
 * How the service writes its log: lines of JSON, each with the id of its request. They hold routes and numbers, never
 * addresses, names or anything typed: whoever reads a log learns what the service did, not about whom.
 * @param stream where lines go; without it nothing is logged
 */
export function logOptions(stream?: { write: (line: string) => void }) {
  return {
    logger: stream ? { level: 'info', base: undefined, stream, serializers: { err: outline, req: routeOf } } : false,
    logController: new RequestLog(),
    genReqId: () => randomUUID(),
  }
}

class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(_error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    if (reply.statusCode < 400 && isRoutine(request)) return
    request.log.info({ ...routeOf(request), status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered')
  }

  override routeNotFound(): void {}
}

/** Assets and the questions of a supervisor are asked all day. */
function isRoutine({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.access === 'public' && routeOptions.config.answers === 'file'
}

/** The address as it is declared: the real one holds ids, searches for names, and tokens. */
function routeOf({ method, routeOptions }: FastifyRequest) {
  return { method, route: routeOptions.url }
}

/** What programmers need of an error; other properties may hold what somebody typed, such as the recipient of a mail. */
function outline({ name, message, code, stack }: Error & { code?: string }) {
  return { type: name, message, code, stack: stack ?? '' }
}
