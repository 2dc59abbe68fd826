import { finished } from 'node:stream/promises'
import type { Multipart, MultipartFile, MultipartValue } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { reauthorize } from '../access/policy-hook.ts'
import type { Context } from '../request/context.ts'
import { HttpError, type Problem, tooLarge } from '../request/errors.ts'
import type { Person } from '../request/person.ts'
import { dailyLimit, fileLimit, type PictureKind } from './folder.ts'
import { makeAvatar, makeGalleryPicture } from './picture.ts'
import { isProgram } from './program.ts'
import { UploadQuota } from './quota.ts'
import { discardFiles, receiveFile, recordUploads, type TemporaryFile, uploadedLastDay } from './store.ts'

const formLimit = 100 * 1024 * 1024

const fileCount = 100
const drainTimeout = 30_000

interface MultipartForm {
  body: URLSearchParams
  files: UploadedFile[]
  quota: UploadQuota
  errors: Record<string, Problem>
  textLength: number
  fileBytes: number
}

interface UploadedFile {
  name: string
  kind: PictureKind | 'file'
  file: TemporaryFile
}

/** Reads a multipart body into the fields of an urlencoded one: `file` becomes `file[stored]` with the storage key. */
export async function readMultipart(request: FastifyRequest): Promise<Pick<MultipartForm, 'body' | 'errors'>> {
  const sender: Person | undefined = request.signIn.expiredPerson ?? request.actor
  // Who is nobody yet sends forms without files.
  const quota = new UploadQuota(request.server.db, sender?.id ?? 0)
  const form: MultipartForm = { body: new URLSearchParams(), files: [], quota, errors: {}, textLength: 0, fileBytes: 0 }
  try {
    await receiveForm(request, form)
    await recordFiles(request, form)
    return form
  } finally {
    quota.release()
  }
}

async function receiveForm(request: FastifyRequest, form: MultipartForm): Promise<void> {
  try {
    await readParts(request, form)
    // Access may have been lost during a long upload.
    reauthorize(request)
  } catch (error) {
    await discard(form.files)
    throw error
  }
}

async function readParts(request: FastifyRequest, form: MultipartForm): Promise<void> {
  const { config, bodyLimit } = request.routeOptions
  try {
    // One byte more than allowed, so that the reader of the file can tell that it is too large.
    const limits = { fieldSize: bodyLimit, fileSize: (config.fileLimit ?? fileLimit) + 1 }
    for await (const part of request.parts({ limits })) await readPart(request, part, form)
    if (form.fileBytes <= formLimit) for (const sent of form.files) await processPicture(sent, form)
  } catch (error) {
    drainBody(request)
    throw toParseError(request, error)
  }
}

async function readPart(request: FastifyRequest, part: Multipart, form: MultipartForm): Promise<void> {
  const name = part.fieldname ?? ''
  if (part.type === 'field') return readField(request, name, part, form)
  const kind = kindOf(request, name)
  if (!part.filename || !kind) return refuseFile(part)
  if (form.fileBytes <= formLimit) return receive(request, name, kind, part, form)
  form.errors[name] = formLimitExceeded
  await finished(part.file.resume())
}

function readField(request: FastifyRequest, name: string, { value, valueTruncated }: MultipartValue, form: MultipartForm): void {
  // The parser turns a part declared as JSON into an object, which our forms never send.
  if (typeof value !== 'string') throw new HttpError(415, 'This kind of data cannot be read here. Nothing was saved.')
  form.textLength += name.length + value.length
  if (valueTruncated || form.textLength > request.routeOptions.bodyLimit) throw tooLarge()
  form.body.append(name, value)
}

function kindOf({ routeOptions }: FastifyRequest, name: string): UploadedFile['kind'] | undefined {
  const { avatars, gallery, uploads } = routeOptions.config
  if (avatars?.includes(name)) return 'avatar'
  if (gallery?.test(name)) return 'gallery'
  return uploads?.test(name) ? 'file' : undefined
}

