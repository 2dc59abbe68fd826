/** What a template's macro of a cell is given, besides the value. */
interface Cell {
  key: string
  column: CellColumn
  list: CellList
  row: CellRow
  /** What the row is called. */
  name: unknown
  /** Of the search, to be marked in it. */
  words: readonly string[]
  title: string | undefined
  href: string | undefined
  notes: readonly object[]
  /** What the search found in the row that no column shows. */
  foundBy: readonly object[] | undefined
  /** That the value is all there is to show. */
  isBare: boolean
}

interface CellColumn {
  key: string
  /** The macro of its cells. */
  cell: string
  opens?: boolean
  narrows?: object
  notesFound: boolean
}

export interface CellList {
  columns: readonly CellColumn[]
  words: readonly string[]
}

export interface CellRow {
  [key: string]: unknown
  titles?: Record<string, string | undefined>
  hrefs?: Record<string, string | undefined>
  notes?: Record<string, readonly object[]>
  foundBy?: readonly object[]
}

export type CellMacros = Record<string, (cell: Cell, value: unknown) => { toString: () => string }>

/** The cells of a row, each by the macro of its column or of its kind: a loop in a template sets seven variables for each. */
export function renderCells(list: CellList, row: CellRow, name: unknown, macros: CellMacros, own: CellMacros = {}): string {
  return list.columns.map((column) => macroOf(column)(viewOfCell(list, row, name, column), row[column.key])).join('')

  function macroOf({ key, cell }: CellColumn) {
    return (own[key] ?? macros[cell]) as CellMacros[string]
  }
}

const none: readonly object[] = []

function viewOfCell(list: CellList, row: CellRow, name: unknown, column: CellColumn): Cell {
  const { key } = column
  const [title, href, notes = none] = [row.titles?.[key], row.hrefs?.[key], row.notes?.[key]]
  const isBare = !(column.opens || column.narrows || href || notes.length > 0)
  const foundBy = column.notesFound && row.foundBy?.length ? row.foundBy : undefined
  return { key, column, list, row, name, words: list.words, title, href, notes, foundBy, isBare }
}
