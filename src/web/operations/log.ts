import { randomUUID } from 'node:crypto'
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import pino from 'pino'

/** Takes the log, a line at a time, and writes at once what it has kept back where `flushSync` is called. */
export interface LogStream {
  write(line: string): unknown
  flushSync?(): void
}

const warning = 40

/**
 * How the service writes its log: lines of JSON, each with the id of its request. They hold routes and numbers, never
 * addresses, names or anything typed: whoever reads a log learns what the service did, not about whom.
 * @param stream where lines go; without it nothing is logged
 */
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

/** Where the service writes its log: routine lines together, at the latest after a second or when the process ends. */
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

/** Assets and the questions of a supervisor are asked all day. */
function isRoutine({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.access === 'public' && routeOptions.config.answers === 'file'
}

/** The address as it is declared: the real one holds ids, searches for names, and tokens. */
function serializeRoute({ method, routeOptions }: FastifyRequest) {
  return { method, route: routeOptions.url }
}

/** What programmers need of an error; other properties may hold what somebody typed, such as the recipient of a mail. */
function serializeError({ name, message, code, stack }: Error & { code?: string }) {
  return { type: name, message, code, stack: stack ?? '' }
}

const serializers = { err: serializeError, req: serializeRoute }
