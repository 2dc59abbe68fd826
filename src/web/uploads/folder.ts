import { join } from 'node:path'

/** Size limit of one file in bytes. */
export const fileLimit = 25 * 1024 * 1024

/** Size limit of all files of one form in bytes. */
export const formLimit = 100 * 1024 * 1024

/** Bytes that one person may upload within a day. */
export const dailyLimit = 1024 ** 3

/** Milliseconds until an unattached file is deleted. */
export const unattachedLifetime = 24 * 3600_000

/** Whether a text can be a storage key: the SHA-256 of the content. */
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

export function copyPath(path: string, size: number): string {
  return `${path}-${size}`
}
