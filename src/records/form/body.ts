import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError, type Problem, tooLarge } from '../../http/request/errors.ts'
import { bodyOf, parseFields } from '../../http/request/input.ts'
import type { RoutePolicy } from '../../http/request/route-policy.ts'
import { findReplayedBody, type ReplayedBody } from '../../http/submissions/pending-submissions.ts'
import { readMultipart } from '../../http/uploads/multipart.ts'

declare module 'fastify' {
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

/** Fields that say where to go next or whence somebody came, and how long they may be together. */
const addresses = { names: ['back', 'next', 'address'], length: 8000 }

/** Parses form bodies to URLSearchParams: flat names, so that no name can become an object. */
export const bodyPlugin = fp(async (app: FastifyInstance) => {
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
    limitTexts(request)
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
  }, server.timeouts.form).unref()
  for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer))
}

async function readParts(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { body, errors } = await readMultipart(request)
  request.body = body
  request.uploadErrors = errors
  limitTexts(request)
  const wait = Object.values(errors).find((problem) => problem.wait)?.wait
  if (wait) reply.header('Retry-After', String(wait))
}

function restoreBody(request: FastifyRequest, { body, uploadErrors }: ReplayedBody): void {
  request.body = new URLSearchParams(body)
  request.uploadErrors = uploadErrors
}

function parse(text: string): URLSearchParams {
  if (hasMoreFields(text)) throw tooLarge()
  return parseFields(text)
}

function hasMoreFields(text: string): boolean {
  let fields = 1
  for (let at = text.indexOf('&'); at >= 0 && fields <= fieldLimit; at = text.indexOf('&', at + 1)) fields += 1
  return fields > fieldLimit
}

/** A form that is not valid is shown again, so what that would take is limited, and not only what was sent. */
function limitTexts(request: FastifyRequest): void {
  if (!(request.body instanceof URLSearchParams)) return
  const body = bodyOf(request)
  const shown = [...body.values()].reduce((sum, value) => sum + shownLength(value), 0)
  const followed = addresses.names.flatMap((name) => body.getAll(name)).join('')
  if (shown > Math.min(request.routeOptions.bodyLimit, answerLimit) || followed.length > addresses.length) throw tooLarge()
}

const answerLimit = 1_750_000

function shownLength(text: string): number {
  let length = 0
  for (const byte of Buffer.from(text)) length += shownBytes[byte] as number
  return length
}

/** By how many bytes a page shows a byte of a text. */
const shownBytes = new Uint8Array(256).fill(1)
for (const character of '"&\'<>\\`') shownBytes[character.charCodeAt(0)] = 6
