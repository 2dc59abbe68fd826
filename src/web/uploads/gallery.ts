import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyPath, folderOf, isKey } from './folder.ts'
import { PictureRejected, readPicture } from './picture.ts'
import type { TemporaryFile } from './store.ts'

export const gallerySizes = [1920, 480] as const
const [large, small] = gallerySizes

export function galleryPath(dataDir: string, key: string, size: number): string {
  const path = join(folderOf(dataDir, key), key)
  return size === large ? path : copyPath(path, size)
}

export function isGalleryPicture(dataDir: string, key: string): boolean {
  return isKey(key) && existsSync(galleryPath(dataDir, key, small))
}

const fitInside = (side: number) => ({ width: side, height: side, fit: 'inside' as const, withoutEnlargement: true })

/**
 * Replaces a temporary picture with one for readers: upright, without metadata, scaled down, animated if it was; and a smaller still
 * copy.
 */
export function makeGalleryPicture(picture: TemporaryFile): Promise<TemporaryFile> {
  return readPicture(picture, async (image, { pages = 1 }, sharp) => {
    if (pages > frameLimit) throw new PictureRejected(415, 'Images are limited to {max} frames.', { max: frameLimit })
    const upright = pages > 1 ? sharp(picture.path, { animated: true, limitInputPixels: animatedPixelLimit }) : image.autoOrient()
    const data = await upright.resize(fitInside(large)).timeout({ seconds: 60 }).webp({ quality: 85 }).toBuffer()
    const thumbnail = await sharp(data).resize(fitInside(small)).webp({ quality: 80 }).toBuffer()
    await writeFile(picture.path, data, { flush: true })
    await writeFile(copyPath(picture.path, small), thumbnail, { flush: true })
    const key = createHash('sha256').update(data).digest('hex')
    return { ...picture, key, type: 'image/webp', size: data.length, copies: [small] }
  })
}

// All frames together: the size of one frame does not limit the memory an animation takes.
const animatedPixelLimit = 50_000_000
const frameLimit = 500