async function receive(
  { server, routeOptions }: FastifyRequest,
  name: string,
  kind: UploadedFile['kind'],
  part: MultipartFile,
  form: MultipartForm,
): Promise<void> {
  if (kind === 'avatar' && form.files.some((sent) => sent.name === name)) throw new HttpError(422, 'This value was sent more than once.')
  const described = { name: part.filename, type: part.mimetype, limit: routeOptions.config.fileLimit }
  const file = await receiveFile(server.config.dataDir, form.quota.within(part.file), described)
  if (form.quota.isExceeded) {
    form.errors[name] = form.quota.problem()
    return discardFiles([file])
  }
  if (kind === 'file' && (await isProgram(file))) {
    form.errors[name] = programRefused
    return discardFiles([file])
  }
  form.files.push({ name, kind, file })
  form.fileBytes += file.size
  if (form.files.length > fileCount) throw tooLarge()
  if (file.size === 0) form.errors[name] = { message: 'This file is empty.' }
}

const programRefused: Problem = {
  status: 415,
  message: 'Programs and scripts cannot be attached. Choose a document, picture, drawing, or archive.',
}

/** An empty file input sends an empty file without a name. */
async function refuseFile({ filename, file }: MultipartFile): Promise<void> {
  const refused = new HttpError(415, 'This kind of data cannot be read here. Nothing was saved.')
  if (filename) throw refused
  for await (const _ of file) throw refused
}

async function processPicture({ name, kind, file }: UploadedFile, form: MultipartForm): Promise<void> {
  if (kind === 'file' || file.size === 0) return
  const { userId: sender } = form.quota
  try {
    Object.assign(
      file,
      kind === 'avatar' ? await makeAvatar(file, sender, form.body.get(`${name}[crop]`) ?? '') : await makeGalleryPicture(file, sender),
    )
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    const { status, message, params } = error
    form.errors[name] = { status, message, params }
    form.files = form.files.filter((sent) => sent.file !== file)
    await discardFiles([file])
  }
}

function drainBody({ raw }: FastifyRequest): void {
  raw.unpipe()
  raw.resume()
  const timer = setTimeout(() => raw.destroy(), drainTimeout).unref()
  raw.once('close', () => clearTimeout(timer))
}

function toParseError(context: Context, error: unknown): unknown {
  if (error instanceof HttpError || !(error instanceof Error) || 'statusCode' in error || 'syscall' in error) return error
  context.log.info({ err: error }, 'broken multipart body')
  return new HttpError(400, 'The form was not received completely. Send it again.')
}

/** The form may name files only once they are recorded. */
async function recordFiles(
  { server, actor, signIn: { expiredPerson } }: FastifyRequest,
  { body, fileBytes, errors, files, quota }: MultipartForm,
) {
  await discard(files.filter(({ file }) => file.size === 0))
  const complete = files.filter(({ file }) => file.size > 0)
  if (complete.length === 0) return
  const userId = (expiredPerson ?? actor).id
  const newBytes = complete.reduce((sum, { file }) => sum + file.size, 0)
  if (fileBytes > formLimit) return refuse(complete, formLimitExceeded, errors)
  // Files of rejected forms stay for a day too, so uploads are limited per person and day.
  if (uploadedLastDay(server.db, userId) + newBytes > dailyLimit) return refuse(complete, quota.problem(), errors)
  const temporaryFiles = complete.map(({ file }) => file)
  await recordUploads({ db: server.db, dataDir: server.config.dataDir }, temporaryFiles, userId)
  for (const { name, file } of complete) body.append(storedName(name), file.key)
}

const formLimitExceeded: Problem = {
  status: 413,
  message: 'Files are limited to {max} MB in total. Upload them in several batches.',
  params: { max: formLimit / 1024 ** 2 },
}

async function refuse(files: UploadedFile[], problem: Problem, errors: MultipartForm['errors']): Promise<void> {
  for (const { name } of files) errors[name] = problem
  await discard(files)
}

/** The name under which a file input keeps what is stored: `files[0][file]` is beside `files[0][stored]`. */
export function storedName(input: string): string {
  return input.endsWith('[file]') ? input.replace(/file\]$/, 'stored]') : `${input}[stored]`
}

const discard = (files: UploadedFile[]) => discardFiles(files.map(({ file }) => file))
