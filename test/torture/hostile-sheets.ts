import { headerRow, makeZip, pack, rowsOfOneText, sheetXml, workbookEntries, zeros, zip64Sizes } from '../support/hostile-sheets.ts'
import type { Random } from '../support/random.ts'

/** A spreadsheet as somebody who wants to end the service would make it, or a valid one of which something was changed. */
export function hostileSheet(random: Random): { kind: string; content: Buffer } {
  const [kind, make] = random.pick(kinds)
  const content = make(random)
  return random.chance(0.2) ? { kind: `${kind}, bytes changed`, content: changed(random, content) } : { kind, content }
}

const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
const valid = (random: Random) =>
  headerRow + `<row>${text(`Company ${random.digits(6)}`)}<c><v>${random.digits(5)}</v></c></row>`.repeat(random.integer(1, 30))
const workbook = (random: Random) => workbookEntries(valid(random), '<si><t>x</t></si>')

const kinds: [kind: string, make: (random: Random) => Buffer][] = [
  ['valid', (random) => makeZip(workbook(random))],
  ['bytes changed', (random) => changed(random, makeZip(workbook(random)))],
  ['truncated', (random) => cut(random, makeZip(workbook(random)))],
  ['XML changed', (random) => makeZip(workbookEntries(pack(changed(random, Buffer.from(sheetXml(valid(random))))), ''))],
  ['XML truncated', (random) => makeZip(workbookEntries(pack(cut(random, Buffer.from(sheetXml(valid(random))))), ''))],
  [
    'odd cells',
    (random) => {
      const addresses = ['A1', 'A0', 'XFD1048576', 'ZZZZ1', '1A', '', 'a1', 'A-1', 'A99999999999999999999']
      const types = ['s', 'n', 'b', 'd', 'e', 'str', 'inlineStr', '__proto__', '']
      const values = [
        '0',
        '-1',
        '1e999',
        'NaN',
        '99999999',
        '__proto__',
        '1.5',
        '',
        '2958466',
        '_x0000_',
        '_xD800_',
        '&#0;',
        '&lt;',
        '<![CDATA[=1]]>',
      ]
      const cell = () =>
        `<c r="${random.pick(addresses)}" t="${random.pick(types)}" s="${random.pick(values.slice(0, 8))}"><v>${random.pick(values)}</v></c>`
      return makeZip(
        workbookEntries(
          `${headerRow}<row r="${random.pick(values)}">${cell()}${cell()}</row>`,
          random.pick(['', '<si/>', '<si><t>a</t></si>']),
        ),
      )
    },
  ],
  ['nested', (random) => makeZip([...workbook(random), { name: 'a.zip', content: pack(makeZip(workbook(random))) }])],
  [
    'wrong sizes',
    (random) =>
      makeZip([...workbook(random), { name: 'a', content: 'aaa', [random.pick(['local', 'central'])]: random.integer(0, 2 ** 31) }]),
  ],
  [
    'zip64',
    (random) =>
      makeZip(
        [...workbook(random), { name: 'a', content: zeros(random.integer(1, 40)), central: 0xffffffff, centralExtra: zip64Sizes(1) }],
        { zip64: random.chance(0.5) },
      ),
  ],
  [
    'a bomb',
    (random) =>
      makeZip([
        ...workbook(random),
        { name: 'a', content: zeros(random.integer(20, 150)), ...(random.chance(0.5) && { local: 1, central: 1 }) },
      ]),
  ],
  [
    'many sheets',
    (random) =>
      makeZip([
        ...workbook(random),
        ...Array.from({ length: random.integer(100, 3000) }, (_, at) => ({
          name: `xl/worksheets/sheet${at + 2}.xml`,
          content: sheetXml(''),
        })),
      ]),
  ],
  [
    'huge shared strings',
    (random) =>
      makeZip(
        workbookEntries(
          rowsOfOneText(random.integer(1, 3000), random.integer(1, 200)),
          `<si><t>${'x'.repeat(random.integer(1, 20_000))}</t></si>`,
        ),
      ),
  ],
  [
    'many shared strings',
    (random) =>
      makeZip(workbookEntries(valid(random), random.pick(['<si/>', '<si><t>aaaa</t></si>']).repeat(random.integer(1, 3_000_000)))),
  ],
  [
    'deep XML',
    (random) =>
      makeZip(workbookEntries(valid(random) + random.pick(['<a>', '<is><t>', '<row><c>']).repeat(random.integer(50, 1_000_000)), '')),
  ],
  [
    'many attributes',
    (random) =>
      makeZip(
        workbookEntries(
          `${valid(random)}<row ${Array.from({ length: random.integer(10, 300_000) }, (_, at) => `a${at}="1"`).join(' ')}/>`,
          '',
        ),
      ),
  ],
  ['many cells', (random) => makeZip(workbookEntries(`${headerRow}<row>${'<c/>'.repeat(random.integer(1, 3_000_000))}</row>`, ''))],
  ['a long text', (random) => makeZip(workbookEntries(`${headerRow}<row>${text('y'.repeat(random.integer(1, 60_000_000)))}</row>`, ''))],
  [
    'entities',
    (random) => {
      const depth = random.integer(2, 20)
      const entities = Array.from({ length: depth }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`).join('')
      const bomb = `<!DOCTYPE a [<!ENTITY e0 "x">${entities}<!ENTITY file SYSTEM "file:///etc/passwd">]>${sheetXml(`${headerRow}<row>${text(random.pick([`&e${depth};`, '&file;', '&none;']))}</row>`)}`
      return makeZip(workbookEntries(pack(Buffer.from(bomb)), ''))
    },
  ],
  ['csv', (random) => changed(random, Buffer.from(`org,inn\n${'Company,"77"\n'.repeat(random.integer(1, 200))}`))],
  [
    'csv of separators',
    (random) => Buffer.from(`org\n${random.pick([',', '\n', '"', ';', '\r', "'", 'a,']).repeat(random.integer(1, 10_000_000))}`),
  ],
]

function cut(random: Random, content: Buffer): Buffer {
  return content.subarray(0, random.integer(0, content.length))
}

/** Some bytes are others, are gone, or are there twice. */
function changed(random: Random, content: Buffer): Buffer {
  let result = Buffer.from(content)
  for (let times = random.integer(1, 8); times > 0 && result.length > 0; times--) {
    const at = random.integer(0, result.length - 1)
    const length = random.integer(1, 20)
    if (random.chance(0.6)) result[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.integer(0, 255)])
    else if (random.chance(0.5)) result = Buffer.concat([result.subarray(0, at), result.subarray(at + length)])
    else result = Buffer.concat([result.subarray(0, at + length), result.subarray(at)])
  }
  return result
}
