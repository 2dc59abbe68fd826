import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import type { SheetRow } from '../../database/schema/imports.ts'
import { withoutProtection } from './csv.ts'
import { textLimit, tooLarge, unreadable } from './sheet-problem.ts'

const pieceSize = 64 * 1024
/** Bytes: more than the cells of a row may have together. */
const recordLimit = 4 * 1024 ** 2

export async function* readCsv(content: Buffer): AsyncGenerator<SheetRow> {
  // Separators and quotation marks are not among the texts.
  if (content.length > 2 * textLimit) throw tooLarge()
  const text = asUtf8(content)
  if (text.includes(0)) throw unreadable()
  const [line, named] = separatorLine(text)
  const delimiter = named || delimiterOf(text.subarray(line))
  const parser = parse({
    bom: true,
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: recordLimit,
  })
  let row = 0
  for await (const cells of Readable.from(piecesOf(text.subarray(line))).pipe(parser)) {
    row += 1
    yield readRecord(row, cells, delimiter)
  }
}

/** Spreadsheet programs write ="0012" for digits that are a text; other formulas have no value here. */
function readRecord(row: number, cells: string[], delimiter: string): SheetRow {
  const quoted = (cell: string) => /^="([^"]*)"$/.exec(cell)?.[1]
  const faulty = cells.flatMap((cell, at) => (cell.trim().startsWith('=') && quoted(cell) === undefined ? [at] : []))
  return { row, cells: cells.map((cell) => quoted(cell) ?? withoutProtection(cell, delimiter)), faulty }
}

/** The length of a line `sep=;` before the headings, which spreadsheet programs do not show, and the separator that it names. */
function separatorLine(text: Buffer): [length: number, separator: string] {
  const [line = '', separator = ''] = /^\ufeff?"?sep=([^\w\s"]|\t| )?"?\r?\n/i.exec(text.subarray(0, 20).toString()) ?? []
  return [Buffer.byteLength(line), separator]
}

/** Spreadsheet programs write UTF-8, as "Unicode text" UTF-16 or, in Russian, the code page of Windows. */
function asUtf8(content: Buffer): Buffer {
  return isUtf8(content) ? content : Buffer.from(new TextDecoder(encodingOf(content)).decode(content))
}

function encodingOf(content: Buffer): string {
  const mark = content.subarray(0, 2).toString('hex')
  return mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'windows-1251'
}

function delimiterOf(text: Buffer): string {
  const [line = ''] = text.subarray(0, recordLimit).toString().split('\n', 1)
  const count = (separator: string) => line.split(separator).length
  return [';', '\t', ','].reduce((best, separator) => (count(separator) > count(best) ? separator : best))
}

function* piecesOf(text: Buffer): Generator<Buffer> {
  for (let at = 0; at < text.length; at += pieceSize) yield text.subarray(at, at + pieceSize)
}
