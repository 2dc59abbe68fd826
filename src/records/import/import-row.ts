import { allows } from '../../core/access.ts'
import type { VatRate } from '../../core/pricing.ts'
import { fold } from '../../core/text.ts'
import { findSettings, type RowResult, type SheetRow } from '../../database/index.ts'
import { ReauthenticationRequired } from '../../http/access/policy-hook.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, type Problem, ValidationFailed } from '../../http/request/errors.ts'
import { noInput } from '../../http/request/input.ts'
import { saveRecord } from '../card/save-record.ts'
import { describeValue } from '../form/describe-value.ts'
import { type Choice, type Field, FieldError, type FormState, fieldsOf, type Values } from '../form/form.ts'
import { columnLetters } from './columns.ts'
import { recordFinder, type Versioned } from './find-record.ts'
import { type Import, type ImportKind, importedFields, importKindOf, importKinds } from './import.ts'
import { chooseNamed, type Errors, type FindNamed, type Notes, RowRejected, readCells, refuseFaulty, textsOf } from './read-cells.ts'
import { isGroup, skippedRows } from './skipped-rows.ts'
import { askedFields, isToBeAdded, isToBeLeftOut, meantName } from './unknown-names.ts'

interface Run {
  context: Context
  kind: ImportKind
  sheet: Import
  records: ReturnType<typeof recordFinder>
  /** Why a row is none of a record. */
  skipped: (row: SheetRow) => string | undefined
  /** What the nearest group above says, by row. */
  groups: Map<number, string>
  choices: Map<string, Choice[]>
  vat: VatRate | null
}

/**
 * @param all what the sheet has, where only some rows are imported now
 * @param invites whether whom it adds is invited
 */
export function prepareRun(
  context: Context,
  sheet: Import,
  rows: SheetRow[],
  { all = rows, invites }: { all?: SheetRow[]; invites?: boolean } = {},
): Run {
  const kind = kindOfRun(context, sheet, invites)
  const records = recordFinder(context.server.db, kind, sheet, rows)
  const shape = skippedRows(kind, sheet)
  // Some lists are of names only: a row that names a known record is one of it.
  const skipped = (row: SheetRow) => (row.cells.filter(Boolean).every((cell) => records.isKnown(cell)) ? undefined : shape(row))
  const groups = sheet.takes_groups ? groupsAbove(all, skipped) : new Map()
  const vat = sheet.without_vat ? findSettings(context.server.db).vat : null
  return { context, kind, sheet, records, skipped, groups, choices: new Map(), vat }
}

function kindOfRun({ server }: Context, sheet: Import, invites = false): ImportKind {
  const kind = importKindOf(server, sheet)
  const { invitation, complete } = kind
  if (!invites || !invitation) return kind
  return {
    ...kind,
    complete(texts) {
      complete?.(texts)
      if (!texts.has(invitation.field)) texts.set(invitation.field, '1')
    },
  }
}

function groupsAbove(rows: SheetRow[], skipped: Run['skipped']): Map<number, string> {
  const groups = new Map<number, string>()
  let group: string | undefined
  for (const row of rows) {
    if (skipped(row)) {
      const filled = row.cells.filter(Boolean)
      if (isGroup(filled)) group = filled[0]
    } else if (group) groups.set(row.row, group)
  }
  return groups
}

/** Saves one row through the form, access rules and history of its card. Call it inside `write`. */
export function importRow(run: Run, sheetRow: SheetRow): RowResult {
  const { row } = sheetRow
  const { kind, sheet } = run
  const reason = run.skipped(sheetRow)
  if (reason) return skip(sheetRow, reason)
  const result: RowResult = { row, outcome: 'refused', label: '', changes: [], problems: [], notes: [] }
  const texts = textsOf(kind, sheet, sheetRow, result.notes)
  const group = run.groups.get(row)
  if (kind.groups && group && !texts.has(kind.groups)) texts.set(kind.groups, group)
  result.label = labelOf(run, texts)
  if (settleNames(run, texts, result)) return { ...skip(sheetRow, 'Left out, as you have said.'), asked: result.asked }
  return orRefuse(run, result, () => {
    refuseFaulty(sheet, sheetRow)
    const record = run.records.find(row, texts)
    return record ? updateFrom(run, texts, record, result) : createFrom(run, texts, result)
  })
}

