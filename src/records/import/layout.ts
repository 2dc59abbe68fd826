import type { SheetRow } from '../../database/index.ts'
import { HttpError } from '../../http/request/errors.ts'

/** Where the headings of a sheet are, and what its columns hold. */
export interface Layout {
  heading_first: number
  heading_last: number
  /** Null for a column without heading and content. */
  headers: (string | null)[]
  fields: (string | null)[]
  row_count: number
}

/** The field of each heading; no field twice. */
export type MatchColumns = (headers: (string | null)[]) => (string | null)[]

/** Among so many rows the headings are looked for. */
const headRows = 100

/**
 * Finds the headings of a sheet, or takes the row that somebody has chosen for them.
 * @throws HttpError when nothing is below them, or no such row is near the top
 */
export async function findLayout(pieces: AsyncIterable<SheetRow[]>, match: MatchColumns, chosen?: number): Promise<Layout> {
  const head: SheetRow[] = []
  const lastFilled = new Map<number, number>()
  let count = 0
  for await (const rows of pieces)
    for (const row of rows) {
      count += 1
      if (head.length < headRows) head.push(row)
      for (const [at, cell] of row.cells.entries()) if (cell) lastFilled.set(at, row.row)
    }
  const first = chosen === undefined ? headingAmong(head, match) : head.findIndex(({ row }) => row === chosen)
  if (first < 0) throw new HttpError(422, 'Invalid value')
  const { texts, lines } = headingAt(head, first)
  if (count <= first + lines)
    throw new HttpError(422, 'This is no table: nothing stands below a row of headings. Choose an xlsx or csv file.')
  const heading_first = (head[first] as SheetRow).row
  const heading_last = (head[first + lines - 1] as SheetRow).row
  const columns = Math.max(...lastFilled.keys()) + 1
  const isFilled = (at: number) => (lastFilled.get(at) ?? 0) > heading_last
  // Merged cells are wider than the column below them in which the values are.
  const isCovered = (at: number) => !isFilled(at) && spanAt(head[first] as SheetRow, at)?.some(isFilled)
  const isEmpty = (at: number) => (lastFilled.get(at) ?? 0) < heading_first || isCovered(at)
  const headers = Array.from({ length: columns }, (_, at) => (isEmpty(at) ? null : (texts[at] ?? '')))
  return { heading_first, heading_last, headers, fields: match(headers), row_count: count - first - lines }
}

/** The first row with two known names, else one that is known, else one that rows of its shape follow. */
function headingAmong(head: SheetRow[], match: MatchColumns): number {
  const known = head.map((_, at) => match(headingAt(head, at).texts).filter(Boolean).length)
  const filled = head.map(({ cells }) => cells.filter(Boolean).length)
  const widest = Math.max(...filled)
  const candidates = [
    known.findIndex((count) => count >= 2),
    known.findIndex((count, at) => count === 1 && (filled[at] as number) * 2 >= widest),
    filled.findIndex((count, at) => count >= 2 && (filled[at + 1] ?? 0) >= 2),
  ]
  return candidates.find((at) => at >= 0) ?? 0
}

/** The headings from a row on. A heading over several columns stands before what the lines below say of each. */
function headingAt(head: SheetRow[], at: number): { texts: string[]; lines: number } {
  const row = head[at] as SheetRow
  if (row.spans) return mergedHeading(head, at)
  const top = row.cells
  const below = head[at + 1]?.cells ?? []
  if (!isSecondLine(top, below)) return { texts: top, lines: 1 }
  let spanning = ''
  const texts = Array.from({ length: Math.max(top.length, below.length) }, (_, column) => {
    if (top[column]) spanning = top[column]
    return below[column] ? `${spanning} ${below[column]}`.trim() : (top[column] ?? '')
  })
  return { texts, lines: 2 }
}

/** No headings are merged over more rows. */
const mostLines = 5

/** As spreadsheet programs show it: what is merged stands over each of its columns and rows. */
function mergedHeading(head: SheetRow[], at: number): { texts: string[]; lines: number } {
  const row = head[at] as SheetRow
  const deepest = Math.max(...Object.values(row.spans ?? {}).map(([, rows]) => rows))
  const end = row.row + Math.min(deepest, mostLines)
  const merged = head.filter((one) => one.row >= row.row && one.row < end)
  const below = head[at + 1]
  const lines = merged.length === 1 && below && isSecondLine(row.cells, below.cells) ? [row, below] : merged
  const width = Math.max(...lines.map(({ cells }) => cells.length))
  const all = lines.map(textsOf)
  const texts = Array.from({ length: width }, (_, column) => all.flatMap((line) => line[column] || []).join(' '))
  return { texts, lines: lines.length }
}

/** The columns of merged cells. */
function spanAt({ spans = {} }: SheetRow, column: number): number[] | undefined {
  const [first, [columns] = [0]] =
    Object.entries(spans).find(([first, [columns]]) => column >= Number(first) && column < Number(first) + columns) ?? []
  return first === undefined ? undefined : Array.from({ length: columns }, (_, at) => Number(first) + at)
}

function textsOf(row: SheetRow): string[] {
  const last = Math.max(row.cells.length, ...Object.entries(row.spans ?? {}).map(([first, [columns]]) => Number(first) + columns))
  return Array.from({ length: last }, (_, at) => row.cells[spanAt(row, at)?.[0] ?? at] ?? '')
}

/** It divides a heading, says nothing of the first column, and has no number. */
function isSecondLine(top: string[], below: string[]): boolean {
  const first = top.findIndex(Boolean)
  const divides = below.some((cell, at) => cell && !top[at] && at > first)
  return first >= 0 && !below[first] && divides && !below.some((cell) => /^[\d\s.,]+$/.test(cell))
}
