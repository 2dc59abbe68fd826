import { HttpError } from '../../http/request/errors.ts'
import { rowLimit } from '../fields/kind.ts'

export const tooManyLines = { message: 'Up to {max} lines.', params: { max: rowLimit } }
export const tooManyRows = () => new HttpError(413, tooManyLines.message, tooManyLines.params)

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

/** Whether a text of a row is what new rows begin with, if anything. */
export function isInitial(text: string, initial: unknown): boolean {
  return text.trim() === '' || text.trim() === String(initial ?? '')
}
