import { finished } from 'node:stream/promises'
import type { Multipart, MultipartFile, MultipartValue } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../database/open.ts'
import { HttpError, type Problem } from '../http.ts'
import { makeAvatar } from './avatar.ts'
import { dailyLimit, fileLimit, formLimit } from './folder.ts'
import { makeGalleryPicture } from './gallery.ts'
import { PictureRejected } from './picture.ts'
import { discardFiles, receiveFile, recordUploads, type TemporaryFile, uploadedLastDay } from './store.ts'

const fileCount = 100
/** Milliseconds to keep reading a refused body: browsers show the response only after sending everything. */
const drainTimeout = 30_000

interface MultipartState {
  body: URLSearchParams
  files: UploadedFile[]
  pictures: UploadedFile[]
  errors: Record<string, Problem>
  textLength: number
  fileBytes: number
}

interface UploadedFile {
  name: string
  file: TemporaryFile
}

/** Reads a multipart body into the fields of an urlencoded one: `file` becomes `file[stored]` with the storage key. */
export async function readMultipart(request: FastifyRequest): Promise<Pick<MultipartState, 'body' | 'errors'>> {
  const reading: MultipartState = { body: new URLSearchParams(), files: [], pictures: [], errors: {}, textLength: 0, fileBytes: 0 }
  try {
    const { fileLimit: limit = fileLimit } = request.routeOptions.config
    // One byte more than allowed, so that the reader of the file can tell that it is too large.
    for await (const part of request.parts({ limits: { fieldSize: request.routeOptions.bodyLimit, fileSize: limit + 1 } }))
      await readPart(request, part, reading)
    if (reading.fileBytes <= formLimit) for (const sent of reading.pictures) await processPicture(request, sent, reading)
  } catch (error) {
    drainBody(request)
    await discard(reading.files)
    throw toParseError(request, error)
  }
  await checkStillAllowed(request, reading)
  await recordFiles(request, reading)
  return reading
}

/** Access may have been lost during a long upload. */
async function checkStillAllowed(request: FastifyRequest, { files }: MultipartState): Promise<void> {
  try {
    request.reauthorize()
  } catch (error) {
    await discard(files)
    throw error
  }
}

async function readPart(request: FastifyRequest, part: Multipart, reading: MultipartState): Promise<void> {
  const name = part.fieldname ?? ''
  if (part.type === 'field') readField(request, name, part, reading)
  else if (!part.filename || !takesFile(request, name)) await refuseFile(part)
  else if (reading.fileBytes > formLimit) await skipFile(name, part, reading)
  else await receive(request, name, part, reading)
}

function readField(request: FastifyRequest, name: string, { value, valueTruncated }: MultipartValue, reading: MultipartState): void {
  // The parser turns a part declared as JSON into an object, which our forms never send.
  if (typeof value !== 'string') throw new HttpError(415, 'This content type is not supported.')
  reading.textLength += name.length + value.length
  // The same limit as for an urlencoded body.
  if (valueTruncated || reading.textLength > request.routeOptions.bodyLimit) throw new HttpError(413, 'The request is too large.')
  reading.body.append(name, value)
}

async function receive(request: FastifyRequest, name: string, part: MultipartFile, reading: MultipartState): Promise<void> {
  const { filename, mimetype } = part
  const file = await receiveFile(request.server.config.dataDir, part.file, {
    name: filename,
    type: mimetype,
    limit: request.routeOptions.config.fileLimit,
  })
  const sent = { name, file }
  reading.files.push(sent)
  reading.fileBytes += file.size
  if (reading.files.length > fileCount) throw new HttpError(413, 'The request is too large.')
  if (file.size === 0) reading.errors[name] = { message: 'This file is empty.' }
  if (takesPicture(request, name)) addPicture(request, sent, reading)
}

async function skipFile(name: string, { file }: MultipartFile, { errors }: MultipartState): Promise<void> {
  errors[name] = formLimitExceeded
  await finished(file.resume())
}

const takesFile = (request: FastifyRequest, name: string) =>
  takesPicture(request, name) || request.routeOptions.config.uploads?.test(name) === true
