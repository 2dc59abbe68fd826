import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const fileLimit = 25 * 1024 * 1024

export const dailyLimit = 1024 ** 3

export const unattachedLifetime = 24 * 3600_000

export function isKey(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

export function filesFolder(dataDir: string): string {
  return join(dataDir, 'files')
}

export function incomingFolder(dataDir: string): string {
  return join(filesFolder(dataDir), 'incoming')
}

export function folderOf(dataDir: string, key: string): string {
  return join(filesFolder(dataDir), key.slice(0, 2))
}

/** The file of a key. */
export function storedPath(dataDir: string, key: string): string {
  return join(folderOf(dataDir, key), key)
}

export function copyPath(path: string, size: number): string {
  return `${path}-${size}`
}

export const pictureSizes = { avatar: [320, 96], gallery: [1920, 480] } as const

export type PictureKind = keyof typeof pictureSizes

export function isPicture(dataDir: string, kind: PictureKind, key: string): boolean {
  return isKey(key) && existsSync(copyPath(storedPath(dataDir, key), pictureSizes[kind][1]))
}

export function findPicture(dataDir: string, kind: PictureKind, key: string, size: string): string | undefined {
  const found = pictureSizes[kind].find((one) => String(one) === size)
  if (!found || !isPicture(dataDir, kind, key)) return undefined
  const path = storedPath(dataDir, key)
  return found === pictureSizes[kind][0] ? path : copyPath(path, found)
}
