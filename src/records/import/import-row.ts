import { allows } from '../../core/access.ts'
import { firstCharacters } from '../../core/text.ts'
import type { RowResult, SheetRow } from '../../database/index.ts'
import { ReauthenticationRequired } from '../../http/access/recent-password.ts'
import { HttpError, type Problem, ValidationFailed } from '../../http/request/errors.ts'
import { noInput } from '../../http/request/input.ts'
import { saveRecord } from '../card/save-record.ts'
import { type Choice, type Field, isRepeater, missingProblem } from '../fields/index.ts'
import { describeValue } from '../form/describe-value.ts'
import { type FormState, fieldsOf, type Row, type Values } from '../form/form.ts'
import { formStateOf } from '../kind/form-state.ts'
import { columnLetters } from './columns.ts'
import type { Versioned } from './find-record.ts'
import { type ImportKind, importedFields } from './import.ts'
import { findNamed, settleNames } from './named-records.ts'
import { type Errors, type Notes, RowRejected, readCells, refuseFaulty, textsOf } from './read-cells.ts'
import type { Run } from './run.ts'

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
  return orRefuse(run, sheetRow, result, () => {
    const record = findRecord(run, sheetRow, texts)
    return record ? updateFrom(run, texts, record, result) : createFrom(run, texts, result)
  })
}

/** @throws RowRejected with whatever else is wrong with the row, if its record cannot be told */
function findRecord(run: Run, sheetRow: SheetRow, texts: Map<string, string>): Versioned | undefined {
  try {
    refuseFaulty(run.sheet, sheetRow)
    return run.records.find(sheetRow.row, texts)
  } catch (error) {
    if (!(error instanceof RowRejected)) throw error
    throw new RowRejected({ ...wrongCells(run, texts), ...error.errors })
  }
}

/** What is wrong with the cells themselves, whichever record they are of. A row that is refused adds nothing. */
function wrongCells(run: Run, texts: Map<string, string>): Errors {
  const state = formStateOf(run.kind.card, run.context, undefined, noInput)
  const toBeAdded = (_: ImportKind, name: string): Choice => ({ id: 0, name })
  try {
    readCells({ ...run, find: findNamed(run, toBeAdded) }, texts, { ...state, findProblems: undefined })
    return {}
  } catch (error) {
    if (!(error instanceof RowRejected)) throw error
    return Object.fromEntries(Object.entries(error.errors).filter(([id]) => texts.has(id.split('.')[0] as string)))
  }
}

/** Changes a record that no row names. Call it inside `write`. */
export function changeMissing(run: Run, id: number): RowResult {
  const { context, kind } = run
  const record = kind.card.find(context.server.db, id)
  const label = record ? kind.card.titleOf(record, context.t, context.language) : String(id)
  const notes: Notes = [{ message: 'Missing from this file' }]
  const result: RowResult = { row: 0, outcome: 'refused', label, changes: [], problems: [], notes }
  return orRefuse(run, undefined, result, () => {
    if (!record) throw new RowRejected({ id: { message: 'No record has this ID.' } })
    const { stored } = editState(run, record)
    return change(run, record, { values: kind.missing?.values ?? {}, choices: {}, stored }, result)
  })
}

function orRefuse(run: Run, sheetRow: SheetRow | undefined, result: RowResult, work: () => RowResult): RowResult {
  const refuse = (errors: Errors) => {
    result.outcome = 'refused'
    result.notes = result.notes?.filter(({ message }) => message !== alsoAdded)
    result.problems = Object.entries(errors).map(([name, problem]) => problemOfRow(run, sheetRow, name, problem))
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

type ImportProblem = RowResult['problems'][number]

function problemOfRow({ kind, sheet }: Run, row: SheetRow | undefined, id: string, { message, params }: Problem): ImportProblem {
  const name = id.split('.')[0] as string
  const at = sheet.fields.findIndex((column) => column === name || (column && kind.splits?.[column]?.fields.includes(name)))
  const field = kind.card.form.fields[name] as Field | undefined
  const problem = { label: field?.label, message, params }
  if (at >= 0) {
    const cell = firstCharacters(row?.shown?.[at] ?? row?.cells[at] ?? '', 50)
    const isSaid = Object.values(params ?? {}).includes(cell)
    return { ...problem, column: columnLetters(at), header: sheet.headers[at] ?? undefined, cell: isSaid ? undefined : cell }
  }
  return field && message === missingProblem(field).message ? { ...problem, lacksColumn: true } : problem
}

function createFrom(run: Run, texts: Map<string, string>, result: RowResult): RowResult {
  const { context, kind, sheet } = run
  const { card, invitation } = kind
  if (!allows(card.may.add, context.actor)) throw new RowRejected({ [sheet.key_field]: { message: "You don't have access." } })
  kind.complete?.(texts)
  if (run.invites && invitation && !texts.has(invitation.field)) texts.set(invitation.field, '1')
  const state = formStateOf(card, context, undefined, noInput)
  const reading = { ...run, find: findNamed(run, adder(run, result)) }
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
  const { values, choices } = readCells({ ...run, find: findNamed(run, adder(run, result)) }, texts, state)
  return change(run, record, { values, choices, stored: state.stored }, result)
}

function editState({ context, kind: { card }, sheet }: Run, record: Versioned): FormState {
  if (!allows(card.may.edit, context.actor, record)) throw new RowRejected({ [sheet.key_field]: { message: "You don't have access." } })
  return formStateOf(card, context, record, noInput)
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
      from: describe(name, differing(card.form.fields[name], stored[name], value)),
      to: describe(name, differing(card.form.fields[name], value, stored[name])),
    })),
  }
}

/** Of many rows, such as all prices of a product, those that the other value does not have. */
function differing(field: Field, value: unknown, other: unknown): unknown {
  if (!isRepeater(field)) return value
  const textOf = (row: Row) => JSON.stringify(Object.keys(field.rows).map((part) => row[part]))
  const others = new Set(((other ?? []) as Row[]).map(textOf))
  return ((value ?? []) as Row[]).filter((row) => !others.has(textOf(row)))
}

const alsoAdded = 'Will also be added: {name}'

/** Adds what a cell of this row names, and says so beside it. */
function adder(run: Run, result: RowResult) {
  return (kind: ImportKind, text: string): Choice => {
    const blank: RowResult = { row: 0, outcome: 'new', label: text, changes: [], problems: [] }
    const added = createFrom({ ...run, kind }, new Map([[kind.keys.at(-1) as string, text]]), blank)
    result.notes?.push({ message: alsoAdded, params: { name: text } })
    return { id: added.id as number, name: text }
  }
}
