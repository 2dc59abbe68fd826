export const sheetRowLimit = 10_000
const columnLimit = 200
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

/** What was read holds no table: it may be something else than it is called. */
export class NoTable extends SheetProblem {}

export const noRows = () => new NoTable('This is no table: nothing stands below a row of headings. Choose an xlsx or csv file.')
export const unreadable = () => new NoTable('This file cannot be read. Save it as xlsx or csv.')
export const tooLarge = () =>
  new SheetProblem('This sheet is too large. Import up to {limit} MB of text at a time.', { limit: textMegabytes })

export function checkColumn(column: number): void {
  if (column >= columnLimit) throw new SheetProblem('Import up to {limit} columns at a time.', { limit: columnLimit })
}
