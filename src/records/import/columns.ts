import { eq } from 'drizzle-orm'
import { fold } from '../../core/text.ts'
import { type Database, importHeadings } from '../../database/index.ts'
import { usualSymbol } from '../../i18n/money.ts'
import { translator } from '../../i18n/translate.ts'
import { type Field, FieldError, kindOf } from '../fields/index.ts'
import type { CellReading } from '../fields/kind.ts'
import { type ImportKind, importedFields } from './import.ts'
import type { Layout, MatchColumns } from './layout.ts'

/** What a column can hold: the fields that can be imported, and what is split into several. */
export function columnNames({ card, splits = {} }: ImportKind): [name: string, label: string][] {
  const fields = importedFields(card.form).map(([name, { label }]): [string, string] => [name, label])
  return [...fields, ...Object.entries(splits).map(([name, { label }]): [string, string] => [name, label])]
}

/** Finds the field of each column by what was chosen before, its key, its label in either language or another name of it. */
export function columnMatcher(db: Database, kind: ImportKind): MatchColumns {
  const names = namesOf(kind)
  const remembered = rememberedHeadings(db, kind.list)
  const offered = new Set(['id', ...columnNames(kind).map(([name]) => name)])
  const find = (header: string): Match => {
    const chosen = remembered.get(normalize(header))
    if (chosen !== undefined && (chosen === '' || offered.has(chosen))) return { name: chosen || null, isRemembered: true }
    return { name: names.get(normalize(header)) ?? names.get(normalize(withoutUnit(header))) ?? null }
  }
  return (headers) => {
    const found = headers.map((header): Match => (header && header.length <= longestName ? find(header) : { name: null }))
    return found.map((one) =>
      one ===
      bestOf(
        kind,
        found.filter(({ name }) => name === one.name),
      )
        ? one.name
        : null,
    )
  }
}

interface Match {
  name: string | null
  isRemembered?: boolean
}

/** Of columns with the same field the one that was chosen before, else the first, unless somebody is to choose. */
function bestOf({ splits = {} }: ImportKind, [first, ...others]: Match[]): Match | undefined {
  const chosen = [first, ...others].find((one) => one?.isRemembered)
  const isOpen = others.length > 0 && splits[first?.name ?? '']?.rivals
  return chosen ?? (isOpen ? undefined : first)
}

/** No column is called anything longer; rows of long texts are not headings. */
const longestName = 200

function namesOf(kind: ImportKind): Map<string, string> {
  const declared = [...importedFields(kind.card.form), ...Object.entries(kind.splits ?? {})]
  const synonyms = declared.flatMap(([name, { synonyms = [] }]) => synonyms.map((text) => [normalize(text), name] as const))
  // A label counts more than what another field is called besides.
  return new Map([...synonyms, ...labelsOf(kind)])
}

function labelsOf({ card, splits = {} }: ImportKind): Map<string, string> {
  const names = new Map([['id', 'id']])
  for (const [name, { label }] of [...importedFields(card.form), ...Object.entries(splits)])
    for (const text of [name, name.replace(/_id$/, ''), translator('en')(label), translator('ru')(label)]) names.set(normalize(text), name)
  return names
}

function rememberedHeadings(db: Database, list: string): Map<string, string> {
  const rows = db.select().from(importHeadings).where(eq(importHeadings.list, list)).all()
  return new Map(rows.map(({ heading, field }) => [heading, field]))
}

/** Keeps what somebody chose for these columns; one with the label of a field is left out only this time. Call it inside `write`. */
export function rememberHeadings(db: Database, kind: ImportKind, chosen: [header: string, field: string | null][]): void {
  const labels = labelsOf(kind)
  for (const [header, field] of chosen) {
    const values = { list: kind.list, heading: normalize(header), field: field ?? '' }
    if (values.heading === '' || (field === null && labels.has(values.heading))) continue
    const target = [importHeadings.list, importHeadings.heading]
    db.insert(importHeadings)
      .values(values)
      .onConflictDoUpdate({ target, set: { field: values.field } })
      .run()
  }
}

const normalize = (header: string) => fold(header).replace(/[^\p{L}\p{N}]/gu, '')

/** Without what stands in brackets, and without the unit at the end. */
function withoutUnit(header: string): string {
  return header.replace(/\([^)]*\)/g, '').replace(/[\s,.]{1,3}(?:rub|rur|руб|р|mm|мм|m2?|м2?|м²|m²|шт|pcs|%|₽)\.?\s*$/iu, '')
}

/** Whether the heading of a column that is imported says that its prices are without VAT. */
export function saysWithoutVat({ headers, fields }: Pick<Layout, 'headers' | 'fields'>): boolean {
  return headers.some((header, at) => fields[at] && /без\s*ндс|(excl|without|w\/o|net of)[\s.]*vat/i.test(header ?? ''))
}

/** The name of a column in spreadsheet programs: A, B, … AA. */
export function columnLetters(index: number): string {
  return (index >= 26 ? columnLetters(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26))
}

/**
 * The value of a cell.
 * @throws FieldError
 */
export function readCell(field: Field, cell: string, reading: CellReading = ofNoList): unknown {
  const kind = kindOf(field)
  return kind.parse(kind.cell?.typed(cell, field, reading) ?? cell, field)
}

const ofNoList: CellReading = {
  find(name, unknown = 'No option "{name}".') {
    throw new FieldError(unknown, { name })
  },
  currency: usualSymbol,
}
