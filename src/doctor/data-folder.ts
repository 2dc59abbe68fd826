import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const gigabyte = 1024 ** 3

/** @throws Error when the folder is missing, not writable, or readable by other users of the machine */
export function checkDataFolder(dataDir: string): string {
  if (!existsSync(dataDir)) throw new Error(`${dataDir} does not exist: start the service once, or correct DATA_DIR`)
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    throw new Error(`${dataDir} is not writable by this user: run this as the user of the service, or change its owner`)
  }
  const others = statSync(dataDir).mode & 0o077
  if (others && process.platform !== 'win32') throw new Error(`other users can enter ${dataDir}: chmod 700 ${dataDir}`)
  return dataDir
}

/** @throws Error when neither a gigabyte nor room for another copy of the database is left */
export function checkDiskSpace(dataDir: string): string {
  const { bavail, bsize } = statfsSync(existsSync(dataDir) ? dataDir : dirname(dataDir))
  const free = bavail * bsize
  const file = join(dataDir, 'cabinet.sqlite')
  const needed = Math.max(gigabyte, existsSync(file) ? statSync(file).size * 2 : 0)
  const text = `${(free / gigabyte).toFixed(1)} GB free`
  if (free < needed) throw new Error(`${text}, ${(needed / gigabyte).toFixed(1)} GB are needed for a migration: free disk space`)
  return text
}