/** Changes a record that no row names. Call it inside `write`. */
export function changeMissing(run: Run, id: number): RowResult {
  const { context, kind } = run
  const record = kind.card.find(context.server.db, id)
  const label = record ? kind.card.titleOf(record, context.t, context.language) : String(id)
  const notes: Notes = [{ message: 'Missing from this file' }]
  const result: RowResult = { row: 0, outcome: 'refused', label, changes: [], problems: [], notes }
  return orRefuse(run, result, () => {
    if (!record) throw new RowRejected({ id: { message: 'No record has this ID.' } })
    const { stored } = editState(run, record)
    return change(run, record, { values: kind.missing?.values ?? {}, choices: {}, stored }, result)
  })
}

function orRefuse(run: Run, result: RowResult, work: () => RowResult): RowResult {
  const refuse = (errors: Errors) => {
    result.outcome = 'refused'
    result.problems = Object.entries(errors).map(([name, problem]) => problemOfRow(run, name, problem))
    return result
  }
  try {
    return work()
  } catch (error) {
    if (error instanceof RowRejected) return refuse(error.errors)
    if (error instanceof ValidationFailed) return refuse(error.errors)
    if (!(error instanceof HttpError) || error instanceof ReauthenticationRequired) throw error
    return refuse({ [run.sheet.key_field]: error })
  }
}

function skip({ row, cells }: SheetRow, reason: string): RowResult {
  return { row, outcome: 'skipped', label: cells.find(Boolean) ?? '', changes: [], problems: [], notes: [{ message: reason }] }
}

function labelOf({ kind: { card, keys }, sheet }: Run, texts: Map<string, string>): string {
  const named = ['org', 'lastname', 'name'].flatMap((name) => (name in card.form.fields ? (texts.get(name) ?? []) : []))
  return named.join(' ') || [sheet.key_field, ...keys].map((name) => texts.get(name)).find(Boolean) || '—'
}

function problemOfRow({ kind, sheet }: Run, id: string, { message, params }: Problem): RowResult['problems'][number] {
  const name = id.split('.')[0] as string
  const at = sheet.fields.findIndex((column) => column === name || (column && kind.splits?.[column]?.fields.includes(name)))
  const label = (kind.card.form.fields[name] as Field | undefined)?.label
  return { label, message, params, column: at < 0 ? undefined : columnLetters(at) }
}

function createFrom(run: Run, texts: Map<string, string>, result: RowResult): RowResult {
  const { context, kind, sheet } = run
  const { card } = kind
  if (!allows(card.may.add, context.actor)) throw new RowRejected({ [sheet.key_field]: { message: "You don't have access." } })
  kind.complete?.(texts)
  const state = card.formState(context, undefined, noInput)
  const reading = { ...run, find: findNamed(run, result) }
  const { values, choices } = readCells(reading, texts, { ...state, stored: { ...state.stored, ...kind.initial } })
  const { id } = saveRecord(context, card, undefined, values)
  const record = card.find(context.server.db, id) as Versioned
  const inserted = fieldsOf(card.form, state)
  const others = [...texts].filter(([name]) => !inserted.has(name) && name !== 'id')
  const further = others.length > 0 ? updateFrom(run, new Map(others), record, result).changes : []
  const version = card.find(context.server.db, id)?.version
  const held = [...describeValues(run, values, choices), ...further.map(({ label, to }) => ({ label, to }))]
  return { ...result, outcome: 'new', id, version, before: undefined, changes: held }
}

