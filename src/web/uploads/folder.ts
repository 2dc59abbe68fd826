import { join } from 'node:path'

/** The largest file that is taken, in bytes. */
export const fileLimit = 25 * 1024 * 1024

/** The most that the files of one form may have together, in bytes. */
export const formLimit = 100 * 1024 * 1024

/** The most that one person may send within a day, in bytes: as long as files wait for a record that names them. */
export const dailyLimit = 1024 ** 3

/** How long a file waits for a record to name it. */
export const unattachedLifetime = 24 * 3600_000

/** Whether a text can be the key of an upload: the SHA-256 of its content. */
export function isKey(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

export function filesFolder(dataDir: string): string {
  return join(dataDir, 'files')
}

/** Where files lie while they arrive. */
export function incomingFolder(dataDir: string): string {
  return join(filesFolder(dataDir), 'incoming')
}

/** The folder of a stored file; its name there is the key. */
export function folderOf(dataDir: string, key: string): string {
  return join(filesFolder(dataDir), key.slice(0, 2))
}

/** Where the copy of a picture in another size lies: beside it. */
export function copyPath(path: string, size: number): string {
  return `${path}-${size}`
}
