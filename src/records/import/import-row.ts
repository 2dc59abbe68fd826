import { getTableColumns, sql } from 'drizzle-orm'
import { allows } from '../../core/access.ts'
import { fold } from '../../core/text.ts'
import type { Database, RecordTable, RowResult, SheetRow } from '../../database/index.ts'
import { ReauthenticationRequired } from '../../http/access/policy-hook.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, type Problem, ValidationFailed } from '../../http/request/errors.ts'
import { noInput } from '../../http/request/input.ts'
import { saveRecord } from '../card/save-record.ts'
import { describeValue } from '../form/describe-value.ts'
import {
  type Choice,
  type Entry,
  type Field,
  FieldError,
  type Fields,
  type FormState,
  fieldsOf,
  isDated,
  isRepeater,
  isValid,
  kindOf,
  type RepeaterField,
  type Row,
  type Values,
} from '../form/form.ts'
import { readForm } from '../form/read.ts'
import { type Sent, say } from '../form/sent.ts'
import { cellFor, columnLetters, readCell } from './columns.ts'
import { type Import, type ImportKind, importKindOf } from './import.ts'

interface Run {
  context: Context
  kind: ImportKind
  sheet: Import
  idsByKey: Map<string, number[]>
  /** The row in which each key or email occurred first. */
  seenKeys: Map<string, number>
  choices: Map<string, Choice[]>
}

type Versioned = { id: number; version: number }
type Errors = { [field: string]: Problem }

export function prepareRun(context: Context, sheet: Import, rows: SheetRow[]): Run {
  const kind = importKindOf(context.server, sheet)
  return { context, kind, sheet, idsByKey: findKeys(context.server.db, kind, sheet, rows), seenKeys: new Map(), choices: new Map() }
}

function findKeys(db: Database, { card }: ImportKind, { key_field, fields }: Import, rows: SheetRow[]): Run['idsByKey'] {
  const column = getTableColumns(card.form.table as RecordTable)[key_field]
  const at = fields.indexOf(key_field)
  const field = card.form.fields[key_field] as Field | undefined
  if (!column || at < 0) return new Map()
  // No record has a key that is longer than its field: it need not be looked for.
  const keys = rows.map((row) => cellFor(field, row, at)).filter((cell) => cell.length <= longestText)
  // An empty one would find the records that have none.
  const texts = JSON.stringify(keys.map((cell) => keyText(field, cell)).filter(Boolean))
  // Emails have an index that ignores case, and there may be very many.
  const folded = key_field !== 'email' && key_field !== 'id'
  const found = db.values<[number, string]>(sql`select id, ${column} from ${card.form.table}
    where ${folded ? sql`fold(trim(${column}))` : column} in (select value from json_each(${texts}))`)
  const ids = new Map<string, number[]>()
  for (const [id, value] of found) ids.set(keyText(field, String(value)), [...(ids.get(keyText(field, String(value))) ?? []), id])
  return ids
}

const longestText = 255

function keyText(field: Field | undefined, cell: string): string {
  try {
    return fold(field ? String(readCell(field, cell.trim()) ?? '') : cell.trim())
  } catch {
    return ''
  }
}

/** Saves one row through the form, access rules and history of its card. Call it inside `write`. */
export function importRow(run: Run, sheetRow: SheetRow): RowResult {
  const { row } = sheetRow
  const { key_field } = run.sheet
  const texts = textsOf(run, sheetRow)
  const result: RowResult = { row, outcome: 'refused', label: labelOf(run, texts), changes: [], problems: [] }
  const refuse = (errors: Errors) => {
    result.outcome = 'refused'
    result.problems = Object.entries(errors).map(([name, problem]) => problemOfRow(run, name, problem))
    return result
  }
  try {
    refuseFaulty(run, sheetRow)
    const record = findRecord(run, row, texts)
    return record ? updateFrom(run, texts, record, result) : createFrom(run, texts, result)
  } catch (error) {
    if (error instanceof RowRejected) return refuse(error.errors)
    if (error instanceof ValidationFailed) return refuse(error.errors)
    if (!(error instanceof HttpError) || error instanceof ReauthenticationRequired) throw error
    return refuse({ [key_field]: error })
  }
}

