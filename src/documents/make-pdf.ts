import type { Document } from './document.ts'

/** A PDF of documents one after the other, each on pages of its own: plain text in a face that every reader has. */
export async function makePdf(documents: Document[]): Promise<Buffer> {
  return writePdf(documents.flatMap(pagesOf))
}

const linesOfPage = 54
const longestLine = 85

function pagesOf(document: Document): string[][] {
  const lines = linesOf(document).flatMap(wrap)
  return Array.from({ length: Math.ceil(lines.length / linesOfPage) }, (_, at) => lines.slice(at * linesOfPage, (at + 1) * linesOfPage))
}

function linesOf({ title, subject = '', notice = '', parties, columns, rows, totals, words = '', notes, signatures }: Document): string[] {
  return [
    ...[title, subject, notice, ''],
    ...parties.flatMap(({ role, name, details }) => [
      `${role}: ${name ?? ''}`,
      ...details.filter(({ value }) => value).map(({ label, value }) => `  ${label}: ${value}`),
    ]),
    ...['', columns.map(({ label }) => label).join(' | ')],
    ...rows.map(({ cells }) => cells.map((cell) => cell.replaceAll('\n', ', ')).join(' | ')),
    ...['', ...totals.map(({ label, value }) => `${label}: ${value}`), words, ...notes, ''],
    ...signatures.map(({ role, name }) => `${role} ____________________ ${name ?? ''}`),
  ]
}

function wrap(line: string): string[] {
  return line.match(new RegExp(`.{1,${longestLine}}(\\s|$)|.{1,${longestLine}}`, 'gu')) ?? ['']
}

/** Letters beyond ASCII by the names that they have in fonts; their codes begin with 128. */
const named: [letter: string, name: string][] = [
  ...[...'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ'].map((letter, at): [string, string] => [letter, `afii${10017 + at}`]),
  ...[...'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'].map((letter, at): [string, string] => [letter, `afii${10065 + at}`]),
  ...(
    [
      ['№', 'afii61352'],
      ['«', 'guillemotleft'],
      ['»', 'guillemotright'],
      ['–', 'endash'],
      ['—', 'emdash'],
      ['×', 'multiply'],
    ] as const
  ).map(([letter, name]): [string, string] => [letter, name]),
]

const codes = new Map(named.map(([letter], at) => [letter, 128 + at]))

function encode(text: string): Buffer {
  const plain = text.replaceAll('₽', 'руб.').replace(/\s/g, ' ')
  const bytes = [...plain].map((letter) => codes.get(letter) ?? (/[ -~]/.test(letter) ? letter.charCodeAt(0) : 63))
  return Buffer.from(bytes.flatMap((byte) => ([40, 41, 92].includes(byte) ? [92, byte] : byte)))
}

function writePdf(pages: string[][]): Buffer {
  const widths = Array.from({ length: 256 }, () => 600).join(' ')
  const differences = named.map(([, name]) => `/${name}`).join(' ')
  const kids = pages.map((_, at) => `${4 + 2 * at} 0 R`).join(' ')
  const objects: Buffer[] = [
    Buffer.from('<</Type /Catalog /Pages 2 0 R>>'),
    Buffer.from(`<</Type /Pages /Kids [${kids}] /Count ${pages.length} /MediaBox [0 0 595 842] /Resources <</Font <</F 3 0 R>>>>>>`),
    Buffer.from(
      `<</Type /Font /Subtype /Type1 /BaseFont /Courier /FirstChar 0 /LastChar 255 /Widths [${widths}] /Encoding <</Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [128 ${differences}]>>>>`,
    ),
    ...pages.flatMap((lines, at) => {
      const shown = lines.map((line) => Buffer.concat([Buffer.from('('), encode(line), Buffer.from(") '\n")]))
      const content = Buffer.concat([Buffer.from('BT /F 10 Tf 14 TL 42 800 Td\n'), ...shown, Buffer.from('ET')])
      const stream = Buffer.concat([Buffer.from(`<</Length ${content.length}>> stream\n`), content, Buffer.from('\nendstream')])
      return [Buffer.from(`<</Type /Page /Parent 2 0 R /Contents ${5 + 2 * at} 0 R>>`), stream]
    }),
  ]
  return assemble(objects)
}

function assemble(objects: Buffer[]): Buffer {
  const parts = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  for (const [at, object] of objects.entries()) {
    offsets.push(length)
    const part = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')])
    parts.push(part)
    length += part.length
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  parts.push(
    Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${table}trailer <</Size ${size} /Root 1 0 R>>\nstartxref\n${length}\n%%EOF\n`),
  )
  return Buffer.concat(parts)
}
