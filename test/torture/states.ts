import type Sqlite from 'better-sqlite3'

interface Record {
  read: (db: Sqlite.Database) => unknown
  /** What it held, since when that was acknowledged; `Infinity` where no answer came. */
  states: { value: unknown; at: number }[]
}

/** Remembers every state that a service acknowledged, to be compared with a copy that is a little older. */
export class States {
  private readonly records = new Map<string, Record>()

  async write(about: string, read: Record['read'], value: unknown, send: () => Promise<void>): Promise<void> {
    const record = this.records.get(about) ?? { read, states: [{ value: undefined, at: 0 }] }
    this.records.set(about, record)
    const state = { value, at: Number.POSITIVE_INFINITY }
    record.states.push(state)
    await send()
    state.at = Date.now()
  }

  get acknowledged(): number {
    return [...this.records.values()].flatMap(({ states }) => states).filter(({ at }) => at > 0 && at < Number.POSITIVE_INFINITY).length
  }

  /** Records that are neither as they were at a time nor as they became later. */
  differences(db: Sqlite.Database, time: number): string[] {
    return [...this.records].flatMap(([about, record]) => {
      const { found, states } = stateIn(db, record)
      const since = record.states.findLastIndex(({ at }) => at <= time)
      const possible = record.states.slice(since).map(({ value }) => asText(value))
      if (states.some((index) => index >= since)) return []
      return [`${about}: ${found} instead of ${possible.join(' or ')}`]
    })
  }

  /** The times of what was acknowledged and is not there. */
  lost(db: Sqlite.Database): number[] {
    return [...this.records.values()].flatMap((record) => {
      const newest = stateIn(db, record).states.at(-1) ?? 0
      return record.states.slice(newest + 1).flatMap(({ at }) => (at < Number.POSITIVE_INFINITY ? [at] : []))
    })
  }
}

function stateIn(db: Sqlite.Database, { read, states }: Record) {
  const found = asText(read(db))
  return { found, states: states.flatMap(({ value }, index) => (asText(value) === found ? [index] : [])) }
}

const asText = (value: unknown) => JSON.stringify(value ?? null)
