import type { SentTexts } from '../../http/submissions/idempotency.ts'
import {
  type Field,
  type Fields,
  holdsFiles,
  type ImagesField,
  isRepeater,
  kindOf,
  missingProblem,
  type RepeaterField,
} from '../fields/index.ts'
import { rowLimit } from '../fields/kind.ts'
import type { Entry, Form, FormState, Row, SubmittedRow } from './form.ts'
import { tooManyLines, tooManyRows } from './inputs.ts'
import { partName, readValue } from './read-value.ts'
import type { Sent, SentRows } from './sent.ts'

/** A row that a form shows, with what it held before. */
export interface ShownRow extends SubmittedRow {
  stored: Row
}

/** The rows that a form shows: as they were sent, or else as they are stored. */
export function repeaterRows(name: string, field: RepeaterField, state: FormState, entry?: Entry): ShownRow[] {
  const stored = ((state.stored[name] ?? []) as Row[]).map((row) => ({ key: keyText(row[field.key]), stored: row }))
  const sent = entry?.rows[name]
  if (!sent && stored.length === 0 && state.mode === 'create' && state.rows?.[name]) return [{ index: '0', stored: newRow(name, state) }]
  if (!sent) return stored.map((row, index) => ({ index: String(index), ...row }))
  return sent.map((row) => ({ ...row, stored: stored.find(({ key }) => key === row.key)?.stored ?? newRow(name, state) }))
}

function keyText(key: unknown): string | undefined {
  return key === null || key === undefined ? undefined : String(key)
}

export const newRow = (name: string, { rows }: FormState): Row => rows?.[name]?.initial ?? {}

/** What an input shows: what was typed into it, or else what is stored. */
export function shownText(id: string, field: Field, stored: unknown, entry?: Entry): string {
  return entry?.typed[id] ?? kindOf(field).show(stored, field)
}

export function readRepeater(entry: Entry, name: string, field: RepeaterField<Fields>, state: FormState, sent: Sent): void {
  const said = sent.rows(name, field, state.rows?.[name]?.initial)
  if (!said) return
  const { complete, rows, problem } = said
  if (problem) {
    entry.errors[name] = problem
    return
  }
  entry.rows[name] = rows.map(({ sent: _, ...row }) => row)
  const stored = (state.stored[name] ?? []) as Row[]
  const filled = rows.filter(({ blank }) => !blank)
  const values = filled.map((row, at) => {
    const free = field.key === 'id' ? stored.filter(({ id }) => !filled.slice(0, at).some(({ key }) => key === String(id))) : stored
    return readRow(entry, `${name}.${row.index}`, row, field, free, state)
  })
  const remaining = complete ? [] : stored.filter((old) => !rows.some((row) => row.key === String(old[field.key])))
  entry.values[name] = [...remaining, ...values]
  if (remaining.length + rows.length > rowLimit) entry.errors[name] = tooManyLines
  rejectDuplicates(entry, name, field, filled, values)
}

function readRow(
  entry: Entry,
  id: string,
  { key, sent }: SentRows['rows'][number],
  field: RepeaterField<Fields>,
  stored: Row[],
  state: FormState,
): Row {
  const before = stored.find((old) => String(old[field.key]) === key)
  const values: Row = { ...(field.key === 'id' && before && { id: before.id }) }
  for (const [part, rowField] of Object.entries(field.rows)) {
    if (kindOf(rowField).readOnly) {
      if (before && part in before) values[part] = before[part]
      continue
    }
    const place = `${id}.${part}`
    const value = readValue(entry, place, rowField, before?.[part], state, sent)
    values[part] = value === undefined ? (before?.[part] ?? kindOf(rowField).initial ?? null) : value
    // A value may stay empty when something else emptied it, such as the deletion of its category.
    const needed = rowField.required && !state.states?.[partName(place)]
    const lacks = needed && values[part] === null && before?.[part] !== null
    if (lacks && !entry.errors[place]) entry.errors[place] = missingProblem(rowField)
  }
  if (field.key === 'id' && key && !before) entry.errors[`${id}.${Object.keys(field.rows)[0]}`] = { message: 'This line no longer exists.' }
  return values
}

