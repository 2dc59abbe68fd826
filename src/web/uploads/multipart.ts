import type { Multipart, MultipartFile, MultipartValue } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { HttpError } from '../http.ts'
import { type Arrived, discardFiles, keepFiles, receiveFile } from './store.ts'

const fileCount = 100
/** As much text as an urlencoded body may hold. */
const textLimit = 2 * 1024 * 1024
/** How long the rest of a refused body is still taken: browsers show an answer only once they could send everything. */
const patience = 30_000

interface Reading {
  body: URLSearchParams
  files: Arrived[]
  errors: Record<string, string>
  /** Characters of text so far. */
  text: number
}

/**
 * Reads a multipart body into the same fields that an urlencoded one gives: a file's part becomes the key of the stored file
 * under its name with `[stored]`. Files are recorded once the whole body has arrived, or none of them.
 */
export async function readMultipart(request: FastifyRequest): Promise<Pick<Reading, 'body' | 'errors'>> {
  const reading: Reading = { body: new URLSearchParams(), files: [], errors: {}, text: 0 }
  try {
    for await (const part of request.parts()) await readPart(request, part, reading)
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
  if (part.type === 'field') readField(name, part, reading)
  else if (request.routeOptions.config.uploads && part.filename) await readFile(request, name, part, reading)
  else await refuseFile(part)
}

function readField(name: string, { value, valueTruncated }: MultipartValue, reading: Reading): void {
  // A part that declares itself JSON comes parsed: no form of ours sends one.
  if (typeof value !== 'string') throw new HttpError(415, 'This kind of content is not accepted here.')
  reading.text += name.length + value.length
  if (valueTruncated || reading.text > textLimit) throw new HttpError(413, 'What was sent is too large.')
  reading.body.append(name, value)
}

async function readFile(
  request: FastifyRequest,
  name: string,
  { filename, mimetype, file }: MultipartFile,
  reading: Reading,
): Promise<void> {
  const arrived = await receiveFile(request.server.config.dataDir, file, { name: filename, type: mimetype })
  reading.files.push(arrived)
  if (reading.files.length > fileCount) throw new HttpError(413, 'What was sent is too large.')
  if (arrived.size > 0) reading.body.append(storedName(name), arrived.key)
  else reading.errors[name] = 'The file is empty.'
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

async function keep({ server, actor }: FastifyRequest, files: Arrived[]): Promise<void> {
  await discardFiles(files.filter((file) => file.size === 0))
  const whole = files.filter((file) => file.size > 0)
  if (whole.length > 0) await keepFiles({ db: server.db, dataDir: server.config.dataDir }, whole, actor.id)
}