/** What the form of a new record got. */
function describeValues({ kind, context }: Run, values: Values, choices: FormState['choices']): RowResult['changes'] {
  const held = importedFields(kind.card.form).filter(([name]) => name in values)
  return held.map(([name, field]) => ({ label: field.label, to: describeValue(name, field, values[name], choices, context.t) }))
}

function updateFrom(run: Run, texts: Map<string, string>, record: Versioned, result: RowResult): RowResult {
  const state = editState(run, record)
  const { values, choices } = readCells({ ...run, find: findNamed(run, result) }, texts, state)
  return change(run, record, { values, choices, stored: state.stored }, result)
}

function editState({ context, kind: { card }, sheet }: Run, record: Versioned): FormState {
  if (!allows(card.may.edit, context.actor, record)) throw new RowRejected({ [sheet.key_field]: { message: "You don't have access." } })
  return card.formState(context, record, noInput)
}

type Change = Pick<FormState, 'stored' | 'choices'> & { values: Values }

function change({ context, kind: { card } }: Run, record: Versioned, { values, choices, stored }: Change, result: RowResult): RowResult {
  const changed = Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(stored[name] ?? null))
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
    before: Object.fromEntries(changed.map(([name]) => [name, stored[name] ?? null])),
    changes: changed.map(([name, value]) => ({
      label: card.form.fields[name].label,
      from: describe(name, stored[name]),
      to: describe(name, value),
    })),
  }
}

/** Finds what a cell names, or adds it where whoever imports says so. */
function findNamed(run: Run, result: RowResult): FindNamed {
  return (name, text, offered = []) => {
    const found = chooseNamed(searchNamed(run, name, text) ?? offered, text)
    if (found) return found
    const list = addableList(run.context, run.kind, name)
    if (!list || !(run.sheet.adds_missing || isToBeAdded(run.sheet, name, text)))
      throw new FieldError('No option "{name}".', { name: text })
    return addNamed(run, list, text, result)
  }
}

/** Takes names that nobody knows for what whoever imports has said; returns whether the row is left out. */
function settleNames(run: Run, texts: Map<string, string>, result: RowResult): boolean {
  for (const field of askedFields(run.kind)) {
    const text = texts.get(field)
    if (!text || isKnown(run, field, text)) continue
    result.asked = [...(result.asked ?? []), { field, text }]
    if (isToBeLeftOut(run.sheet, field, text)) return true
    texts.set(field, meantName(run.sheet, field, text) ?? text)
  }
  return false
}

function isKnown(run: Run, field: string, text: string): boolean {
  const folded = fold(text)
  return (searchNamed(run, field, text) ?? []).some(({ name }) => fold(name.trim()) === folded)
}

function searchNamed({ kind, context, choices }: Run, name: string, text: string): Choice[] | undefined {
  const finder = kind.finders?.[name]
  if (!finder) return undefined
  const key = `${name} ${text}`
  const found = choices.get(key) ?? finder(context, { query: text.slice(0, 200) })
  // What is not there yet may be added for another row.
  if (found.length > 0) choices.set(key, found)
  return found
}

/** The list into which what a field names can be added by whoever imports. */
export function addableList(
  { server, actor }: Pick<Context, 'server' | 'actor'>,
  { adds }: ImportKind,
  name: string,
): ImportKind | undefined {
  const list = importKinds(server).find((one) => one.list === adds?.[name])
  return list && allows(list.card.may.add, actor) ? list : undefined
}

function addNamed(run: Run, kind: ImportKind, text: string, result: RowResult): Choice {
  const key = kind.keys.at(-1) as string
  const blank: RowResult = { row: 0, outcome: 'new', label: text, changes: [], problems: [] }
  const added = createFrom({ ...run, kind }, new Map([[key, text]]), blank)
  const choice = { id: added.id as number, name: text }
  result.notes?.push({ message: 'Will also be added: {name}', params: { name: text } })
  return choice
}
