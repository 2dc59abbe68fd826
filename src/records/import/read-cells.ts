import { type VatRate, withVat } from '../../core/pricing.ts'
import type { RowResult, SheetRow } from '../../database/index.ts'
import type { Problem } from '../../http/request/errors.ts'
import { formatRubles } from '../../i18n/format.ts'
import { type Choice, type Field, FieldError, type Fields, isDated, isRepeater, kindOf, type RepeaterField } from '../fields/index.ts'
import { type Entry, type FormState, fieldsOf, isValid, type Row, type Values } from '../form/form.ts'
import { readForm } from '../form/read.ts'
import { type Said, type Sent, say } from '../form/sent.ts'
import { readCell } from './columns.ts'
import type { Import, ImportKind } from './import.ts'

export type Errors = { [field: string]: Problem }

export class RowRejected extends Error {
  readonly errors: Errors
  constructor(errors: Errors) {
    super('this row cannot be imported')
    this.errors = errors
  }
}

export type Notes = NonNullable<RowResult['notes']>

/** What a row says of each field; what no field takes is named in the notes. */
export function textsOf({ card, splits = {} }: ImportKind, sheet: Import, row: SheetRow, notes: Notes = []): Map<string, string> {
  const split = new Map<string, string>()
  const own = new Map<string, string>()
  for (const [at, name] of sheet.fields.entries()) {
    const field = name === null ? undefined : card.form.fields[name]
    const cell = name === null ? '' : cellFor(field, row, at)
    if (!name || !cell) continue
    const column = splits[name]
    if (!column) own.set(name, field ? firstOf(field, cell, notes) : cell)
    else for (const [part, text] of column.split(cell, sheet).entries()) if (text) split.set(column.fields[part] as string, text)
  }
  return new Map([...split, ...own])
}

/** What is said of a part of a cell that no field takes. */
const leftOut = 'Left out: {texts}'

export const leavesOut = ({ notes = [] }: RowResult): boolean => notes.some(({ message }) => message === leftOut)

function firstOf(field: Field, cell: string, notes: Notes): string {
  const [first = cell, ...others] = kindOf(field).cell?.several?.(cell) ?? []
  if (others.length > 0) notes.push({ label: field.label, message: leftOut, params: { texts: others.join(', ') } })
  return first
}

export function refuseFaulty({ fields }: Import, { cells, faulty = [] }: SheetRow): void {
  const errors = faulty.flatMap((at) => {
    const text = cells[at] as string
    const message = text.startsWith('=') ? uncomputed : 'This cell holds an error: {text}.'
    return fields[at] ? [[fields[at], { message, params: { text } }] as const] : []
  })
  if (errors.length > 0) throw new RowRejected(Object.fromEntries(errors))
}

const uncomputed = 'This formula has no computed value. Open the file in a spreadsheet program and save it there.'

/** Finds the record that a cell names for a field among those that its form offers. */
export type FindNamed = (name: string, text: string, offered: Choice[] | undefined, unknown?: string) => Choice

interface Reading {
  kind: ImportKind
  find: FindNamed
  sheet: Import
  /** The VAT that is not in the prices of the sheet. */
  vat: VatRate | null
  currency: string
}

/** The values that the cells of a row say, for a form in this state. */
export function readCells(
  reading: Reading,
  texts: Map<string, string>,
  state: FormState,
): { values: Values; choices: FormState['choices'] } {
  const { form } = reading.kind.card
  const choices = { ...state.choices }
  const entry: Entry = readForm(form, { ...state, choices }, sentCells(reading, texts, { ...state, choices }))
  for (const [name, field] of fieldsOf(form, state))
    if (isRepeater(field) && isDated(field)) sortByDay(entry.values[name] as Row[] | undefined, field)
  if (!isValid(entry)) throw new RowRejected({ ...state.findProblems?.(entry), ...entry.errors })
  return { values: entry.values, choices }
}

