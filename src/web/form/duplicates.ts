import type { Field } from './fields.ts'
import type { Entry, Row, SubmittedRow } from './form.ts'

/** Two rows that share what no two rows may share: an error at the second. */
export function rejectDuplicates(entry: Entry, name: string, { unique }: Field, rows: SubmittedRow[], values: Row[]): void {
  if (!unique) return
  for (const at of findDuplicates(values.map((row) => row[unique])))
    entry.errors[`${name}.${rows[at]?.index}.${unique}`] = { message: 'Already in the list.' }
}

/** Two rows that share what rows seldom share: a warning at the second, by the id of the field. */
export function warnAboutDuplicates(
  name: string,
  { duplicateWarning, rows = {} }: Field,
  sent: SubmittedRow[],
  present: Row[],
  entry?: Entry,
) {
  if (!duplicateWarning) return {}
  const { part, warning } = duplicateWarning
  const ids = sent.map((row) => `${name}.${row.index}.${part}`)
  const shown = ids.map((id, at) => entry?.typed[id] ?? rows[part]?.show(present[at]?.[part]))
  return Object.fromEntries(findDuplicates(shown).map((at) => [ids[at], warning]))
}

/** The places of values that stand further up already; empty ones are nobody's twin. */
function findDuplicates(values: unknown[]): number[] {
  return values.flatMap((value, at) => (value && values.indexOf(value) < at ? [at] : []))
}
