import type Sqlite from 'better-sqlite3'

interface Entry {
  read: (db: Sqlite.Database) => unknown
  /** What the service said it has saved. */
  saved: unknown
  /** What it was asked to save and has not answered yet. */
  pending?: { value: unknown }
}

/** Remembers what a service acknowledged, to be compared with what is there after it died. */
export class Ledger {
  private readonly entries = new Map<string, Entry>()
  acknowledged = 0

  /**
   * Carries out one write and notes its answer; a service that dies meanwhile may have saved it or not.
   * @param read finds in the database what this write is about
   * @param value what it shall find then
   */
  async write(about: string, read: Entry['read'], value: unknown, send: () => Promise<void>): Promise<void> {
    const entry = this.entries.get(about) ?? { read, saved: undefined }
    this.entries.set(about, entry)
    entry.pending = { value }
    await send()
    entry.saved = value
    entry.pending = undefined
    this.acknowledged += 1
  }

  /** What was acknowledged and is not there, or is there by halves; what is there is the truth from now on. */
  verify(db: Sqlite.Database): string[] {
    return [...this.entries].flatMap(([about, entry]) => {
      const found = entry.read(db)
      const possible = [entry.saved, ...(entry.pending ? [entry.pending.value] : [])]
      const wrong = !possible.some((value) => isSame(value, found))
      const complaint = `${about}: ${JSON.stringify(found)} instead of ${possible.map((value) => JSON.stringify(value)).join(' or ')}`
      entry.saved = found
      entry.pending = undefined
      return wrong ? [complaint] : []
    })
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}
