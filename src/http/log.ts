import { randomUUID } from 'node:crypto'
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import pino from 'pino'

export interface LogStream {
  write(line: string): unknown
  flushSync?(): void
}

const warning = 40

/** Routes and numbers only, never addresses, names or input, so that a log reveals nothing about people. */
export function logOptions(stream?: LogStream) {
  return {
    logger: stream ? { level: 'info', base: undefined, stream, serializers, hooks: { logMethod: writeWarningsAtOnce(stream) } } : false,
    logController: new RequestLogController(),
    genReqId: () => randomUUID(),
  }
}

function writeWarningsAtOnce(stream: LogStream) {
  return function (this: pino.Logger, args: Parameters<pino.LogFn>, method: pino.LogFn, level: number): void {
    method.apply(this, args)
    if (level >= warning) stream.flushSync?.()
  }
}

export function createLogDestination(file: number): LogStream {
  return pino.destination({ dest: file, sync: false, minLength: 4096, periodicFlush: 1_000 })
}

class RequestLogController extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(_error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    if (reply.statusCode < 400 && isRoutine(request)) return
    request.log.info({ ...serializeRoute(request), status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered')
  }

  override routeNotFound(): void {}
}

function isRoutine({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.access === 'public' && routeOptions.config.answers === 'file'
}

/** The declared route, as the real address holds ids, searches and tokens. */
function serializeRoute({ method, routeOptions }: FastifyRequest) {
  return { method, route: routeOptions.url }
}

/** Other properties may hold input, such as the recipient of an email. */
function serializeError({ name, message, code, stack }: Error & { code?: string }) {
  return { type: name, message, code, stack: stack ?? '' }
}

const serializers = { err: serializeError, req: serializeRoute }
