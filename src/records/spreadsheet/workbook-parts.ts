import { numberFormatter } from './number-format.ts'
import { textReader, type XmlHandlers } from './read-xml.ts'
import { textLimit, tooLarge, unreadable } from './sheet-problem.ts'

/** What the parts of a workbook say beside its sheets. */
export interface Workbook {
  sheets: WorkbookSheet[]
  texts: string[]
  /** What numbers are, by the style of their cell. */
  styles: NumberStyle[]
  is1904: boolean
}

export interface WorkbookSheet {
  name: string
  path: string
}

interface NumberStyle {
  kind: 'date' | 'percent' | 'number'
  show?: (value: number) => string | undefined
}

/** Parses a part, if there is one. */
type Parse = (path: string | undefined, handlers: XmlHandlers) => Promise<void>

export async function readParts(parse: Parse): Promise<Workbook> {
  const parts: { id?: string; path: string; kind: string }[] = []
  await parse('xl/_rels/workbook.xml.rels', {
    open: (name, { Id, Target = '', Type = '' }) => {
      if (name !== 'Relationship') return
      parts.push({ id: Id, path: Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`, kind: Type.replace(/^.*\//, '') })
    },
  })
  const named: { name: string; id: string | undefined }[] = []
  let is1904 = false
  await parse('xl/workbook.xml', {
    open: (name, attributes) => {
      if (name === 'workbookPr') is1904 = /^(1|true)$/.test(attributes.date1904 ?? '')
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1]
      if (name === 'sheet') named.push({ name: attributes.name ?? '', id })
    },
  })
  const worksheets = parts.filter(({ kind }) => kind === 'worksheet')
  const sheets = named.flatMap(({ name, id }) => worksheets.filter((part) => part.id === id).map(({ path }) => ({ name, path })))
  if (sheets.length === 0) throw unreadable()
  const pathOf = (wanted: string) => parts.find(({ kind }) => kind === wanted)?.path
  return {
    sheets,
    is1904,
    styles: await readStyles(parse, pathOf('styles')),
    texts: await readTexts(parse, pathOf('sharedStrings')),
  }
}

async function readStyles(parse: Parse, path: string | undefined): Promise<NumberStyle[]> {
  const formats = new Map([['2', '0.00']])
  const styles: NumberStyle[] = []
  let isOfCells = false
  await parse(path, {
    open: (name, { numFmtId = '', formatCode = '' }) => {
      if (name === 'numFmt') formats.set(numFmtId, formatCode)
      if (name === 'cellXfs') isOfCells = true
      if (name === 'xf' && isOfCells) styles.push(styleOf(numFmtId, formats.get(numFmtId) ?? ''))
    },
    close: (name) => {
      if (name === 'cellXfs') isOfCells = false
    },
  })
  return styles
}

/** The numbers of formats that spreadsheet programs know by heart. */
const percentFormats = /^(9|10)$/
const dateFormats = /^(1[4-9]|2[0-2]|2[7-9]|3[0-6]|4[5-7]|5[0-8])$/

function styleOf(id: string, format: string): NumberStyle {
  const letters = format.replace(/\[[^\]]*\]|"[^"]*"|\\./g, '')
  if (format ? /[ymdhsb]/i.test(letters) : dateFormats.test(id)) return { kind: 'date' }
  if (format.includes('%') || percentFormats.test(id)) return { kind: 'percent' }
  return { kind: 'number', show: numberFormatter(format) }
}

async function readTexts(parse: Parse, path: string | undefined): Promise<string[]> {
  const texts: string[] = []
  let length = 0
  const reader = textReader(['t'])
  await parse(path, {
    ...reader.handlers,
    close: (name) => {
      reader.handlers.close(name)
      if (name !== 'si') return
      const text = reader.take()
      length += text.length
      if (length > textLimit) throw tooLarge()
      texts.push(text)
    },
  })
  return texts
}