/** What a row says of each field. */
function textsOf({ kind: { card }, sheet: { fields } }: Run, row: SheetRow): Map<string, string> {
  const texts = fields.flatMap((name, at) => (name ? [[name, cellFor(card.form.fields[name], row, at)] as const] : []))
  return new Map(texts.filter(([, text]) => text))
}

function refuseFaulty({ sheet: { fields } }: Run, { cells, faulty = [] }: SheetRow): void {
  const errors = faulty.flatMap((at) => {
    const text = cells[at] as string
    const problem = text.startsWith('=') ? { message: uncomputed } : { message: 'This cell holds an error: {text}.', params: { text } }
    return fields[at] ? [[fields[at], problem] as const] : []
  })
  if (errors.length > 0) throw new RowRejected(Object.fromEntries(errors))
}

const uncomputed = 'This formula has no computed value. Open the file in a spreadsheet program and save it there.'

class RowRejected extends Error {
  readonly errors: Errors
  constructor(errors: Errors) {
    super('this row cannot be imported')
    this.errors = errors
  }
}

function labelOf({ kind: { card, keys }, sheet }: Run, texts: Map<string, string>): string {
  const named = ['org', 'lastname', 'name'].flatMap((name) => (name in card.form.fields ? (texts.get(name) ?? []) : []))
  return named.join(' ') || [sheet.key_field, ...keys].map((name) => texts.get(name)).find(Boolean) || '—'
}

function problemOfRow({ kind, sheet }: Run, id: string, { message, params }: Problem): RowResult['problems'][number] {
  const name = id.split('.')[0] as string
  const at = sheet.fields.indexOf(name)
  const label = (kind.card.form.fields[name] as Field | undefined)?.label
  return { label, message, params, column: at < 0 ? undefined : columnLetters(at) }
}

function findRecord(run: Run, row: number, texts: Map<string, string>): Versioned | undefined {
  const { context, kind, sheet, idsByKey } = run
  const { key_field } = sheet
  const fields = kind.card.form.fields
  for (const [name, text] of texts) {
    if (name !== key_field && name !== kind.unique) continue
    const id = `${name} ${keyText(fields[name], text)}`
    const earlier = run.seenKeys.get(id)
    if (earlier) throw new RowRejected({ [name]: { message: 'Duplicate of row {row}.', params: { row: earlier } } })
    run.seenKeys.set(id, row)
  }
  const text = texts.get(key_field)
  if (!text && key_field !== 'id') throw new RowRejected({ [key_field]: { message: 'Required to match this row.' } })
  const ids = idsByKey.get(keyText(fields[key_field], text ?? '')) ?? []
  const found = ids.flatMap((id) => kind.card.find(context.server.db, id) ?? [])
  if (found.length > 1) throw new RowRejected({ [key_field]: { message: 'Several records have this value.' } })
  if (found.length === 0 && text && key_field === 'id') throw new RowRejected({ id: { message: 'No record has this ID.' } })
  return found[0]
}

function createFrom(run: Run, texts: Map<string, string>, result: RowResult): RowResult {
  const { context, kind, sheet } = run
  const { card } = kind
  if (!allows(card.may.add, context.actor)) throw new RowRejected({ [sheet.key_field]: { message: "You don't have access." } })
  const state = card.formState(context, undefined, noInput)
  const { values } = readCells(run, texts, { ...state, stored: { ...state.stored, ...kind.initial } })
  const { id } = saveRecord(context, card, undefined, values)
  const record = card.find(context.server.db, id) as Versioned
  const inserted = fieldsOf(card.form, state)
  const others = [...texts].filter(([name]) => !inserted.has(name) && name !== 'id')
  if (others.length > 0) updateFrom(run, new Map(others), record, result)
  const version = card.find(context.server.db, id)?.version
  return { ...result, outcome: 'new', id, version, before: undefined, changes: [] }
}

