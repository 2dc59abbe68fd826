/** What keeps a write from being taken although nothing is wrong with it: somebody else writes for long, or the disk is full. */
export type Trouble = 'busy' | 'full'

const full = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'])

export function troubleOf(error: unknown): Trouble | undefined {
  if (!(error instanceof Error)) return undefined
  // Drizzle wraps what SQLite said.
  const code = String((error as { code?: unknown }).code ?? (error.cause as { code?: unknown } | undefined)?.code)
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy'
  return full.has(code) ? 'full' : undefined
}

/** A write that only keeps something up to date for later: while it cannot be taken, reading goes on without it. */
export function ifPossible(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!troubleOf(error)) throw error
  }
}
