import { randomUUID } from 'node:crypto'
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'

/**
 * How the service writes its log: lines of JSON, each with the id of its request. They hold routes and numbers, never
 * addresses, names or anything typed: whoever reads a log learns what the service did, not about whom.
 * @param stream where lines go; without it nothing is logged
 */
export function logOptions(stream?: { write: (line: string) => void }) {
  return {
    logger: stream ? { level: 'info', base: undefined, stream, serializers: { err: serializeError, req: serializeRoute } } : false,
    logController: new RequestLogController(),
    genReqId: () => randomUUID(),
  }
}

/** Milliseconds that a line about an answer may wait for others. */
const flushInterval = 100

/**
 * Takes lines for a stream and writes those about answers together, once in a moment: one call of the system for hundreds of them.
 * What is worth a warning is written at once, and the rest when the process ends.
 */
export function createBufferedStream(stream: { write(lines: string): unknown }) {
  let waiting = ''
  const flush = () => {
    if (waiting) stream.write(waiting)
    waiting = ''
  }
  process.once('exit', flush)
  return {
    write(line: string) {
      if (!waiting) setTimeout(flush, flushInterval).unref()
      waiting += line
      if (!line.startsWith(routineLinePrefix)) flush()
    },
  }
}

/** How lines begin that tell of nothing unusual. */
const routineLinePrefix = '{"level":30'

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