function updateFrom(run: Run, texts: Map<string, string>, record: Versioned, result: RowResult): RowResult {
  const { context, kind, sheet } = run
  const { card } = kind
  if (!allows(card.may.edit, context.actor, record)) throw new RowRejected({ [sheet.key_field]: { message: "You don't have access." } })
  const state = card.formState(context, record, noInput)
  const { values, choices } = readCells(run, texts, state)
  const changed = Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(state.stored[name] ?? null))
  if (changed.length === 0) return { ...result, outcome: 'unchanged', id: record.id }
  const saved = saveRecord(context, card, record, Object.fromEntries(changed))
  // What a row says only of other changes changes nothing by itself.
  if (!saved.changed) return { ...result, outcome: 'unchanged', id: record.id }
  const describe = (name: string, value: unknown) => describeValue(name, card.form.fields[name], value, choices, context.t)
  return {
    ...result,
    outcome: 'changed',
    id: record.id,
    version: card.find(context.server.db, record.id)?.version,
    before: Object.fromEntries(changed.map(([name]) => [name, state.stored[name] ?? null])),
    changes: changed.map(([name, value]) => ({
      label: card.form.fields[name].label,
      from: describe(name, state.stored[name]),
      to: describe(name, value),
    })),
  }
}

/** The values that the cells of a row say, for a form in this state. */
function readCells(run: Run, texts: Map<string, string>, state: FormState): { values: Values; choices: FormState['choices'] } {
  const { form } = run.kind.card
  const choices = { ...state.choices }
  const entry: Entry = readForm(form, { ...state, choices }, sentCells(run, texts, { ...state, choices }))
  for (const [name, field] of fieldsOf(form, state))
    if (isRepeater(field) && isDated(field)) sortByDay(entry.values[name] as Row[] | undefined, field)
  if (!isValid(entry)) throw new RowRejected(entry.errors)
  return { values: entry.values, choices }
}

function sentCells(run: Run, texts: Map<string, string>, { stored, choices }: FormState): Sent {
  const finder = (name: string) => (text: string) => {
    const found = findChoice(run, name, text, choices[name])
    const offered = choices[name] ?? []
    if (!offered.some(({ id }) => id === found.id)) choices[name] = [...offered, found]
    return found
  }
  const sayCell = (cell: string, field: Field, name: string) => say(cell, () => readCell(field, cell, finder(name)))
  return {
    texts,
    said(name, field) {
      const cell = texts.get(name)
      return cell === undefined ? undefined : sayCell(cell, field, name)
    },
    rows(name, field) {
      const cell = texts.get(name)
      if (cell === undefined) return undefined
      const lines = say(cell, () => partsOf(cell, field))
      if (lines.problem) return { complete: false, rows: [], problem: lines.problem }
      const known = (stored[name] ?? []) as Row[]
      const [which = ''] = Object.keys(field.rows)
      const rows = (lines.value as [string, string][]).map((parts, index) => {
        const said = Object.entries(field.rows).map(
          ([part, of], at) => [part, sayCell(parts[at] as string, of, `${name}.${part}`)] as const,
        )
        const before = known.find((row) => row[which] === said[0]?.[1].value)
        const sent = { ...this, said: (place: string) => Object.fromEntries(said)[place.split('.').at(-1) as string] }
        return { index: String(index), key: before && String(before.id), sent }
      })
      return { complete: !isDated(field) || Boolean(run.sheet.replaces_prices), rows }
    },
    uploaded: () => false,
  }
}

/** Rows in one cell, such as "Doors: 10; Windows: 5": all there are to be, or prices from days that are added to those there are. */
function partsOf(cell: string, { rows }: RepeaterField<Fields>): [which: string, value: string][] {
  const [first] = Object.values(rows) as [Field]
  const lines = cell.split(/[;\n]/).filter((line) => line.trim())
  return lines.map((line) => {
    const at = line.lastIndexOf(':')
    if (at < 0) throw new FieldError('Use the format {example}.', { example: kindOf(first).cell?.example ?? 'A: 10; B: 5' })
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
  })
}

function findChoice(run: Run, name: string, text: string, offered: Choice[] = []): Choice {
  const finder = run.kind.finders?.[name]
  const key = `${name} ${text}`
  const among = run.choices.get(key) ?? (finder ? finder(run.context, { query: text.slice(0, 200) }) : offered)
  if (finder) run.choices.set(key, among)
  const found = among.filter((choice) => fold(choice.name.trim()) === fold(text))
  if (found.length > 1) throw new FieldError('More than one record is named "{name}".', { name: text })
  if (!found[0]) throw new FieldError('No option "{name}".', { name: text })
  return found[0]
}

/** As the record has them, so that the same ones are no change. */
function sortByDay(rows: Row[] = [], { unique = '' }: RepeaterField): void {
  rows.sort((one, other) => (String(one[unique]) < String(other[unique]) ? -1 : 1))
}
