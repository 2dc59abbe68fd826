import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import ZipStream from 'zip-stream'
import type { Cell, Column } from './sheet.ts'

// Letters that are gathered before they are compressed.
const portion = 64 * 1024

/** A workbook of one sheet, as the bytes of its file: the header bold and frozen, numbers and dates as such. */
export function packBook(name: string, columns: Column[], rows: Iterable<Cell[]>): Readable {
  const zip = new ZipStream({ zlib: { chunkSize: portion } })
  fill(zip, name, columns, rows).catch((error) => zip.destroy(error))
  return zip
}

async function fill(zip: ZipStream, name: string, columns: Column[], rows: Iterable<Cell[]>): Promise<void> {
  const add = promisify<string | Readable, { name: string }>(zip.entry).bind(zip)
  for (const [path, xml] of Object.entries(frame(name))) await add(head + xml, { name: path })
  await add(Readable.from(sheetXml(columns, rows), { highWaterMark: 1 }), { name: 'xl/worksheets/sheet1.xml' })
  zip.finalize()
}

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const parts = 'http://schemas.openxmlformats.org/package/2006'
const kinds = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Everything but the sheet. */
function frame(name: string): Record<string, string> {
  return {
    '[Content_Types].xml': `<Types xmlns="${parts}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${kinds}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${kinds}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${kinds}.worksheet+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${parts}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${parts}/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="${text(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/styles.xml': styles,
  }
}

// What `s` of a cell counts in `cellXfs`.
const [bold, date] = [' s="1"', ' s="2"']

const font = '<sz val="11"/><name val="Calibri"/><family val="2"/>'
const styles = `<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="dd.mm.yyyy hh:mm"/></numFmts><fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`

const view =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'

function* sheetXml(columns: Column[], rows: Iterable<Cell[]>): Generator<string> {
  const headers = columns.map(({ header }, index) => textXml(header, `${letter(index)}1`, bold))
  let xml = `${head}<worksheet xmlns="${main}">${view}<cols>${columns.map(columnXml).join('')}</cols><sheetData><row r="1">${headers.join('')}</row>`
  let number = 1
  for (const cells of rows) {
    number++
    xml += `<row r="${number}">${cells.map((cell, index) => cellXml(cell, `${letter(index)}${number}`, columns[index]?.moment)).join('')}</row>`
    if (xml.length < portion) continue
    yield xml
    xml = ''
  }
  yield `${xml}</sheetData></worksheet>`
}

const letter = (index: number) => String.fromCharCode(65 + index)

function columnXml({ width, moment }: Column, index: number): string {
  return `<col min="${index + 1}" max="${index + 1}" width="${width}" style="${moment ? 2 : 0}" customWidth="1"/>`
}

function cellXml(cell: Cell, place: string, moment?: boolean): string {
  if (cell === null || cell === '') return ''
  if (typeof cell === 'string') return textXml(cell, place)
  return moment ? `<c r="${place}"${date}><v>${days(cell)}</v></c>` : `<c r="${place}"><v>${cell}</v></c>`
}

function textXml(value: string, place: string, style = ''): string {
  return `<c r="${place}"${style} t="inlineStr"><is><t${/^\s|\s$/.test(value) ? ' xml:space="preserve"' : ''}>${text(value)}</t></is></c>`
}

/** Spreadsheets count days and know no time zones: a moment is written as the clock of the service shows it. */
function days(moment: number): number {
  return (moment - new Date(moment).getTimezoneOffset() * 60_000) / 86_400_000 + 25_569
}

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** What XML cannot hold at all is left out. */
function text(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones
  return value.replace(/[&<>"\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, (letter) => named[letter] ?? '')
}
