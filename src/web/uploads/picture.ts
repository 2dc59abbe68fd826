import { open } from 'node:fs/promises'
import type sharp from 'sharp'
import type { Metadata, Sharp } from 'sharp'
import type { TemporaryFile } from './store.ts'

export const pictureLimit = 10 * 1024 * 1024
const pixelLimit = 50_000_000

export class PictureRejected extends Error {
  readonly status: number
  readonly params: Record<string, unknown>
  constructor(status: number, message: string, params: Record<string, unknown> = {}) {
    super(message)
    this.status = status
    this.params = params
  }
}

/** Loaded on first use: most processes never see a picture. */
async function loadSharp(): Promise<typeof sharp> {
  const { default: library } = await import('sharp')
  // Each file is read once and then deleted, so caching would only keep it open.
  library.cache(false)
  return library
}

type PictureTransform<T> = (image: Sharp, metadata: Metadata, library: typeof sharp) => Promise<T>

let queue: Promise<unknown> = Promise.resolve()

/** Decodes a temporary picture by its content, whatever its name says. */
export function readPicture<T>(picture: TemporaryFile, transform: PictureTransform<T>): Promise<T> {
  // One at a time: an open picture may take hundreds of megabytes.
  const transformed = queue.then(() => openPicture(picture, transform))
  queue = transformed.catch(() => {})
  return transformed
}

async function openPicture<T>({ path, size }: TemporaryFile, transform: PictureTransform<T>): Promise<T> {
  if (size > pictureLimit) throw new PictureRejected(413, 'Images are limited to {max} MB.', { max: pictureLimit / 1024 ** 2 })
  const format = formatOf(await firstBytes(path))
  if (!format) throw new PictureRejected(415, 'Use a JPEG, PNG, WebP, GIF, or AVIF image.')
  try {
    const library = await loadSharp()
    const image = library(path, { limitInputPixels: pixelLimit, failOn: 'error' })
    const metadata = await image.metadata()
    if (metadata.format !== format) throw new Error(`a ${metadata.format} that begins like a ${format}`)
    return await transform(image, metadata, library)
  } catch (error) {
    throw toPictureError(error)
  }
}

type Format = 'jpeg' | 'png' | 'gif' | 'webp' | 'heif'

const signatures: [Format, RegExp][] = [
  ['jpeg', /^\xff\xd8\xff/],
  ['png', /^\x89PNG\r\n/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF.{4}WEBP/s],
  ['heif', /^.{4}ftyp.{0,28}avi[fs]/s],
]

/** By magic bytes, so that no other format reaches a decoder. */
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

function toPictureError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof PictureRejected || 'syscall' in error) return error
  if (/pixel limit/.test(error.message))
    return new PictureRejected(413, 'Images are limited to {max} megapixels.', { max: pixelLimit / 1_000_000 })
  return new PictureRejected(415, 'This image is damaged.')
}
