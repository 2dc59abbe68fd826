export type UnavailableReason = 'busy' | 'full'

const diskFullCodes = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'])

export function storageUnavailableReason(error: unknown): UnavailableReason | undefined {
  if (!(error instanceof Error)) return undefined
  // Drizzle wraps the errors of SQLite.
  const code = String((error as { code?: unknown }).code ?? (error.cause as { code?: unknown } | undefined)?.code)
  if (/^(?:SQLITE_(?:BUSY|LOCKED)|PASSWORDS_BUSY)/.test(code)) return 'busy'
  return diskFullCodes.has(code) ? 'full' : undefined
}

/** For writes that only refresh a cache: when storage is unavailable, the request goes on without them. */
export function bestEffort(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!storageUnavailableReason(error)) throw error
  }
}
