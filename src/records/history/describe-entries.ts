import { desc } from 'drizzle-orm'
import { recordLabelFor, type StatusPolicyKey, statusPolicyNames } from '../../core/default-workflow.ts'
import { excerptDifference } from '../../core/difference-excerpt.ts'
import { type PolicyKey, policyCatalog } from '../../core/policies.ts'
import { changes, whereIn } from '../../database/index.ts'
import { findLabels, referencedTable } from '../../database/references.ts'
import type { ChangedFields } from '../../database/schema/audit-log.ts'
import { savedName } from '../../http/uploads/uploaded.ts'
import type { Language, Translate } from '../../i18n/translate.ts'
import { kindOf, toggle } from '../fields/index.ts'
import { isEmpty } from '../fields/kind.ts'
import { describeValue, type FieldWords } from '../form/describe-value.ts'
import type { FormState } from '../form/form.ts'
import type { Reading } from '../spreadsheet/described-sheet.ts'
import { actorNameFor } from './actor-name.ts'

export const actionNames = { create: 'Created', update: 'Updated', delete: 'Deleted', restore: 'Restored' }

/** What people are called of whom no card is left. */
export const people = 'People'

type Change = typeof changes.$inferSelect
type FieldsFor = (entity: string) => ReadonlyMap<string, FieldWords>

/** Entries of the change history in words, with the fields that `fieldsFor` shows of a table. */
export function describeEntries(reading: Reading, ids: number[], fieldsFor: FieldsFor) {
  const { db, t, language } = reading
  const stored = db.select().from(changes).where(whereIn(changes.id, ids)).orderBy(desc(changes.id)).all()
  const rows = stored.map((change) => ({ ...change, fields: withChangedRows(change.fields, fieldsFor(change.entity)) }))
  const choices = loadReferencedNames(reading, rows, fieldsFor)
  return rows.map((change) => {
    const fileName = (key: string, field: string) => savedName(db, { entity: change.entity, id: change.record_id, field }, key)
    return {
      ...change,
      actor_name: actorNameFor(t, change.actor_name),
      done: actionNames[change.action],
      fields: formatChanges(change.fields, { fields: fieldsFor(change.entity), choices, fileName, t, language }),
    }
  })
}

/** Of lists their changed rows only: of two hundred lines with long remarks nobody reads the others. */
function withChangedRows(changed: ChangedFields, fields: ReadonlyMap<string, FieldWords>): ChangedFields {
  return Object.fromEntries(
    Object.entries(changed).map(([name, values]) => [name, fields.get(name)?.rows ? changedRows(...values) : values]),
  )
}

type Row = Record<string, unknown>

/** More than an excerpt of their words has room for. */
const mostRows = 50

function changedRows(before: unknown, after: unknown): [Row[], Row[]] {
  const [old, now] = [withTexts(before), withTexts(after)]
  const [gone, added] = [without(old, now), without(now, old)]
  return gone.length + added.length > 0 ? [firstOf(gone), firstOf(added)] : [firstOf(old), firstOf(now)]
}

interface RowText {
  row: Row
  text: string
}

const withTexts = (rows: unknown): RowText[] => ((rows ?? []) as Row[]).map((row) => ({ row, text: JSON.stringify(row) }))

function without(rows: RowText[], others: RowText[]): RowText[] {
  const known = new Set(others.map(({ text }) => text))
  return rows.filter(({ text }) => !known.has(text))
}

const firstOf = (rows: RowText[]): Row[] => rows.slice(0, mostRows).map(({ row }) => row)

function loadReferencedNames({ db, language }: Reading, rows: Change[], fieldsFor: FieldsFor) {
  const wanted = new Map<string, Set<number>>()
  const want = (name: string, field: FieldWords | undefined, value: unknown): void => {
    if (field?.rows) for (const row of (value ?? []) as Record<string, unknown>[]) wantRow(name, field.rows, row)
    else if (field && kindOf(field).refers && typeof value === 'number') wanted.set(name, (wanted.get(name) ?? new Set()).add(value))
  }
  const wantRow = (name: string, fields: Record<string, FieldWords>, row: Record<string, unknown>) => {
    for (const [part, field] of Object.entries(fields)) want(`${name}.${part}`, field, row[part])
  }
  for (const { entity, fields } of rows)
    for (const [name, values] of Object.entries(fields)) for (const value of values) want(name, fieldsFor(entity).get(name), value)
  return Object.fromEntries([...wanted].map(([name, ids]) => [name, choicesOf(name, [...ids])]))

  function choicesOf(name: string, ids: number[]) {
    const target = referencedTable(name.split('.').at(-1) as string)
    if (!target) return []
    return [...findLabels(db, target, ids)].map(([id, label]) => ({ id, name: recordLabelFor(language, target, label) }))
  }
}

interface FormatContext {
  fields: ReadonlyMap<string, FieldWords>
  choices: FormState['choices']
  fileName: (key: string, field: string) => string | undefined
  t: Translate
  language: Language
}

interface FieldChange {
  label: string
  secret: boolean
  before: string
  after: string
}

function formatChanges(changed: ChangedFields, context: FormatContext): FieldChange[] {
  const names = [...context.fields.keys(), ...Object.keys(changed).filter((name) => name.includes('.'))]
  return names.filter((name) => name in changed).flatMap((name) => formatChange(name, changed[name] as [unknown, unknown], context) ?? [])
}

function formatChange(name: string, [before, after]: [unknown, unknown], context: FormatContext): FieldChange | undefined {
  const field = context.fields.get(name) ?? switchField(name, context)
  if (!field) return undefined
  const secret = kindOf(field).secret === true
  if (!secret && isEmpty(before) && isEmpty(after)) return undefined
  const words = [before, after].map((value) => formatValue(name, field, value, context)) as [string, string]
  const [shownOld, shownNow] = excerptDifference(...words)
  return { label: context.fields.has(name) ? context.t(field.label) : field.label, secret, before: shownOld, after: shownNow }
}

function formatValue(name: string, field: FieldWords, value: unknown, { choices, fileName, t }: FormatContext): string {
  // What no value is called on a card is no change of it.
  return describeValue(name, { ...field, none: undefined }, value, choices, t, fileName)
}

const switches: Record<string, (key: string, context: FormatContext) => string | undefined> = {
  rights: (key, { t }) => (Object.hasOwn(policyCatalog, key) ? t(policyCatalog[key as PolicyKey].name) : undefined),
  policies: (key, { language }) =>
    Object.hasOwn(statusPolicyNames, key) ? statusPolicyNames[key as StatusPolicyKey][language] : undefined,
}

function switchField(name: string, context: FormatContext): FieldWords | undefined {
  const [prefix = '', key = ''] = name.split('.')
  const label = switches[prefix]?.(key, context)
  return label === undefined ? undefined : toggle(label)
}
