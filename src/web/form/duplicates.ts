import type { Entry, Field, Row, SubmittedRow } from './form.ts'

export function rejectDuplicates(entry: Entry, name: string, { unique }: Field, rows: SubmittedRow[], values: Row[]): void {
  if (!unique) return
  for (const at of findDuplicates(values.map((row) => row[unique])))
    entry.errors[`${name}.${rows[at]?.index}.${unique}`] = { message: 'Already in the list.' }
}

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
  const texts = ids.map((id, at) => entry?.typed[id] ?? rows[part]?.show(present[at]?.[part]))
  return Object.fromEntries(findDuplicates(texts).map((at) => [ids[at], warning]))
}

function findDuplicates(values: unknown[]): number[] {
  return values.flatMap((value, at) => (value && values.indexOf(value) < at ? [at] : []))
}