const takesAvatar = ({ routeOptions }: FastifyRequest, name: string) => routeOptions.config.avatars?.includes(name) === true

const takesPicture = (request: FastifyRequest, name: string) =>
  takesAvatar(request, name) || request.routeOptions.config.gallery?.test(name) === true

function addPicture(request: FastifyRequest, sent: UploadedFile, { pictures }: MultipartState): void {
  const twice = takesAvatar(request, sent.name) && pictures.some(({ name }) => name === sent.name)
  if (twice) throw new HttpError(422, 'This value was sent more than once.')
  pictures.push(sent)
}

async function processPicture(request: FastifyRequest, { name, file }: UploadedFile, reading: MultipartState): Promise<void> {
  if (file.size === 0) return
  try {
    const avatar = takesAvatar(request, name)
    const made = avatar ? makeAvatar(file, reading.body.get(`${name}[crop]`) ?? '') : makeGalleryPicture(file)
    Object.assign(file, await made)
  } catch (error) {
    if (!(error instanceof PictureRejected)) throw error
    reading.errors[name] = { message: error.message, params: error.params, status: error.status }
    reading.files = reading.files.filter((sent) => sent.file !== file)
    await discardFiles([file])
  }
}

/** An empty file input sends an empty file without a name. */
async function refuseFile({ filename, file }: MultipartFile): Promise<void> {
  const refused = new HttpError(415, 'This content type is not supported.')
  if (filename) throw refused
  for await (const _ of file) throw refused
}

function storedName(fieldname: string): string {
  const at = fieldname.lastIndexOf('[file]')
  return at === -1 ? `${fieldname}[stored]` : `${fieldname.slice(0, at)}[stored]${fieldname.slice(at + '[file]'.length)}`
}

function drainBody({ raw }: FastifyRequest): void {
  raw.unpipe()
  raw.resume()
  const timer = setTimeout(() => raw.destroy(), drainTimeout).unref()
  raw.once('close', () => clearTimeout(timer))
}

function toParseError(request: FastifyRequest, error: unknown): unknown {
  if (error instanceof HttpError || !(error instanceof Error) || 'statusCode' in error || 'syscall' in error) return error
  request.log.info({ err: error }, 'broken multipart body')
  return new HttpError(400, 'The form was not received completely. Send it again.')
}

/** The form may name files only once they are recorded. */
async function recordFiles(
  { server, actor, expiredPerson }: FastifyRequest,
  { body, fileBytes, errors, files }: MultipartState,
): Promise<void> {
  const { db, config } = server
  await discard(files.filter(({ file }) => file.size === 0))
  const complete = files.filter(({ file }) => file.size > 0)
  if (complete.length === 0) return
  const userId = (expiredPerson ?? actor).id
  const problem = findLimitProblem(db, userId, fileBytes, complete)
  if (problem) return refuseFiles(complete, problem, errors)
  const temporaryFiles = complete.map(({ file }) => file)
  await recordUploads({ db, dataDir: config.dataDir }, temporaryFiles, userId)
  for (const { name, file } of complete) body.append(storedName(name), file.key)
}

const formLimitExceeded: Problem = {
  status: 413,
  message: 'Files are limited to {max} MB in total. Upload them in several batches.',
  params: { max: formLimit / 1024 ** 2 },
}

const dailyLimitExceeded: Problem = {
  status: 413,
  message: 'You can upload up to {max} GB of files per day. Upload the rest tomorrow.',
  params: { max: dailyLimit / 1024 ** 3 },
}

/** Files of rejected forms stay for a day too, so uploads are limited per person and day. */
function findLimitProblem(db: Database, userId: number, bytes: number, files: UploadedFile[]): Problem | undefined {
  if (bytes > formLimit) return formLimitExceeded
  const more = files.reduce((sum, { file }) => sum + file.size, 0)
  return uploadedLastDay(db, userId) + more > dailyLimit ? dailyLimitExceeded : undefined
}

async function refuseFiles(files: UploadedFile[], problem: Problem, errors: Record<string, Problem>): Promise<void> {
  for (const { name } of files) errors[name] = problem
  await discard(files)
}

const discard = (files: UploadedFile[]) => discardFiles(files.map(({ file }) => file))
