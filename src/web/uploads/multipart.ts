import { finished } from 'node:stream/promises'
import type { Multipart, MultipartFile, MultipartValue } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../database/open.ts'
import { HttpError, type Problem } from '../http.ts'
import { makeAvatar } from './avatar.ts'
import { dailyLimit, formLimit } from './folder.ts'
import { makeGalleryPicture } from './gallery.ts'
import { PictureRejected } from './picture.ts'
import { discardFiles, receiveFile, recordUploads, type TemporaryFile, uploadedLastDay } from './store.ts'

const fileCount = 100
/** How long the rest of a refused body is still taken: browsers show an answer only once they could send everything. */
const drainTimeout = 30_000

interface MultipartState {
  body: URLSearchParams
  files: UploadedFile[]
  /** Those of the files that shall become pictures. */
  pictures: UploadedFile[]
  errors: Record<string, Problem>
  /** Characters of text so far. */
  textLength: number
  /** Bytes of files so far. */
  fileBytes: number
}

/** A file that has arrived, and the name of its input. */
interface UploadedFile {
  name: string
  file: TemporaryFile
}

/**
 * Reads a multipart body into the same fields that an urlencoded one gives: a file's part becomes the key of the stored file
 * under its name with `[stored]`, a picture's that of the avatar it was made into. Files are recorded once the whole body has
 * arrived, or none of them; of those that are too much the form says so, with everything else that was typed.
 */
export async function readMultipart(request: FastifyRequest): Promise<Pick<MultipartState, 'body' | 'errors'>> {
  const reading: MultipartState = { body: new URLSearchParams(), files: [], pictures: [], errors: {}, textLength: 0, fileBytes: 0 }
  try {
    for await (const part of request.parts({ limits: { fieldSize: request.routeOptions.bodyLimit } }))
      await readPart(request, part, reading)
    // The numbers of the crop may come after the picture.
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

/** Nothing is kept for somebody who was shut out while it arrived. */
async function checkStillAllowed(request: FastifyRequest, { files }: MultipartState): Promise<void> {
  try {
    request.reauthorize()
  } catch (error) {
    await discard(files)
    throw error
  }
}

async function readPart(request: FastifyRequest, part: Multipart, reading: MultipartState): Promise<void> {
  // A part may lack a name, whatever its type says.
  const name = part.fieldname ?? ''
  if (part.type === 'field') readField(request, name, part, reading)
  else if (!part.filename || !takesFile(request, name)) await refuseFile(part)
  else if (reading.fileBytes > formLimit) await skipFile(name, part, reading)
  else await receive(request, name, part, reading)
}

function readField(request: FastifyRequest, name: string, { value, valueTruncated }: MultipartValue, reading: MultipartState): void {
  // A part that declares itself JSON comes parsed: no form of ours sends one.
  if (typeof value !== 'string') throw new HttpError(415, 'This content type is not supported.')
  reading.textLength += name.length + value.length
  // As much text as an urlencoded body may hold.
  if (valueTruncated || reading.textLength > request.routeOptions.bodyLimit) throw new HttpError(413, 'The request is too large.')
  reading.body.append(name, value)
}

async function receive(request: FastifyRequest, name: string, part: MultipartFile, reading: MultipartState): Promise<void> {
  const { filename, mimetype } = part
  const file = await receiveFile(request.server.config.dataDir, part.file, { name: filename, type: mimetype })
  const sent = { name, file }
  reading.files.push(sent)
  reading.fileBytes += file.size
  if (reading.files.length > fileCount) throw new HttpError(413, 'The request is too large.')
  if (file.size === 0) reading.errors[name] = { message: 'This file is empty.' }
  if (takesPicture(request, name)) addPicture(request, sent, reading)
}

/** Nothing of it is written down: too much has arrived already. */
async function skipFile(name: string, { file }: MultipartFile, { errors }: MultipartState): Promise<void> {
  errors[name] = formLimitExceeded
  await finished(file.resume())
}

const takesFile = (request: FastifyRequest, name: string) =>
  takesPicture(request, name) || request.routeOptions.config.uploads?.test(name) === true
const takesAvatar = ({ routeOptions }: FastifyRequest, name: string) => routeOptions.config.avatars?.includes(name) === true

/** `images[file]`, and `images[0][file]` for the one that stood there. */
function takesPicture(request: FastifyRequest, name: string): boolean {
  const { gallery } = request.routeOptions.config
  return (
    takesAvatar(request, name) ||
    (gallery !== undefined && name.startsWith(gallery) && /^(?:\[\d+\])?\[file\]$/.test(name.slice(gallery.length)))
  )
}

function addPicture(request: FastifyRequest, sent: UploadedFile, { pictures }: MultipartState): void {
  const twice = takesAvatar(request, sent.name) && pictures.some(({ name }) => name === sent.name)
  if (twice) throw new HttpError(422, 'This value was sent more than once.')
  pictures.push(sent)
}

/** What was made of it takes the picture's place; a picture that is refused goes, and the form says why. */
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

/** An input in which nothing was chosen sends an empty file without a name, which is no file. */
async function refuseFile({ filename, file }: MultipartFile): Promise<void> {
  const refused = new HttpError(415, 'This content type is not supported.')
  if (filename) throw refused
  for await (const _ of file) throw refused
}

/** `files[0][file]` is kept as `files[0][stored]`, `invoice` as `invoice[stored]`. */
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

/** What the parser cannot read is the sender's fault; what the disk cannot take is ours. */
function toParseError(request: FastifyRequest, error: unknown): unknown {
  if (error instanceof HttpError || !(error instanceof Error) || 'statusCode' in error || 'syscall' in error) return error
  request.log.info({ err: error }, 'broken multipart body')
  return new HttpError(400, 'The form was not fully received. Send it again.')
}

/** The form names the files only once they are recorded. */
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

/** A form that is refused keeps its files for a day: nobody may fill the disk with them. */
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
