import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import fp from 'fastify-plugin'
import type { RoutePolicy } from '../app-types.ts'
import { HttpError, type Problem } from '../http.ts'
import { findReplayedBody, type ReplayedBody } from '../submissions/pending-submissions.ts'
import { readMultipart } from '../uploads/multipart.ts'

declare module 'fastify' {
  interface FastifyInstance {
    formTimeout: number
  }
  interface FastifyRequest {
    uploadErrors: Record<string, Problem>
  }
}

/** An order has up to 200 lines. */
const fieldLimit = 6000

const limits = {
  fields: fieldLimit,
  fieldSize: 1_150_000,
  // Empty file inputs are parts too; the reader limits how many files count.
  files: 300,
  parts: fieldLimit + 300,
}

/** Parses form bodies to URLSearchParams: flat names, so that no name can become an object. */
export const bodyPlugin = fp(async (app: FastifyInstance) => {
  app.decorate('formTimeout', 60_000)
  app.removeAllContentTypeParsers()
  await app.register(formbody, { parser: parse as never })
  // A skipped part must fit into this buffer, or the parser waits forever.
  await app.register(multipart, { limits, fileHwm: 1024 ** 2, isPartAFile: (_field, _type, fileName) => fileName !== undefined })
  app.decorateRequest('uploadErrors')
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (hasBody(request) && !takesFiles(request.routeOptions.config)) limitArrival(request, reply, payload)
    done(null, payload)
  })
  app.addHook('preValidation', (request, reply, done) => {
    const replayed = findReplayedBody(request)
    if (replayed) restoreBody(request, replayed)
    else if (request.isMultipart()) return void readParts(request, reply).then(() => done(), done)
    else request.uploadErrors = {}
    done()
  })
})

const hasBody = ({ headers }: FastifyRequest) => headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

const takesFiles = ({ uploads, avatars, gallery }: RoutePolicy) => Boolean(uploads ?? avatars ?? gallery)

function limitArrival(request: FastifyRequest, reply: FastifyReply, payload: RequestPayload): void {
  const { raw, server } = request
  const timer = setTimeout(() => {
    if (raw.destroyed || raw.complete) return
    if (request.isMultipart() || payload.listenerCount('error') === 0) return raw.destroy()
    reply.header('Connection', 'close')
    payload.emit('error', new HttpError(408, 'Sending the form took too long. Send it again.'))
  }, server.formTimeout).unref()
  for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer))
}

async function readParts(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { body, errors } = await readMultipart(request)
  request.body = body
  request.uploadErrors = errors
  const wait = Object.values(errors).find((problem) => problem.wait)?.wait
  if (wait) reply.header('Retry-After', String(wait))
}

function restoreBody(request: FastifyRequest, { body, uploadErrors }: ReplayedBody): void {
  request.body = new URLSearchParams(body)
  request.uploadErrors = uploadErrors
}

function parse(text: string): URLSearchParams {
  const body = new URLSearchParams(text)
  if (body.size > fieldLimit) throw new HttpError(413, 'The request is too large.')
  return body
}
