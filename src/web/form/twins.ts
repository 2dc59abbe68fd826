import type { Field } from './fields.ts'
import type { Entry, Row, SentRow } from './form.ts'

/** Two rows that share what no two rows may share: an error at the second. */
export function refuseTwins(entry: Entry, name: string, { unique }: Field, rows: SentRow[], values: Row[]): void {
  if (!unique) return
  for (const at of twins(values.map((row) => row[unique])))
    entry.errors[`${name}.${rows[at]?.index}.${unique}`] = { message: 'This is in the list already.' }
}

/** Two rows that share what rows seldom share: a warning at the second, by the id of the field. */
export function doubtTwins(name: string, { rarelyTwice, rows = {} }: Field, sent: SentRow[], present: Row[], entry?: Entry) {
  if (!rarelyTwice) return {}
  const { part, doubt } = rarelyTwice
  const ids = sent.map((row) => `${name}.${row.index}.${part}`)
  const shown = ids.map((id, at) => entry?.typed[id] ?? rows[part]?.show(present[at]?.[part]))
  return Object.fromEntries(twins(shown).map((at) => [ids[at], doubt]))
}

/** The places of values that stand further up already; empty ones are nobody's twin. */
function twins(values: unknown[]): number[] {
  return values.flatMap((value, at) => (value && values.indexOf(value) < at ? [at] : []))
}
