import { fileURLToPath } from 'node:url'
import pdfmake, { type Content, type TableLayout } from 'pdfmake'
import { root } from '../root.ts'
import type { Column, Document, Group, Party, Property, Row, Signature, Total } from './document.ts'
import { qrCode } from './qr-code.ts'

/** All letters of Inter and how they stand beside each other: of its alternates, which no document uses, each would take as long as its text. */
const fontFolder = fileURLToPath(new URL('src/documents/fonts/', root))
const normal = `${fontFolder}inter-regular.ttf`
const bold = `${fontFolder}inter-semibold.ttf`

pdfmake.setFonts({ inter: { normal, bold } })
pdfmake.setLocalAccessPolicy((path) => [normal, bold].includes(path))
pdfmake.setUrlAccessPolicy(() => false)

const [quiet, line] = ['#555555', '#bbbbbb']

/** Points, of an A4 page. */
const margins = { left: 42, top: 36, right: 42, bottom: 42 }
const width = 595.28 - margins.left - margins.right
const logoSize: [number, number] = [170, 48]
const qrSide = 108
const pictureSide = 40
const gap = 20
const boxWidth = 50

const grid: TableLayout = {
  hLineWidth: () => 0.5,
  vLineWidth: () => 0.5,
  hLineColor: () => line,
  vLineColor: () => line,
  paddingLeft: () => 4,
  paddingRight: () => 4,
  paddingTop: () => 3,
  paddingBottom: () => 3,
}

/** Each document begins on a page of its own. */
export async function renderPdf(documents: Document[]): Promise<Uint8Array> {
  const content: Content[] = []
  for (const document of documents)
    content.push({ stack: await contentOf(document), ...(content.length > 0 && { pageBreak: 'before' as const }) })
  const created = pdfmake.createPdf({
    content,
    pageSize: 'A4',
    pageMargins: [margins.left, margins.top, margins.right, margins.bottom],
    defaultStyle: { font: 'inter', fontSize: 9, lineHeight: 1.15 },
    info: { title: documents[0]?.title ?? '' },
    language: documents[0]?.language,
    footer: (page, pages) =>
      pages > 1 ? { text: `${page} / ${pages}`, alignment: 'center', color: quiet, fontSize: 8, margin: [0, 14, 0, 0] } : '',
  })
  return created.getBuffer()
}

async function contentOf(document: Document): Promise<Content[]> {
  const { logo, bank, qr, title, subject, notice, words, note } = document
  return [
    ...(logo ? await heading(logo) : []),
    ...(bank ? [payment(bank, qr)] : []),
    { text: title, fontSize: 15, bold: true, margin: [0, 4, 0, 2] },
    ...(subject ? [{ text: subject, color: quiet }] : []),
    ...(notice ? [paragraph(notice)] : []),
    ...parties(document.parties),
    ...(document.facts ? properties(document.facts) : []),
    table(document, await picturesOf(document)),
    ...totals(document.totals),
    ...(words ? [paragraph(words)] : []),
    ...(document.groups ?? []).map(group),
    ...(note ? [{ text: note, margin: [0, 12, 0, 0] as [number, number, number, number] }] : []),
    ...signatures(document),
  ]
}

const paragraph = (text: string): Content => ({ text, bold: true, margin: [0, 8, 0, 0] })

/** A document whose logo can not be read begins with its title. */
async function heading(file: string): Promise<Content[]> {
  const image = await readPicture(file, logoSize)
  return image ? [{ image, fit: logoSize, alignment: 'right', margin: [0, 0, 0, 8] }] : []
}

/** Pictures of rows by their files, as far as they can be read. */
async function picturesOf({ rows }: Document): Promise<Map<string, string>> {
  const pictures = new Map<string, string>()
  for (const file of new Set(rows.flatMap(({ picture }) => picture ?? []))) {
    const image = await readPicture(file, [pictureSide, pictureSide])
    if (image) pictures.set(file, image)
  }
  return pictures
}

async function readPicture(file: string, [width, height]: [number, number]): Promise<string | undefined> {
  const sharpness = 3
  const inside = { width: width * sharpness, height: height * sharpness, fit: 'inside', withoutEnlargement: true } as const
  const { default: sharp } = await import('sharp')
  try {
    const png = await sharp(file).resize(inside).png().toBuffer()
    return `data:image/png;base64,${png.toString('base64')}`
  } catch {
    return undefined
  }
}

