import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { copyPath, folderOf, isKey } from './folder.ts'

export const pictureSizes = { avatar: [320, 96], gallery: [1920, 480] } as const

export type PictureKind = keyof typeof pictureSizes

export function isPicture(dataDir: string, kind: PictureKind, key: string): boolean {
  return isKey(key) && existsSync(copyPath(join(folderOf(dataDir, key), key), pictureSizes[kind][1]))
}

export function findPicture(dataDir: string, kind: PictureKind, key: string, size: string): string | undefined {
  const found = pictureSizes[kind].find((one) => String(one) === size)
  if (!found || !isPicture(dataDir, kind, key)) return undefined
  const path = join(folderOf(dataDir, key), key)
  return found === pictureSizes[kind][0] ? path : copyPath(path, found)
}
