export const rowLimit = 10_000
const columnLimit = 200
const cellLimit = 5_000
const textMegabytes = 20
/** Bytes of all texts of a sheet. */
export const textLimit = textMegabytes * 1024 ** 2

/** Why a sheet cannot be imported: a text of ours with its parameters. */
export class SheetProblem extends Error {
  readonly params: Record<string, number>
  constructor(message: string, params: Record<string, number> = {}) {
    super(message)
    this.params = params
  }
}

export const unreadable = () => new SheetProblem('This file cannot be read. Save it as xlsx or csv.')
export const tooLarge = () =>
  new SheetProblem('This sheet is too large. Import up to {limit} MB of text at a time.', { limit: textMegabytes })
export const tooManyRows = () => new SheetProblem('Import up to {limit} rows at a time.', { limit: rowLimit })
export const noRows = () => new SheetProblem('The sheet has no rows.')

export function checkColumn(column: number): void {
  if (column >= columnLimit) throw new SheetProblem('Import up to {limit} columns at a time.', { limit: columnLimit })
}

export function checkCells(cells: string[]): void {
  checkColumn(cells.length - 1)
  if (cells.some((cell) => cell.length > cellLimit))
    throw new SheetProblem('A cell can have up to {limit} characters.', { limit: cellLimit })
}
