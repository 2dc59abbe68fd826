import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError, type Problem, type RoutePolicy } from '../http.ts'
import { findReplayedBody, type ReplayedBody } from '../submissions/replay.ts'
import { fileLimit } from '../uploads/folder.ts'
import { readMultipart } from '../uploads/multipart.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** How long a form without files may take to arrive, in milliseconds. */
    formTimeout: number
  }
  interface FastifyRequest {
    /** What is wrong with files that were sent, by the name of their input. */
    uploadErrors: Record<string, Problem>
  }
}

const fieldLimit = 2000

const limits = {
  fields: fieldLimit,
  fieldSize: 1_150_000,
  // One byte more than is taken: whoever stores the file sees at once that it is too large.
  fileSize: fileLimit + 1,
  // An input in which nothing was chosen is a part too; how many files count is up to the reader.
  files: 300,
  parts: fieldLimit + 300,
}

/** Form bodies become URLSearchParams: names stay flat and repeated ones are kept, so that no name can mean more than a text. */
export const bodyPlugin = fp(async (app: FastifyInstance) => {
  app.decorate('formTimeout', 60_000)
  app.removeAllContentTypeParsers()
  await app.register(formbody, { parser: parse as never })
  // A part that is left out must fit in here with each piece that arrives, or the parser waits for ever.
  await app.register(multipart, { limits, fileHwm: 1024 ** 2, isPartAFile: (_field, _type, fileName) => fileName !== undefined })
  app.decorateRequest('uploadErrors')
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!takesFiles(request.routeOptions.config)) limitArrival(request, reply, payload)
    done(null, payload)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const replayed = findReplayedBody(request)
    if (replayed) restoreBody(request, replayed)
    else if (request.isMultipart()) return void readParts(request).then(() => done(), done)
    else request.uploadErrors = {}
    done()
  })
})

const takesFiles = ({ uploads, avatars, gallery }: RoutePolicy) => Boolean(uploads ?? avatars ?? gallery)

/** A form without files that is still not there gets an answer and the end of its connection. */
function limitArrival(request: FastifyRequest, reply: FastifyReply, payload: RequestPayload): void {
  const { raw, server } = request
  const timer = setTimeout(() => {
    // Whoever sends parts in an address that takes no files is no form of ours.
    if (request.isMultipart()) return raw.destroy()
    reply.header('Connection', 'close')
    payload.emit('error', new HttpError(408, 'The form took too long to arrive. Send it again.'))
  }, server.formTimeout).unref()
  for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer))
}

async function readParts(request: FastifyRequest): Promise<void> {
  const { body, errors } = await readMultipart(request)
  request.body = body
  request.uploadErrors = errors
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
