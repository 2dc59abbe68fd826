import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError, type Problem } from '../http.ts'
import { findReplayedBody, type ReplayedBody } from '../submissions/replay.ts'
import { fileLimit } from '../uploads/folder.ts'
import { readMultipart } from '../uploads/multipart.ts'

declare module 'fastify' {
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
  app.removeAllContentTypeParsers()
  await app.register(formbody, { parser: parse as never })
  // A part that is left out must fit in here with each piece that arrives, or the parser waits for ever.
  await app.register(multipart, { limits, fileHwm: 1024 ** 2, isPartAFile: (_field, _type, fileName) => fileName !== undefined })
  app.decorateRequest('uploadErrors')
  app.addHook('preValidation', (request, _reply, done) => {
    const replayed = findReplayedBody(request)
    if (replayed) restoreBody(request, replayed)
    else if (request.isMultipart()) return void readParts(request).then(() => done(), done)
    else request.uploadErrors = {}
    done()
  })
})

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
