import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type sharp from 'sharp'
import type { Metadata, Region, Sharp } from 'sharp'
import { mutex, mutexes } from '../../concurrency/mutex.ts'
import { HttpError } from '../request/errors.ts'
import { fileTypeOf } from './file-type.ts'
import { copyPath, pictureSizes } from './folder.ts'
import type { TemporaryFile } from './store.ts'

export const pictureLimit = 10 * 1024 * 1024
/** Of all frames together: the size of one frame does not limit the memory an animation takes. */
const pixelLimit = 50_000_000
const frameLimit = 500

export function makeAvatar(picture: TemporaryFile, sender: number, crop = ''): Promise<TemporaryFile> {
  const [large, small] = pictureSizes.avatar
  return remake(picture, sender, small, (image, metadata) => image.autoOrient().extract(squareOf(metadata, crop)).resize(large, large))
}

export function makeGalleryPicture(picture: TemporaryFile, sender: number): Promise<TemporaryFile> {
  const [large, small] = pictureSizes.gallery
  return remake(picture, sender, small, (image, { pages = 1 }, library) => {
    if (pages > frameLimit) throw new HttpError(415, 'Images are limited to {max} frames.', { max: frameLimit })
    const upright = pages > 1 ? library(picture.path, { animated: true, limitInputPixels: pixelLimit }) : image.autoOrient()
    return upright.resize(fitInside(large))
  })
}

const fitInside = (side: number) => ({ width: side, height: side, fit: 'inside' as const, withoutEnlargement: true })

function squareOf({ autoOrient: { width, height } }: Metadata, crop: string): Region {
  const [, left = 0, top = 0, size = 0] = (/^(\d{1,5}),(\d{1,5}),(\d{1,5})$/.exec(crop) ?? []).map(Number)
  if (size > 0 && left + size <= width && top + size <= height) return { left, top, width: size, height: size }
  const side = Math.min(width, height)
  return { left: Math.floor((width - side) / 2), top: Math.floor((height - side) / 2), width: side, height: side }
}

type Transform = (image: Sharp, metadata: Metadata, library: typeof sharp) => Sharp

/** An open picture may take hundreds of megabytes. */
const exclusively = mutex()

/** A small file can take seconds: of each person one picture at a time stands in the queue of all. */
const ownTurn = mutexes<number>()

function remake(picture: TemporaryFile, sender: number, copySize: number, transform: Transform): Promise<TemporaryFile> {
  return ownTurn(sender, () => exclusively(() => openPicture(picture, copySize, transform)))
}

const formats: Record<string, string> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'heif',
}

async function openPicture(picture: TemporaryFile, copySize: number, transform: Transform): Promise<TemporaryFile> {
  const { path, size } = picture
  if (size > pictureLimit) throw new HttpError(413, 'Images are limited to {max} MB.', { max: pictureLimit / 1024 ** 2 })
  const format = formats[(await fileTypeOf(path)) ?? '']
  if (!format) throw new HttpError(415, 'Use a JPEG, PNG, WebP, GIF, or AVIF image.')
  try {
    const library = await loadSharp()
    const image = library(path, { limitInputPixels: pixelLimit, failOn: 'error' })
    const metadata = await image.metadata()
    if (metadata.format !== format) throw new Error(`a ${metadata.format} that begins like a ${format}`)
    const data = await transform(image, metadata, library).timeout({ seconds: 60 }).webp({ quality: 85 }).toBuffer()
    const copy = await library(data).resize(fitInside(copySize)).webp({ quality: 80 }).toBuffer()
    await writeFile(path, data, { flush: true })
    await writeFile(copyPath(path, copySize), copy, { flush: true })
    const key = createHash('sha256').update(data).digest('hex')
    return { ...picture, key, type: 'image/webp', size: data.length, copies: [copySize] }
  } catch (error) {
    throw toPictureError(error)
  }
}

/** Loaded on first use: most processes never see a picture. */
async function loadSharp(): Promise<typeof sharp> {
  const { default: library } = await import('sharp')
  // Each file is read once and then deleted, so caching would only keep it open. Every thread takes memory of its own.
  library.cache(false)
  library.concurrency(1)
  return library
}

function toPictureError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof HttpError || 'syscall' in error) return error
  if (/pixel limit/.test(error.message))
    return new HttpError(413, 'Images are limited to {max} megapixels.', { max: pixelLimit / 1_000_000 })
  return new HttpError(415, 'This image is damaged.')
}
