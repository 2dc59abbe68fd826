import type { SheetRow } from '../../database/schema/imports.ts'
import { textReader, type XmlHandlers } from './read-xml.ts'
import { checkColumn, unreadable } from './sheet-problem.ts'
import type { Workbook } from './workbook-parts.ts'

/** Makes rows of texts of the XML of a sheet. */
export function rowHandlers(workbook: Workbook, push: (row: SheetRow) => void): XmlHandlers {
  const reader = textReader(['v', 't'])
  let row: SheetRow = { row: 0, cells: [] }
  let column = -1
  let cell: Record<string, string> = {}
  let has = { formula: false, value: false }
  const putCell = () => {
    const stored = reader.take()
    const isUncomputed = has.formula && stored === '' && !(cell.t === 'str' && has.value)
    const text = isUncomputed ? '=' : textOf(workbook, cell, stored).trim()
    if (text === '') return
    checkColumn(column)
    while (row.cells.length < column) row.cells.push('')
    row.cells[column] = text
    if (isUncomputed || cell.t === 'e') row.faulty = [...(row.faulty ?? []), column]
    const shown = shownText(workbook, cell, stored)
    if (shown && shown !== text) row.shown = { ...row.shown, [column]: shown }
  }
  return {
    text: reader.handlers.text,
    open: (name, attributes) => {
      reader.handlers.open(name)
      if (name === 'row') {
        row = { row: attributes.r ? Number(attributes.r) : row.row + 1, cells: [] }
        if (!Number.isSafeInteger(row.row)) throw unreadable()
        column = -1
      }
      if (name === 'f') has.formula = true
      if (name === 'v') has.value = true
      if (name !== 'c') return
      has = { formula: false, value: false }
      column = attributes.r ? columnOf(attributes.r) : column + 1
      cell = attributes
    },
    close: (name) => {
      reader.handlers.close(name)
      if (name === 'c') putCell()
      if (name === 'row') push(row)
    },
  }
}

function columnOf(address: string): number {
  const [, letters] = /^([A-Z]{1,3})\d+$/.exec(address) ?? []
  if (!letters) throw unreadable()
  return lettersNumber(letters) - 1
}

/** A is 1. */
export function lettersNumber(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
}

function textOf({ texts, styles, is1904 }: Workbook, { t: type = 'n', s: style }: Record<string, string>, text: string): string {
  if (type === 's') return texts[Number(text)] ?? ''
  if (type === 'b') return text === '1' ? 'true' : 'false'
  const value = Number(text)
  if (type !== 'n' || text === '' || !Number.isFinite(value)) return text
  const kind = styles[Number(style ?? 0)]?.kind
  if (kind === 'date') return dateText(value, is1904)
  return numberText(kind === 'percent' ? Number((value * 100).toFixed(6)) : value)
}

/** What the format of a number makes of it. */
function shownText({ styles }: Workbook, { t: type = 'n', s: style }: Record<string, string>, text: string): string | undefined {
  return type === 'n' && text !== '' ? styles[Number(style ?? 0)]?.show?.(Number(text))?.trim() : undefined
}

/** Days since the end of 1899, or of 1903. */
function dateText(days: number, is1904: boolean): string {
  const date = new Date(Math.round((days - 25_569 + (is1904 ? 1462 : 0)) * 24 * 3600_000))
  return Number.isNaN(date.getTime()) ? numberText(days) : date.toISOString().replace(/T00:00:00\.000Z$/, '')
}

/** Beyond 15 digits numbers lose precision; the exponent shows that. */
function numberText(value: number): string {
  return Math.abs(value) < 1e15 ? String(value) : value.toExponential()
}
