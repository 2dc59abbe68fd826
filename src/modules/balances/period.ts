import { today } from '../../i18n/format.ts'

/** Days (YYYY-MM-DD), both included. */
export interface Period {
  from: string
  until: string
}

/** From `from` until `until`, or the month up to `on`, or up to today. */
export function periodOf({ on, from, until }: Partial<Record<string, string>>): Period {
  const last = until ?? (from && from > today() ? from : (on ?? today()))
  return { from: from && from <= last ? from : `${last.slice(0, 7)}-01`, until: last }
}
