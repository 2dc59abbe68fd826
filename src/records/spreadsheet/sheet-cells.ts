import type { CellValue } from 'exceljs'
import type { Cell, csvForms } from './csv.ts'

export interface SheetCell {
  /** As spreadsheet programs write the format; that of amounts follows the currency. */
  numFmt?: string
  inWorkbook: (cell: string | number) => CellValue
  inText: (cell: string | number, forms: Forms) => Cell
}

type Forms = (typeof csvForms)[keyof typeof csvForms]

/** What cells hold that are no texts or plain numbers: milliseconds since 1970, a day such as `2026-03-04`, kopecks. */
export const sheetCells = {
  moment: {
    numFmt: 'dd.mm.yyyy hh:mm',
    inWorkbook: ofNumber(clockTime),
    inText: (cell, { moment }) => ofNumber(moment)(cell),
  },
  date: {
    numFmt: 'dd.mm.yyyy',
    inWorkbook: (cell) => calendarDate(String(cell)),
    inText: (cell, { date }) => date(String(cell)),
  },
  money: { inWorkbook: ofNumber(inRubles), inText: ofNumber(inRubles) },
} as const satisfies Record<string, SheetCell>

/** A word in place of a number stays one. */
function ofNumber<T>(form: (value: number) => T): (cell: string | number) => T | string {
  return (cell) => (typeof cell === 'string' ? cell : form(cell))
}

function inRubles(kopecks: number): number {
  return kopecks / 100
}

function calendarDate(day: string): Date | string {
  const date = new Date(day)
  return Number.isNaN(date.getTime()) ? day : date
}

function clockTime(moment: number): Date {
  return new Date(moment - new Date(moment).getTimezoneOffset() * 60_000)
}
