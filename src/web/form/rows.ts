import { HttpError } from '../http.ts'
import {
  type Entry,
  type Field,
  type Fields,
  type Form,
  type FormState,
  holdsFiles,
  type ImagesField,
  isRepeater,
  isSearched,
  kindOf,
  type RepeaterField,
  type Row,
  type SubmittedRow,
} from './form.ts'
import { readValue, type SubmittedForm } from './read-value.ts'

export const rowLimit = 200

/** A row that a form shows, with what it held before. */
export interface ShownRow extends SubmittedRow {
  stored: Row
}

/** The rows that a form shows: as they were sent, or else as they are stored. */
export function shownRows(name: string, field: RepeaterField, state: FormState, entry?: Entry): ShownRow[] {
  const stored = ((state.stored[name] ?? []) as Row[]).map((row) => ({ key: keyText(row[field.key]), stored: row }))
  const sent = entry?.rows[name]
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

/** Rows left out are deleted only when the bare name marks the list complete: a truncated body deletes nothing. */
export function readRows(entry: Entry, name: string, field: RepeaterField<Fields>, state: FormState, sent: SubmittedForm): void {
  const marked = sent.body.has(name)
  const inputs = inputsOfRows(sent.body, name)
  const rows = [...inputs].map(([index, row]) => submittedRow(index, row, field, state.rows?.[name]?.initial))
  if (!marked && rows.length === 0) return
  entry.rows[name] = rows
  const stored = (state.stored[name] ?? []) as Row[]
  const filled = rows.filter(({ blank }) => !blank)
  const values = filled.map((row, at) => {
    const free = field.key === 'id' ? stored.filter(({ id }) => !filled.slice(0, at).some(({ key }) => key === String(id))) : stored
    const body = inputs.get(row.index) as URLSearchParams
    return readRow(entry, `${name}.${row.index}`, row, field, free, state, { ...sent, body })
  })
  const remaining = marked ? [] : stored.filter((old) => !rows.some((row) => row.key === String(old[field.key])))
  entry.values[name] = [...remaining, ...values]
  if (remaining.length + rows.length > rowLimit) addTooManyError(entry, name)
  rejectDuplicates(entry, name, field, filled, values)
}

function addTooManyError(entry: Entry, name: string): void {
  entry.errors[name] = tooManyLines
}

/** @throws HttpError 422 when a form has as many rows as it may have */
export function requireRoomForRow(rows: number): void {
  if (rows >= rowLimit) throw new HttpError(422, tooManyLines.message, tooManyLines.params)
}

export const tooManyLines = { message: 'Up to {max} lines.', params: { max: rowLimit } }
const tooManyRows = () => new HttpError(413, tooManyLines.message, tooManyLines.params)

/**
 * The inputs of each row of a repeater, by the index that they name.
 * @throws HttpError 413 with more rows than any form has, before anything is done with them
 */
export function inputsOfRows(body: Iterable<[name: string, text: string]>, name: string): Map<string, URLSearchParams> {
  const pattern = new RegExp(`^${name}\\[(\\d{1,4})\\]\\[\\w+\\](?:\\[\\]|_search)?$`)
  const rows = new Map<string, URLSearchParams>()
  for (const [input, text] of body) {
    const index = pattern.exec(input)?.[1]
    if (index === undefined) continue
    const row = rows.get(index) ?? new URLSearchParams()
    row.append(input, text)
    rows.set(index, row)
    if (rows.size > rowLimit) throw tooManyRows()
  }
  return rows
}

function submittedRow(index: string, inputs: URLSearchParams, field: RepeaterField, initial: Row = {}): SubmittedRow {
  const identity = field.key === 'file' ? 'stored' : 'id'
  const row: SubmittedRow = { index, ...(field.ignoresBlank && { blank: true }) }
  for (const [input, text] of inputs) {
    const part = /\[(\w+)\](?:\[\]|_search)?$/.exec(input)?.[1] as string
    if (part === identity) row.key = text || undefined
    if (text.trim() !== '' && text.trim() !== String(initial[part] ?? '')) row.blank = false
  }
  return row
}

function readRow(
  entry: Entry,
  id: string,
  row: SubmittedRow,
  field: RepeaterField<Fields>,
  stored: Row[],
  state: FormState,
  sent: SubmittedForm,
): Row {
  const before = stored.find((old) => String(old[field.key]) === row.key)
  const [name, index] = id.split('.')
  const values: Row = { ...(field.key === 'id' && before && { id: before.id }) }
  for (const [part, rowField] of Object.entries(field.rows)) {
    if (kindOf(rowField).readOnly) {
      if (before && part in before) values[part] = before[part]
      continue
    }
    const fieldId = `${id}.${part}`
    const names = { id: fieldId, input: `${name}[${index}][${part}]`, stored: `${name}[${index}][stored]` }
    if (isSearched(rowField)) entry.typed[`${fieldId}_search`] = sent.body.get(`${names.input}_search`) ?? ''
    const value = readValue(entry, rowField, names, before?.[part], state.choices[`${name}.${part}`], sent)
    values[part] = value === undefined ? (before?.[part] ?? kindOf(rowField).initial ?? null) : value
    // A value may stay empty when something else emptied it, such as the deletion of its category.
    const needed = rowField.required && !state.states?.[`${name}.${part}`]
    const lacks = needed && values[part] === null && before?.[part] !== null
    if (lacks && !entry.errors[fieldId]) entry.errors[fieldId] = { message: 'Required' }
  }
  if (field.key === 'id' && row.key && !before)
    entry.errors[`${id}.${Object.keys(field.rows)[0]}`] = { message: 'This line no longer exists.' }
  return values
}

/** @returns nothing where no button of a row was pressed, else what is to be said of that */
export function changeRows(entry: Entry, form: Form, body: URLSearchParams): Entry['errors'] | undefined {
  const pressed = (button: string) => {
    const [name = '', index] = (body.get(button) ?? '').split('.')
    const field = Object.hasOwn(form.fields, name) ? form.fields[name] : undefined
    return { name, rows: field && isList(field) ? (entry.rows[name] ??= []) : undefined, index }
  }
  const [added, removed, raised] = [pressed('_add'), pressed('_remove'), pressed('_up')]
  const isFull = added.rows?.length === rowLimit
  if (!isFull) added.rows?.push({ index: String(nextIndex(added.rows)) })
  if (removed.rows) removeRow(removed.rows, removed.index)
  if (raised.rows) moveRowUp(raised.rows, raised.index)
  if (!['_add', '_remove', '_up', '_find'].some((button) => body.has(button))) return undefined
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

export function rejectDuplicates(entry: Entry, name: string, { unique }: RepeaterField, rows: SubmittedRow[], values: Row[]): void {
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

/** Reads images in the submitted order: `images[0][stored]` names a stored one, `images[stored]` a new one. */
export function readImages(entry: Entry, name: string, field: ImagesField, state: FormState, sent: SubmittedForm): void {
  const keys = submittedKeys(name, sent.body)
  if (keys.length > rowLimit) throw tooManyRows()
  const problem = problemOf(name, sent)
  const marked = sent.body.has(name)
  if (!marked && keys.length === 0 && !problem) return
  const stored = (state.stored[name] ?? []) as string[]
  const known = keys.filter((key) => stored.includes(key) || sent.uploaded(key, field))
  const left = marked ? [] : stored.filter((key) => !keys.includes(key))
  const images = [...left, ...known]
  const max = field.max ?? 0
  entry.rows[name] = images.map((key, index) => ({ index: String(index), key }))
  entry.values[name] = images
  if (problem) entry.errors[name] = problem
  else if (known.length < keys.length) entry.errors[name] = { message: 'File not found. Choose it again.' }
  else if (images.length > max) entry.errors[name] = { message: 'Up to {max} images.', params: { max } }
}

function submittedKeys(name: string, body: URLSearchParams): string[] {
  const places = new Map<string, string>()
  let added = 0
  for (const [input, key] of body) {
    if (!input.startsWith(`${name}[`)) continue
    const index = /^\[(\d{1,4})\]\[stored\]$/.exec(input.slice(name.length))?.[1]
    if (index !== undefined) places.set(index, key)
    else if (input === `${name}[stored]`) places.set(`new ${added++}`, key)
  }
  return [...new Set([...places.values()].filter(Boolean))]
}

function problemOf(name: string, { uploadErrors }: SubmittedForm) {
  return Object.entries(uploadErrors).find(([input]) => input.startsWith(`${name}[`))?.[1]
}
