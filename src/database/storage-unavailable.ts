/** What keeps a write from being taken although nothing is wrong with it: somebody else writes for long, too many passwords wait to be hashed, or the disk is full. */
export type UnavailableReason = 'busy' | 'full'

const diskFullCodes = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'])

export function storageUnavailableReason(error: unknown): UnavailableReason | undefined {
  if (!(error instanceof Error)) return undefined
  // Drizzle wraps what SQLite said.
  const code = String((error as { code?: unknown }).code ?? (error.cause as { code?: unknown } | undefined)?.code)
  if (/^(?:SQLITE_(?:BUSY|LOCKED)|PASSWORDS_BUSY)/.test(code)) return 'busy'
  return diskFullCodes.has(code) ? 'full' : undefined
}

/** A write that only keeps something up to date for later: while it cannot be taken, reading goes on without it. */
export function bestEffort(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!storageUnavailableReason(error)) throw error
  }
}
