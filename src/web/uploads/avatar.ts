import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metadata, Region } from 'sharp'
import { copyPath, folderOf, isKey } from './folder.ts'
import { readPicture } from './picture.ts'
import type { TemporaryFile } from './store.ts'

export const avatarSizes = [320, 96] as const
const [large, small] = avatarSizes

export function avatarPath(dataDir: string, key: string, size: number): string {
  const path = join(folderOf(dataDir, key), key)
  return size === large ? path : copyPath(path, size)
}

export function isAvatar(dataDir: string, key: string): boolean {
  return isKey(key) && existsSync(avatarPath(dataDir, key, small))
}

export function makeAvatar(picture: TemporaryFile, crop = ''): Promise<TemporaryFile> {
  return readPicture(picture, async (image, metadata, sharp) => {
    const data = await image
      .autoOrient()
      .extract(squareOf(metadata, crop))
      .resize(large, large)
      .timeout({ seconds: 30 })
      .webp({ quality: 85 })
      .toBuffer()
    await writeFile(picture.path, data, { flush: true })
    const thumbnail = await sharp(data).resize(small, small).webp({ quality: 85 }).toBuffer()
    await writeFile(copyPath(picture.path, small), thumbnail, { flush: true })
    const key = createHash('sha256').update(data).digest('hex')
    return { ...picture, key, type: 'image/webp', size: data.length, copies: [small] }
  })
}

function squareOf({ autoOrient: { width, height } }: Metadata, crop: string): Region {
  const [, left = 0, top = 0, size = 0] = (/^(\d{1,5}),(\d{1,5}),(\d{1,5})$/.exec(crop) ?? []).map(Number)
  if (size > 0 && left + size <= width && top + size <= height) return { left, top, width: size, height: size }
  const side = Math.min(width, height)
  return { left: Math.floor((width - side) / 2), top: Math.floor((height - side) / 2), width: side, height: side }
}
