import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Metadata, type Region } from 'sharp'
import { copyOf, folderOf, isKey } from './folder.ts'
import type { Arrived } from './store.ts'

/** The largest picture that is taken, in bytes. */
export const pictureLimit = 10 * 1024 * 1024
const pixelLimit = 50_000_000

/** The sides of an avatar in pixels: on a card, and in a list. */
export const avatarSizes = [320, 96] as const
const [large, small] = avatarSizes

/** A picture that is not taken; the message is a translation key. */
export class PictureRefused extends Error {
  readonly status: number
  readonly params: Record<string, unknown>
  constructor(status: number, message: string, params: Record<string, unknown> = {}) {
    super(message)
    this.status = status
    this.params = params
  }
}

/** Where an avatar lies in one of its sizes. */
export function avatarPath(dataDir: string, key: string, size: number): string {
  const path = join(folderOf(dataDir, key), key)
  return size === large ? path : copyOf(path, size)
}

/** Only an avatar has the smaller copy: a file of another kind is none, whatever it holds. */
export function isAvatar(dataDir: string, key: string): boolean {
  return isKey(key) && existsSync(avatarPath(dataDir, key, small))
}

// Each picture is read once, and its file goes away at once.
sharp.cache(false)

let running: Promise<unknown> = Promise.resolve()

/**
 * Turns a picture that has arrived into an avatar in its place: a square without metadata, and a smaller copy beside it.
 * @param crop what the browser cut out: `x,y,size` in pixels of the upright picture; anything else means the middle
 * @throws PictureRefused when it is too large, or no picture that we read
 */
export function makeAvatar(picture: Arrived, crop = ''): Promise<Arrived> {
  // One at a time: a picture may take some hundred megabytes while it is open.
  const avatar = running.then(() => processPicture(picture, crop))
  running = avatar.catch(() => {})
  return avatar
}

async function processPicture(picture: Arrived, crop: string): Promise<Arrived> {
  if (picture.size > pictureLimit) throw new PictureRefused(413, 'A picture may have {max} MB at most.', { max: pictureLimit / 1024 ** 2 })
  const format = formatOf(await firstBytes(picture.path))
  if (!format) throw new PictureRefused(415, 'This is not a JPEG, PNG, WebP, GIF or AVIF picture.')
  const { data, thumbnail } = await draw(picture.path, format, crop)
  await writeFile(picture.path, data, { flush: true })
  await writeFile(copyOf(picture.path, small), thumbnail, { flush: true })
  const key = createHash('sha256').update(data).digest('hex')
  return { ...picture, key, type: 'image/webp', size: data.length, copies: [small] }
}

type Format = 'jpeg' | 'png' | 'gif' | 'webp' | 'heif'

const signatures: [Format, RegExp][] = [
  ['jpeg', /^\xff\xd8\xff/],
  ['png', /^\x89PNG\r\n/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF.{4}WEBP/s],
  ['heif', /^.{4}ftyp.{0,28}avi[fs]/s],
]

/** The format by the bytes, whatever the name says: nothing else is even shown to the decoders. */
function formatOf(bytes: Buffer): Format | undefined {
  const start = bytes.toString('latin1')
  return signatures.find(([, signature]) => signature.test(start))?.[0]
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(40), 0, 40, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

async function draw(path: string, format: Format, crop: string): Promise<{ data: Buffer; thumbnail: Buffer }> {
  try {
    const picture = sharp(path, { limitInputPixels: pixelLimit, failOn: 'error' })
    const metadata = await picture.metadata()
    if (metadata.format !== format) throw new Error(`a ${metadata.format} that begins like a ${format}`)
    const data = await picture
      .autoOrient()
      .extract(squareOf(metadata, crop))
      .resize(large, large)
      .timeout({ seconds: 30 })
      .webp({ quality: 85 })
      .toBuffer()
    return { data, thumbnail: await sharp(data).resize(small, small).webp({ quality: 85 }).toBuffer() }
  } catch (error) {
    throw explain(error)
  }
}

/** What was cut out in the browser where that lies within the picture, else the largest square in its middle. */
function squareOf({ autoOrient: { width, height } }: Metadata, crop: string): Region {
  const [, left = 0, top = 0, size = 0] = (/^(\d{1,5}),(\d{1,5}),(\d{1,5})$/.exec(crop) ?? []).map(Number)
  if (size > 0 && left + size <= width && top + size <= height) return { left, top, width: size, height: size }
  const side = Math.min(width, height)
  return { left: Math.floor((width - side) / 2), top: Math.floor((height - side) / 2), width: side, height: side }
}

function explain(error: unknown): unknown {
  if (!(error instanceof Error) || 'syscall' in error) return error
  if (/pixel limit/.test(error.message))
    return new PictureRefused(413, 'A picture may have {max} megapixels at most.', { max: pixelLimit / 1_000_000 })
  return new PictureRefused(415, 'This picture is damaged and cannot be read.')
}