/** @returns nothing where no button of a row was pressed, else what is to be said of that */
export function changeRows(entry: Entry, form: Form, texts: SentTexts): Entry['errors'] | undefined {
  const pressed = (button: string) => {
    const [name = '', index] = (texts.get(button) ?? '').split('.')
    const field = Object.hasOwn(form.fields, name) ? form.fields[name] : undefined
    return { name, rows: field && isList(field) ? (entry.rows[name] ??= []) : undefined, index }
  }
  const [added, removed, raised] = [pressed('_add'), pressed('_remove'), pressed('_up')]
  const isFull = added.rows?.length === rowLimit
  if (!isFull) added.rows?.push({ index: String(nextIndex(added.rows)) })
  if (removed.rows) removeRow(removed.rows, removed.index)
  if (raised.rows) moveRowUp(raised.rows, raised.index)
  if (!['_add', '_remove', '_up', '_find'].some((button) => typeof texts.get(button) === 'string')) return undefined
  return isFull ? { [added.name]: tooManyLines } : {}
}

/** Whether buttons add to it, take from it and move what is in it. */
function isList(field: Field): boolean {
  return isRepeater(field) || holdsFiles(field)
}

export function nextIndex(rows: SubmittedRow[]): number {
  return Math.max(-1, ...rows.map((row) => Number(row.index))) + 1
}

function removeRow(rows: SubmittedRow[], index: string | undefined): void {
  const at = rows.findIndex((row) => row.index === index)
  if (at >= 0) rows.splice(at, 1)
}

function moveRowUp(rows: SubmittedRow[], index: string | undefined): void {
  const at = rows.findIndex((row) => row.index === index)
  if (at > 0) rows.splice(at - 1, 2, rows[at] as SubmittedRow, rows[at - 1] as SubmittedRow)
}

function rejectDuplicates(entry: Entry, name: string, { unique }: RepeaterField, rows: SubmittedRow[], values: Row[]): void {
  if (!unique) return
  for (const at of findDuplicates(values.map((row) => row[unique])))
    entry.errors[`${name}.${rows[at]?.index}.${unique}`] = { message: 'Already in the list.' }
}

export function warnAboutDuplicates(name: string, { duplicateWarning, rows }: RepeaterField<Fields>, shown: ShownRow[], entry?: Entry) {
  if (!duplicateWarning) return {}
  const { part, warning } = duplicateWarning
  const ids = shown.map(({ index }) => `${name}.${index}.${part}`)
  const texts = shown.map(({ stored }, at) => shownText(ids[at] as string, rows[part] as Field, stored[part], entry))
  return Object.fromEntries(findDuplicates(texts).map((at) => [ids[at], warning]))
}

function findDuplicates(values: unknown[]): number[] {
  return values.flatMap((value, at) => (value && values.indexOf(value) < at ? [at] : []))
}

export function readImages(entry: Entry, name: string, field: ImagesField, state: FormState, sent: Sent): void {
  const said = sent.images?.(name, field)
  if (!said) return
  const { complete, keys, problem } = said
  if (keys.length > rowLimit) throw tooManyRows()
  const stored = (state.stored[name] ?? []) as string[]
  const known = keys.filter((key) => stored.includes(key) || sent.uploaded(key, field))
  const left = complete ? [] : stored.filter((key) => !keys.includes(key))
  const images = [...left, ...known]
  entry.rows[name] = images.map((key, index) => ({ index: String(index), key }))
  entry.values[name] = images
  if (problem) entry.errors[name] = problem
  else if (known.length < keys.length) entry.errors[name] = { message: 'File not found. Choose it again.' }
  else if (images.length > field.max) entry.errors[name] = { message: 'Up to {max} images.', params: { max: field.max } }
}
