import t from 'tap'
import type { SheetRow } from '../../src/database/schema/imports.ts'
import { readCsv } from '../../src/records/spreadsheet/read-csv.ts'
import { openWorkbook } from '../../src/records/spreadsheet/read-workbook.ts'
import { makeZip, sheetXml, workbookEntries } from '../support/hostile-sheets.ts'
import { inEncoding } from '../support/statements.ts'

async function rowsOf(rows: AsyncGenerator<SheetRow>): Promise<SheetRow[]> {
  const all: SheetRow[] = []
  for await (const row of rows) all.push(row)
  return all
}

async function* readWorkbook(content: Buffer): AsyncGenerator<SheetRow> {
  yield* (await openWorkbook(content)).rows
}

const spreadsheetml = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

const relationship = (id: string, kind: string, target: string) =>
  `<Relationship Id="${id}" Type="${relationships}/${kind}" Target="${target}"/>`

const formats = { 164: 'dd/mm/yyyy', 165: '0.0%', 166: '[$-419]d mmm', 167: '&quot;day&quot; 0', 168: '0\\d', 169: '[Red]0' }

/** A workbook of a sheet whose cells have these formats by their numbers; beside it a second one, which the file names first. */
function workbook(sheet: string, { texts = '', is1904 = false, cellFormats = [] as number[], own = [] as string[] } = {}): Buffer {
  const parts = [
    relationship('rId9', 'worksheet', 'worksheets/other.xml'),
    relationship('rId1', 'worksheet', '/xl/worksheets/sheet1.xml'),
    relationship('rId2', 'sharedStrings', 'sharedStrings.xml'),
    relationship('rId3', 'styles', 'styles.xml'),
  ]
  const codes = [...Object.entries(formats), ...own.map((code, at) => [200 + at, code])]
  const numFmts = codes.map(([id, code]) => `<numFmt numFmtId="${id}" formatCode="${code}"/>`)
  const xfs = [...cellFormats, ...own.map((_, at) => 200 + at)].map((id) => `<xf numFmtId="${id}"/>`)
  const sheets = '<sheet name="S" sheetId="1" r:id="rId1"/><sheet name="Other" sheetId="2" r:id="rId9"/>'
  return makeZip(
    workbookEntries(sheet, texts, [
      {
        name: 'xl/workbook.xml',
        content: `<workbook xmlns="${spreadsheetml}" xmlns:r="${relationships}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${sheets}</sheets></workbook>`,
      },
      {
        name: 'xl/_rels/workbook.xml.rels',
        content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${parts.join('')}</Relationships>`,
      },
      {
        name: 'xl/styles.xml',
        content: `<styleSheet xmlns="${spreadsheetml}"><numFmts>${numFmts.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${xfs.join('')}</cellXfs><cellStyles><xf numFmtId="14"/></cellStyles></styleSheet>`,
      },
      { name: 'xl/worksheets/other.xml', content: sheetXml('<row><c><v>99</v></c></row>') },
    ]),
  )
}

t.test('numbers of a workbook are read as they are shown: days, times, percentages', async (t) => {
  const day = 46_053
  const shown: [format: number, number: number, text: string][] = [
    [0, 12.5, '12.5'],
    [1, day, String(day)],
    [9, 0.05, '5'],
    [10, 0.125, '12.5'],
    [14, day, '2026-01-31'],
    [17, day, '2026-01-31'],
    [22, day + 0.5, '2026-01-31T12:00:00.000Z'],
    [47, day, '2026-01-31'],
    [49, day, String(day)],
    [164, day, '2026-01-31'],
    [165, 0.07, '7'],
    [166, day, '2026-01-31'],
    [167, 7, '7'],
    [168, 7, '7'],
    [169, 7, '7'],
    [0, 999_999_999_999_999, '999999999999999'],
    [0, 1e15, '1e+15'],
    [0, -5, '-5'],
  ]
  const cells = shown.map(([, number], at) => `<c s="${at}"><v>${number}</v></c>`)
  const cellFormats = shown.map(([format]) => format)
  const [row] = await rowsOf(readWorkbook(workbook(`<row>${cells.join('')}</row>`, { cellFormats })))
  for (const [at, [format, number, text]] of shown.entries()) t.equal(row?.cells[at], text, `${number} in format ${format}`)
  const since1904 = workbook(`<row><c s="0"><v>${day - 1462}</v></c></row>`, { is1904: true, cellFormats: [14] })
  t.same((await rowsOf(readWorkbook(since1904)))[0]?.cells, ['2026-01-31'], 'in a workbook that counts days from 1904')
})

t.test('beside a number stands what its format shows of it, where that is more and nothing is lost', async (t) => {
  const shown: [format: string, number: number, text: string | undefined][] = [
    ['00000', 123, '00123'],
    ['00000', 1234567, undefined],
    ['0', 12.5, undefined],
    ['0.00', 1.1, '1.10'],
    ['0.00', 1.005, undefined],
    ['.00', 12.5, undefined],
    ['000', -7, undefined],
    ['000', 1e15, undefined],
    ['#,##0', 1234, undefined],
    ['#0.0', 5, '5.0'],
    ['00-00', 1234, '12-34'],
    ['00-00', 12345, '123-45'],
    ['#-00', 7, '-07'],
    ['&quot;No. &quot;000', 7, 'No. 007'],
    ['\\A000', 7, 'A007'],
    ['[$₽-419]0', 7, '₽7'],
    ['[Red]000;[Blue]-000', 7, '007'],
    ['[&lt;100]000;0', 7, undefined],
    ['_-000_-', 7, '007'],
    ['0 0/0', 7, undefined],
    ['00E+00', 7, undefined],
    ['00%', 7, undefined],
    ['General', 7, undefined],
  ]
  const cells = shown.map(([, number], at) => `<c s="${at}"><v>${number}</v></c>`)
  const own = shown.map(([code]) => code)
  const [row] = await rowsOf(readWorkbook(workbook(`<row>${cells.join('')}</row>`, { own })))
  for (const [at, [format, number, text]] of shown.entries()) t.equal(row?.shown?.[at], text, `${number} in format ${format}`)
  const texts = '<row><c t="str" s="0"><v>7</v></c><c s="0"></c><c t="b" s="0"><v>1</v></c></row>'
  t.same((await rowsOf(readWorkbook(workbook(texts, { own: ['000'] }))))[0]?.shown, undefined, 'of numbers only')
})

t.test('a formula without a value is told from one whose value is an empty text, and both from an error', async (t) => {
  const cells = [
    '<c><f>1+1</f></c>',
    '<c><f>1+1</f><v></v></c>',
    '<c t="str"><f>A1</f></c>',
    '<c t="str"><f>A1</f><v></v></c>',
    '<c t="shared"><f t="shared" si="0"/><v/></c>',
    '<c><f>1-1</f><v>0</v></c>',
    '<c t="e"><v>#REF!</v></c>',
    '<c><v></v></c>',
  ]
  const [row] = await rowsOf(readWorkbook(workbook(`<row>${cells.join('')}</row>`)))
  t.same(row?.cells, ['=', '=', '=', '', '=', '0', '#REF!'])
  t.same(row?.faulty, [0, 1, 2, 4, 6])
})

t.test('texts of a workbook are read whole, without how they are pronounced, and cells stand in their columns', async (t) => {
  const texts =
    '<si><t>Plain</t></si><si><r><t>Two </t></r><r><t>parts</t></r><rPh sb="0" eb="1"><t>spoken</t></rPh></si><si><t>a_x0009_b</t></si>'
  const rows = [
    '<row r="3"><c r="A3" t="s"><v>0</v></c><c r="D3" t="s"><v>1</v></c><c t="s"><v>2</v></c></row>',
    '<row><c t="inlineStr"><is><t> inline </t></is></c><c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="str"><f>1+1</f><v>two</v></c></row>',
    '<row r="9"><c r="AA9"><v>7</v></c><c r="AB9"><v></v></c></row>',
  ]
  t.same(await rowsOf(readWorkbook(workbook(rows.join(''), { texts }))), [
    { row: 3, cells: ['Plain', '', '', 'Two parts', 'a\tb'] },
    { row: 4, cells: ['inline', 'true', 'false', 'two'] },
    { row: 9, cells: [...Array.from({ length: 26 }, () => ''), '7'] },
  ])
})

t.test(
  'text files are read in UTF-8 or the encoding of Windows, separated by semicolon, tab or comma as their first line is',
  async (t) => {
    const cells = async (content: Buffer) => (await rowsOf(readCsv(content))).map((row) => row.cells)
    const lines = (...all: string[]) => Buffer.from(all.join('\r\n'))
    t.same(await cells(lines('a;b,c', '1;2')), [
      ['a', 'b,c'],
      ['1', '2'],
    ])
    t.same(await cells(lines('a\tb', '1,5\t2')), [
      ['a', 'b'],
      ['1,5', '2'],
    ])
    t.same(await cells(lines('\ufeffa,b', '1;5,"2\n3"', '4')), [['a', 'b'], ['1;5', '2\n3'], ['4']])
    t.same(await cells(inEncoding('windows-1251', 'Имя;Город\r\nЁлка;Тверь')), [
      ['Имя', 'Город'],
      ['Ёлка', 'Тверь'],
    ])
    t.same(await cells(lines('Имя;Город')), [['Имя', 'Город']])
    t.same(await cells(lines('a;b', "'=1+1;'+7 (900)")), [
      ['a', 'b'],
      ['=1+1', '+7 (900)'],
    ])
    t.same(
      (await rowsOf(readCsv(lines('a', '', 'b')))).map(({ row }) => row),
      [1, 2, 3],
      'empty lines count, so that rows are named as the file shows them',
    )
    await t.rejects(cells(Buffer.from('a\0b')), { message: 'This file cannot be read. Save it as xlsx or csv.' })
  },
)
