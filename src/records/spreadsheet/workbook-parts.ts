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

type Part = { text: string } | { digit: '0' | '#' } | { point: true }

/**
 * What a spreadsheet program shows of a number in a format such as `00000`, `0.00` or `"No. "000`. Undefined for formats that group digits,
 * choose by condition or make fractions; the function returns undefined where rounding would lose something.
 */
function numberFormatter(format: string): ((value: number) => string | undefined) | undefined {
  const parts = partsOf(format)
  if (!parts) return undefined
  const point = parts.findIndex((part) => 'point' in part)
  const whole = point < 0 ? parts : parts.slice(0, point)
  const decimals = point < 0 ? [] : parts.slice(point + 1)
  if (!whole.some((part) => 'digit' in part)) return undefined
  const places = decimals.filter((part) => 'digit' in part).length
  return (value) => {
    const digits = value.toFixed(places)
    if (value < 0 || value >= 1e15 || Number(digits) !== value) return undefined
    const [before = '', after = ''] = digits.split('.')
    return fillWhole(whole, before) + (point < 0 ? '' : '.') + fillDecimals(decimals, after)
  }
}

/** The parts of what holds for positive numbers. */
function partsOf(format: string): Part[] | undefined {
  const parts: Part[] = []
  for (const [token] of format.matchAll(/"[^"]*"|\\.|\[[^\]]*\]|[_*].|./gs)) {
    if (token === ';') break
    const part = partOf(token)
    if (!part) return undefined
    parts.push(part)
  }
  return parts
}

function partOf(token: string): Part | undefined {
  if (token === '0' || token === '#') return { digit: token }
  if (token === '.') return { point: true }
  if (token.length > 1)
    return token.startsWith('[') ? bracketed(token) : { text: /^[_*]/.test(token) ? '' : token.replace(/^["\\]|"$/g, '') }
  return /[\s\-+():№$]/.test(token) ? { text: token } : undefined
}

/** A currency such as `[$₽-419]`, or a color; not a condition such as `[<100]`. */
function bracketed(token: string): Part | undefined {
  if (/^\[[<>=]/.test(token)) return undefined
  return { text: /^\[\$([^-\]]*)/.exec(token)?.[1] ?? '' }
}

/** From the right; digits for which there is no place stand before the first place. */
function fillWhole(parts: Part[], digits: string): string {
  let left = digits
  const first = parts.findIndex((part) => 'digit' in part)
  const filled = parts.map(textOf)
  for (let at = parts.length - 1; at >= 0; at--) {
    const part = parts[at] as Part
    if (!('digit' in part)) continue
    const taken = at === first ? left : left.slice(-1)
    left = left.slice(0, -1)
    filled[at] = taken || (part.digit === '0' ? '0' : '')
  }
  return filled.join('')
}

function fillDecimals(parts: Part[], digits: string): string {
  let at = 0
  return parts.map((part) => ('digit' in part ? digits[at++] : textOf(part))).join('')
}

const textOf = (part: Part) => ('text' in part ? part.text : '')
