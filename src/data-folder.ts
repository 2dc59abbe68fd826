import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'

/** Creates the folder if it is missing; files in it are readable by its owner only. */
export function createDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
}

/**
 * Closes a data folder to other users of the machine.
 * @returns what was done about one that was open, or what to do; nothing about one that was closed
 */
export function closeDataFolder(folder: string): string | undefined {
  const { mode, uid } = statSync(folder)
  if (process.platform === 'win32' || (mode & 0o077) === 0) return undefined
  const open = `DATA_DIR: other users could enter ${folder}`
  if (uid !== process.getuid?.() || !isOnlyOurs(folder)) return `${open}, and still can: chmod 700 ${folder}`
  try {
    chmodSync(folder, 0o700)
    return `${open}, now only its owner can`
  } catch {
    return `${open}, and still can: chmod 700 ${folder}`
  }
}

/** A folder that others use, such as /tmp, stays open to them. */
function isOnlyOurs(folder: string): boolean {
  return readdirSync(folder).every((name) => ourNames.test(name))
}

const ourNames = /^(\.?cabinet\.sqlite.*|files|session\.key.*|\.restoring|before-restore-.*|lost\+found)$/
