import { desc, getTableName } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { statusNameFor } from '../../core/default-workflow.ts'
import { changes, systemName, whereIn } from '../../database/index.ts'
import { findLabels, referencedTable } from '../../database/references.ts'
import type { Acting } from '../acting.ts'
import { recordPath } from '../card/card.ts'
import { type Field, type Form, fieldsOf, unseenFields, withoutHidden } from '../form/form.ts'
import { url } from '../http.ts'
import { savedName } from '../uploads/attachments.ts'
import { formatChanges } from './format.ts'

export const actionNames = { create: 'Created', update: 'Updated', delete: 'Deleted', restore: 'Restored' }

type Change = typeof changes.$inferSelect
export type HistoryEntry = ReturnType<typeof formatEntries>[number]

export function formatEntries(acting: Acting, ids: number[]) {
  const { db } = acting.server
  const rows = db.select().from(changes).where(whereIn(changes.id, ids)).orderBy(desc(changes.id)).all()
  const fieldsFor = memoize((entity) => visibleFields(acting, entity))
  const choices = loadReferencedNames(acting, rows, fieldsFor)
  const recordFor = memoize((key) => findRecord(acting, key))
  return rows.map((change) => {
    const context = {
      fields: fieldsFor(change.entity),
      choices,
      fileName: (key: string) => savedName(db, { entity: change.entity, id: change.record_id }, key),
      t: acting.t,
      language: acting.language,
    }
    return {
      ...change,
      actor_name: change.actor_name === systemName ? acting.t('System') : change.actor_name,
      done: actionNames[change.action],
      ...recordFor(`${change.entity} ${change.record_id}`),
      fields: formatChanges(change.fields, context),
    }
  })
}

function memoize<T>(find: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>()
  return (key) => {
    if (!known.has(key)) known.set(key, find(key))
    return known.get(key) as T
  }
}

function visibleFields({ server, actor }: Acting, entity: string): Map<string, Field> {
  const fields = historyFields(server, entity)
  const hidden = cardsOf(server, entity).flatMap((card) => card.hiddenFrom?.(actor) ?? [])
  return withoutHidden(fields, new Set([...hidden, ...unseenFields(fields, actor)]))
}

function findRecord({ server, actor }: Acting, key: string): { kind: string; href?: string } {
  const [entity = '', id] = key.split(' ')
  const cards = cardsOf(server, entity)
  const found = cards.map((card) => ({ card, record: card.find(server.db, Number(id)) })).find(({ record }) => record)
  if (!found) return { kind: cards.length === 1 ? String(cards[0]?.listTitle) : 'People' }
  const { card, record } = found
  return {
    kind: card.listTitle,
    ...(allows(card.may.view, actor, record) && { href: url(server, `${recordPath(card, String(id))}?tab=history`) }),
  }
}

export function cardsOf({ cards }: FastifyRequest['server'], entity: string) {
  return cards.filter(({ table }) => getTableName(table) === entity)
}

function loadReferencedNames({ server, language }: Acting, rows: Change[], fieldsFor: (entity: string) => Map<string, Field>) {
  const wanted = new Map<string, Set<number>>()
  const want = (name: string, field: Field | undefined, value: unknown): void => {
    if (field?.rows) for (const row of (value ?? []) as Record<string, unknown>[]) wantRow(name, field.rows, row)
    else if (field?.kind === 'choice' && typeof value === 'number') wanted.set(name, (wanted.get(name) ?? new Set()).add(value))
  }
  const wantRow = (name: string, fields: Record<string, Field>, row: Record<string, unknown>) => {
    for (const [part, field] of Object.entries(fields)) want(`${name}.${part}`, field, row[part])
  }
  for (const { entity, fields } of rows)
    for (const [name, values] of Object.entries(fields)) for (const value of values) want(name, fieldsFor(entity).get(name), value)
  return Object.fromEntries([...wanted].map(([name, ids]) => [name, choicesOf(name, [...ids])]))

  function choicesOf(name: string, ids: number[]) {
    const target = referencedTable(name.split('.').at(-1) as string)
    if (!target) return []
    const shown = (label: string) => (target === 'statuses' ? statusNameFor(language, label) : label)
    return [...findLabels(server.db, target, ids)].map(([id, label]) => ({ id, name: shown(label) }))
  }
}

export function historyFields({ cards }: Pick<FastifyInstance, 'cards'>, entity: string): Map<string, Field> {
  const own = cards.filter(({ table }) => getTableName(table) === entity)
  return new Map(
    own.flatMap(({ form, extraFields = {} }) => [
      ...Object.entries(extraFields),
      ...fieldsOf(form, { mode: 'create' }),
      ...fieldsOf(form, { mode: 'edit' }),
    ]),
  )
}

export function columnLabel(app: Pick<FastifyInstance, 'cards'>, entity: string, column: string): string {
  const forms: Form[] = app.cards.map(({ form }) => form)
  const rows = forms.flatMap(({ fields }) => Object.values(fields).map((field) => field?.rows?.[column]))
  return historyFields(app, entity).get(column)?.label ?? rows.find(Boolean)?.label ?? column
}