function payment(bank: Property[], qr: string | undefined): Content {
  const body = bank.map(({ label, value }): Content[] => [{ text: label, color: quiet }, value])
  const details: Content = { width: '*', layout: grid, table: { widths: [120, '*'], body } }
  const code: Content[] = qr ? [{ width: qrSide, svg: qrCode(qr), fit: [qrSide, qrSide] }] : []
  return { columns: [details, ...code], columnGap: 12, margin: [0, 0, 0, 10] }
}

function parties(list: Party[]): Content[] {
  const columns = list.map(({ role, name, details, contact }): Content => {
    const heading: Content[] = [
      { text: role, color: quiet, fontSize: 8 },
      { text: name || blank, bold: true },
    ]
    return { width: '*', stack: [...heading, ...details.map(property), ...(contact ? [contact] : [])] }
  })
  return list.length > 0 ? [{ columns, columnGap: gap, margin: [0, 10, 0, 0] }] : []
}

/** To be filled in by hand. */
const blank = '_'.repeat(24)

const property = ({ label, value }: Property): Content => ({ text: [{ text: `${label}: `, color: quiet }, value || blank] })

/** In two columns. */
function properties(list: Property[]): Content[] {
  const half = Math.ceil(list.length / 2)
  const columns = [list.slice(0, half), list.slice(half)].map((part): Content => ({ width: '*', stack: part.map(property) }))
  return [{ columns, columnGap: gap, margin: [0, 8, 0, 0] }]
}

function group({ title, properties: list, text }: Group): Content {
  return { stack: [paragraph(title), ...(list ? properties(list) : []), ...(text ? [text] : [])] }
}

/** Pictures have a column of their own, the second. */
function table({ columns, rows }: Document, pictures: ReadonlyMap<string, string>): Content {
  const head = columns.map(({ label, kind }): Content => ({ text: label, bold: true, alignment: alignmentOf(kind) }))
  const body = [head, ...rows.map((row) => cellsOf(row, columns))]
  const widths = columns.map(({ kind, box }, at) => (box ? boxWidth : kind || at === 0 ? 'auto' : '*'))
  if (pictures.size > 0) {
    widths.splice(1, 0, 'auto')
    head.splice(1, 0, '')
    for (const [at, { picture }] of rows.entries()) body[at + 1]?.splice(1, 0, pictureCell(pictures.get(picture ?? '')))
  }
  return { layout: grid, margin: [0, 12, 0, 0], table: { headerRows: 1, widths, body } }
}

const pictureCell = (image: string | undefined): Content => (image ? { image, fit: [pictureSide, pictureSide] } : '')

function cellsOf({ cells }: Row, columns: Column[]): Content[] {
  return columns.map((_, at) => {
    const text = cells[at] ?? ''
    const kind = columns[at]?.kind
    const [main = '', ...rest] = text.split('\n')
    const stack: Content[] = [main, ...rest.map((part): Content => ({ text: part, color: quiet, fontSize: 8 }))]
    return { stack, alignment: alignmentOf(kind), noWrap: kind === 'number', wordBreak: longWord.test(text) ? 'break-all' : 'normal' }
  })
}

/** One that would not fit into a column. */
const longWord = /\S{25}/

const alignmentOf = (kind: Column['kind']) => (kind === 'number' ? 'right' : 'left')

function totals(list: Total[]): Content[] {
  const body = list.map(({ label, value, strong }): Content[] => [
    { text: label, alignment: 'right', bold: strong },
    { text: value, alignment: 'right', bold: strong, noWrap: true },
  ])
  return body.length > 0 ? [{ layout: 'noBorders', margin: [0, 6, 0, 0], table: { widths: ['*', 'auto'], dontBreakRows: true, body } }] : []
}

function signatures({ signatures, stamp }: Document): Content[] {
  const column = (width - gap) / 2
  const sign = ({ role, name }: Signature): Content => ({
    width: column,
    stack: [
      { text: role },
      { canvas: [{ type: 'line', x1: 0, y1: 24, x2: column, y2: 24, lineWidth: 0.5 }] },
      { text: name || ' ', color: quiet, fontSize: 8, margin: [0, 2, 0, 0] },
    ],
  })
  if (signatures.length === 0) return []
  const mark: Content[] = stamp ? [{ text: stamp, color: quiet, margin: [40, 14, 0, 30] }] : []
  return [{ stack: [{ columns: signatures.map(sign), columnGap: gap }, ...mark], unbreakable: true, margin: [0, 22, 0, 0] }]
}
