import { HttpError } from '../../http/request/errors.ts'
import type { RepeaterField } from '../fields/index.ts'
import { rowLimit } from '../fields/kind.ts'
import type { Row, SubmittedRow } from './form.ts'

export const tooManyLines = { message: 'Up to {max} lines.', params: { max: rowLimit } }
export const tooManyRows = () => new HttpError(413, tooManyLines.message, tooManyLines.params)

/** The input of a place: `items[0][price]` of `items.0.price`. */
export function inputName(place: string): string {
  const [name, ...parts] = place.split('.')
  return name + parts.map((part) => `[${part}]`).join('')
}

/**
 * The inputs of each row of a repeater, by the index that they name.
 * @throws HttpError 413 with more rows than any form has, before anything is done with them
 */
export function inputsOfRows(body: Iterable<[name: string, text: string]>, name: string): Map<string, URLSearchParams> {
  const pattern = new RegExp(`^${name}\\[(\\d{1,4})\\]\\[\\w+\\](?:\\[\\]|\\[stored\\]|_search)?$`)
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

export function submittedRow(index: string, inputs: URLSearchParams, field: RepeaterField, initial: Row = {}): SubmittedRow {
  const identity = field.key === 'file' ? 'stored' : 'id'
  const row: SubmittedRow = { index, ...(field.ignoresBlank && { blank: true }) }
  for (const [input, text] of inputs) {
    const part = /^\w+\[\d+\]\[(\w+)\]/.exec(input)?.[1] as string
    if (part === identity) row.key = text || undefined
    if (!isInitial(text, initial[part])) row.blank = false
  }
  return row
}

/** Whether a text of a row is what new rows begin with, if anything. */
export function isInitial(text: string, initial: unknown): boolean {
  return text.trim() === '' || text.trim() === String(initial ?? '')
}

/** Images in the submitted order: `images[0][stored]` names a stored one, `images[stored]` a new one. */
export function submittedKeys(name: string, body: URLSearchParams): string[] {
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
