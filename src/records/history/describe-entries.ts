import { desc } from 'drizzle-orm'
import { recordLabelFor } from '../../core/default-workflow.ts'
import { changes, whereIn } from '../../database/index.ts'
import { findLabels, referencedTable } from '../../database/references.ts'
import { savedName } from '../../http/uploads/uploaded.ts'
import { kindOf } from '../fields/index.ts'
import type { FieldWords } from '../form/describe-value.ts'
import type { Reading } from '../spreadsheet/described-sheet.ts'
import { actorNameFor } from './actor-name.ts'
import { formatChanges } from './format.ts'

export const actionNames = { create: 'Created', update: 'Updated', delete: 'Deleted', restore: 'Restored' }

/** What people are called of whom no card is left. */
export const people = 'People'

type Change = typeof changes.$inferSelect
type FieldsFor = (entity: string) => ReadonlyMap<string, FieldWords>

/** Entries of the change history in words, with the fields that `fieldsFor` shows of a table. */
export function describeEntries(reading: Reading, ids: number[], fieldsFor: FieldsFor) {
  const { db, t, language } = reading
  const rows = db.select().from(changes).where(whereIn(changes.id, ids)).orderBy(desc(changes.id)).all()
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