function sentCells(reading: Reading, texts: Map<string, string>, { stored, choices }: FormState): Sent {
  const read = cellReader(reading, choices)
  return {
    texts,
    said(name, field) {
      const cell = texts.get(name)
      return cell === undefined ? undefined : say(cell, () => read(cell, field, name))
    },
    rows(name, field) {
      const cell = texts.get(name)
      if (cell === undefined) return undefined
      const lines = say(cell, () => partsOf(cell, field))
      if (lines.problem) return { complete: false, rows: [], problem: lines.problem }
      const known = (stored[name] ?? []) as Row[]
      const isAdding = isDated(field) && !reading.sheet.replaces_prices
      const rows = (lines.value as Line[])
        .map((line, index) => ({ index: String(index), parts: saidParts(line, name, field, reading.vat, read) }))
        .filter(({ parts }) => !isAdding || !holdsAlready(known, parts))
        .map(({ index, parts }) => ({ index, key: keyOf(known, parts), sent: { ...this, said: (place: string) => parts[lastOf(place)] } }))
      return { complete: !isAdding, rows }
    },
    uploaded: () => false,
  }
}

type ReadCell = (cell: string, field: Field, name: string) => unknown

/** What it finds for a choice is offered from then on, so that the form takes it. */
function cellReader({ find, currency }: Reading, choices: FormState['choices']): ReadCell {
  const finder = (name: string) => (text: string, unknown?: string) => {
    const found = find(name, text, choices[name], unknown)
    const offered = choices[name] ?? []
    if (!offered.some(({ id }) => id === found.id)) choices[name] = [...offered, found]
    return found
  }
  return (cell, field, name) => readCell(field, cell, { find: finder(name), currency })
}

type Line = [which: string, value: string]
type SaidParts = Record<string, Said>

function saidParts(line: Line, name: string, { rows }: RepeaterField<Fields>, vat: VatRate | null, read: ReadCell): SaidParts {
  const parts = Object.entries(rows).map(([part, field], at) => {
    const cell = line[at] as string
    const value = () => read(cell, field, `${name}.${part}`)
    return [part, say(cell, () => (field.kind === 'money' ? priceOf(value(), field, vat) : value()))]
  })
  return Object.fromEntries(parts)
}

/** Of the row that has the same first value, such as the same day. */
function keyOf(known: Row[], parts: SaidParts): string | undefined {
  const [[which, first] = ['']] = Object.entries(parts)
  const before = known.find((row) => row[which] === first?.value)
  return before && String(before.id)
}

const lastOf = (place: string): string => place.split('.').at(-1) as string

/** As prices are kept: with VAT. */
function priceOf(price: unknown, field: Field, vat: VatRate | null): unknown {
  return typeof price === 'number' ? readCell(field, formatRubles(withVat(price, vat))) : price
}

/** Whether the same holds on that day from an earlier one. */
function holdsAlready(known: Row[], parts: SaidParts): boolean {
  const [day, said] = Object.entries(parts).map(([part, { value }]) => ({ part, value }))
  if (!day || !said || typeof day.value !== 'string') return false
  const from = (row: Row) => String(row[day.part])
  const before = known.filter((row) => from(row) <= String(day.value)).sort((one, other) => (from(one) < from(other) ? -1 : 1))
  return before.length > 0 && before.at(-1)?.[said.part] === said.value
}

/** Rows in one cell, such as "Doors: 10; Windows: 5": all there are to be, or prices from days that are added to those there are. */
function partsOf(cell: string, { rows }: RepeaterField<Fields>): Line[] {
  const [first] = Object.values(rows) as [Field]
  const lines = cell.split(/[;\n]/).filter((line) => line.trim())
  return lines.map((line) => {
    const at = line.lastIndexOf(':')
    if (at < 0) throw new FieldError('Use the format {example}.', { example: kindOf(first).cell?.example ?? 'A: 10; B: 5' })
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
  })
}

/** As the record has them, so that the same ones are no change. */
function sortByDay(rows: Row[] = [], { unique = '' }: RepeaterField): void {
  rows.sort((one, other) => (String(one[unique]) < String(other[unique]) ? -1 : 1))
}

/** What a column holds for a field: its number or, where it is a text, what the sheet shows of it. */
function cellFor(field: Field | undefined, { cells, shown }: SheetRow, at: number): string {
  return (field && kindOf(field).cell?.asShown && shown?.[at]) || (cells[at] ?? '')
}
