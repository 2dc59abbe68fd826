import { type FoundText, markWords, unseenTexts } from './found-words.ts'

interface ShownColumn {
  key: string
  cell: string
  flexible: boolean
  searched: boolean
}

type CellMacro = (column: object, value: unknown, list: object, row: object, name: unknown) => { toString: () => string }
type NoteMacro = (texts: object[]) => { toString: () => string }

/** The cells of a row, each by the macro of its column: a loop in a template sets seven variables for each. */
export function cellsOf(
  list: { columns: readonly ShownColumn[]; words: readonly string[] },
  row: Record<string, unknown> & { texts?: FoundText[] },
  name: unknown,
  macros: Record<string, CellMacro> & { foundBy: NoteMacro },
  own: Record<string, CellMacro> = {},
): string {
  const cellOf = ({ key, cell }: ShownColumn) => (own[key] ?? macros[cell]) as CellMacro
  const cells = list.columns.map((column) => ({ ...column, html: String(cellOf(column)(column, row[column.key], list, row, name)) }))
  if (list.words.length > 0) markFound(cells, list.words, row.texts ?? [], macros.foundBy)
  return cells.map(({ html }) => html).join('')
}

/** What a search found is marked; what no cell shows of it is said below the first that is flexible. */
function markFound(cells: (ShownColumn & { html: string })[], words: readonly string[], texts: FoundText[], foundBy: NoteMacro): void {
  const searched = cells.filter((cell) => cell.searched)
  const unseen = unseenTexts(
    searched.map(({ html }) => html),
    words,
    texts,
  )
  for (const cell of searched) cell.html = markWords(cell.html, words)
  const below = cells.find(({ flexible }) => flexible)
  if (below && unseen.length > 0) below.html = below.html.replace(/<\/td>\s*$/, () => `${foundBy(unseen)}</td>`)
}
