import type { Multipart, MultipartFile, MultipartValue } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { Problem } from '../form/form.ts'
import { HttpError } from '../http.ts'
import { makeAvatar } from './avatar.ts'
import { makeGalleryPicture } from './gallery.ts'
import { PictureRefused } from './picture.ts'
import { type Arrived, discardFiles, keepFiles, receiveFile } from './store.ts'

const fileCount = 100
/** How long the rest of a refused body is still taken: browsers show an answer only once they could send everything. */
const patience = 30_000

interface Reading {
  body: URLSearchParams
  files: Arrived[]
  /** Those of the files that shall become pictures, with the name of their input. */
  pictures: { name: string; picture: Arrived }[]
  errors: Record<string, Problem>
  /** Characters of text so far. */
  text: number
}

/**
 * Reads a multipart body into the same fields that an urlencoded one gives: a file's part becomes the key of the stored file
 * under its name with `[stored]`, a picture's that of the avatar it was made into. Files are recorded once the whole body has
 * arrived, or none of them.
 */
export async function readMultipart(request: FastifyRequest): Promise<Pick<Reading, 'body' | 'errors'>> {
  const reading: Reading = { body: new URLSearchParams(), files: [], pictures: [], errors: {}, text: 0 }
  try {
    for await (const part of request.parts({ limits: { fieldSize: request.routeOptions.bodyLimit } }))
      await readPart(request, part, reading)
    // The numbers of the crop may come after the picture.
    for (const { name, picture } of reading.pictures) await takePicture(request, name, picture, reading)
  } catch (error) {
    discardRest(request)
    await discardFiles(reading.files)
    throw explain(request, error)
  }
  await keep(request, reading.files)
  return reading
}

async function readPart(request: FastifyRequest, part: Multipart, reading: Reading): Promise<void> {
  // A part may lack a name, whatever its type says.
  const name = part.fieldname ?? ''
  if (part.type === 'field') readField(request, name, part, reading)
  else if (part.filename && takesPicture(request, name)) await readPicture(request, name, part, reading)
  else if (part.filename && request.routeOptions.config.uploads) await readFile(request, name, part, reading)
  else await refuseFile(part)
}

function readField(request: FastifyRequest, name: string, { value, valueTruncated }: MultipartValue, reading: Reading): void {
  // A part that declares itself JSON comes parsed: no form of ours sends one.
  if (typeof value !== 'string') throw new HttpError(415, 'This kind of content is not accepted here.')
  reading.text += name.length + value.length
  // As much text as an urlencoded body may hold.
  if (valueTruncated || reading.text > request.routeOptions.bodyLimit) throw new HttpError(413, 'What was sent is too large.')
  reading.body.append(name, value)
}

async function readFile(request: FastifyRequest, name: string, part: MultipartFile, reading: Reading): Promise<void> {
  const arrived = await receive(request, name, part, reading)
  if (arrived.size > 0) reading.body.append(storedName(name), arrived.key)
}

async function receive(request: FastifyRequest, name: string, { filename, mimetype, file }: MultipartFile, reading: Reading) {
  const arrived = await receiveFile(request.server.config.dataDir, file, { name: filename, type: mimetype })
  reading.files.push(arrived)
  if (reading.files.length > fileCount) throw new HttpError(413, 'What was sent is too large.')
  if (arrived.size === 0) reading.errors[name] = { message: 'The file is empty.' }
  return arrived
}

const takesAvatar = ({ routeOptions }: FastifyRequest, name: string) => routeOptions.config.avatars?.includes(name) === true

/** `images[file]`, and `images[0][file]` for the one that stood there. */
function takesPicture(request: FastifyRequest, name: string): boolean {
  const { gallery } = request.routeOptions.config
  return (
    takesAvatar(request, name) ||
    (gallery !== undefined && name.startsWith(gallery) && /^(?:\[\d+\])?\[file\]$/.test(name.slice(gallery.length)))
  )
}

async function readPicture(request: FastifyRequest, name: string, part: MultipartFile, reading: Reading): Promise<void> {
  const twice = takesAvatar(request, name) && reading.pictures.some((one) => one.name === name)
  if (twice) throw new HttpError(422, 'This was sent more than once.')
  reading.pictures.push({ name, picture: await receive(request, name, part, reading) })
}

/** What was made of it takes the picture's place; a picture that is refused goes, and the form says why. */
async function takePicture(request: FastifyRequest, name: string, picture: Arrived, reading: Reading): Promise<void> {
  if (picture.size === 0) return
  try {
    const avatar = takesAvatar(request, name)
    const made = avatar ? makeAvatar(picture, reading.body.get(`${name}[crop]`) ?? '') : makeGalleryPicture(picture)
    Object.assign(picture, await made)
    reading.body.append(storedName(name), picture.key)
  } catch (error) {
    if (!(error instanceof PictureRefused)) throw error
    reading.errors[name] = { message: error.message, params: error.params, status: error.status }
    reading.files = reading.files.filter((file) => file !== picture)
    await discardFiles([picture])
  }
}

/** An input in which nothing was chosen sends an empty file without a name, which is no file. */
async function refuseFile({ filename, file }: MultipartFile): Promise<void> {
  const refused = new HttpError(415, 'This kind of content is not accepted here.')
  if (filename) throw refused
  for await (const _ of file) throw refused
}

/** `files[0][file]` is kept as `files[0][stored]`, `invoice` as `invoice[stored]`. */
function storedName(fieldname: string): string {
  const at = fieldname.lastIndexOf('[file]')
  return at === -1 ? `${fieldname}[stored]` : `${fieldname.slice(0, at)}[stored]${fieldname.slice(at + '[file]'.length)}`
}

function discardRest({ raw }: FastifyRequest): void {
  raw.unpipe()
  raw.resume()
  const timer = setTimeout(() => raw.destroy(), patience).unref()
  raw.once('close', () => clearTimeout(timer))
}

/** What the parser cannot read is the sender's fault; what the disk cannot take is ours. */
function explain(request: FastifyRequest, error: unknown): unknown {
  if (error instanceof HttpError || !(error instanceof Error) || 'statusCode' in error || 'syscall' in error) return error
  request.log.info({ err: error }, 'broken multipart body')
  return new HttpError(400, 'The form did not arrive completely. Please send it again.')
}

async function keep({ server, actor, lapsed }: FastifyRequest, files: Arrived[]): Promise<void> {
  await discardFiles(files.filter((file) => file.size === 0))
  const whole = files.filter((file) => file.size > 0)
  if (whole.length > 0) await keepFiles({ db: server.db, dataDir: server.config.dataDir }, whole, (lapsed ?? actor).id)
}
