import { getTableName, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { allows } from '../../core/access.ts'
import type { Database, RecordTable } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import type { Field } from '../fields/index.ts'
import { fieldsOf, unseenFields, withoutHidden } from '../form/form.ts'
import { cardsOf, kindTitle } from '../kind/registry.ts'
import { historyPath } from '../list/record-paths.ts'
import { describeEntries, people } from './describe-entries.ts'
import type { Subordinate } from './subordinates.ts'

export type HistoryEntry = ReturnType<typeof formatEntries>[number]

export function formatEntries(context: Context, ids: number[]) {
  const { server, t, language } = context
  const fieldsFor = memoize((entity) => visibleFields(context, entity))
  const recordFor = memoize((key) => findRecord(context, key))
  return describeEntries({ db: server.db, t, language }, ids, fieldsFor).map((entry) => ({
    ...entry,
    ...recordFor(`${entry.entity} ${entry.record_id}`),
  }))
}

function memoize<T>(find: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>()
  return (key) => {
    if (!known.has(key)) known.set(key, find(key))
    return known.get(key) as T
  }
}

/** The fields of a table whose changes this person may see. */
export function visibleFields({ server, actor }: Context, entity: string): Map<string, Field> {
  const fields = historyFields(server, entity)
  const hidden = new Set(unseenFields(fields, actor))
  return withoutHidden(fields, (name) => hidden.has(name))
}

interface PlaceOfRecord {
  kind: string
  href?: string
}

function findRecord(context: Context, key: string): PlaceOfRecord {
  const [entity = '', id] = key.split(' ')
  const below = context.server.registry.subordinates.find(({ table }) => getTableName(table) === entity)
  if (!below) return findOnCard(context, entity, Number(id))
  const owner = ownerOf(context.server.db, below, Number(id))
  const place = owner ? findOnCard(context, getTableName(owner.table), owner.id) : {}
  return { ...place, kind: below.title }
}

function findOnCard({ server, actor }: Context, entity: string, id: number): PlaceOfRecord {
  const cards = cardsOfTable(server, entity)
  for (const card of cards) {
    const record = card.find(server.db, id)
    if (!record) continue
    const kind = kindTitle(server, card)
    return allows(card.may.view, actor, record) ? { kind, href: url(server, historyPath(card, id)) } : { kind }
  }
  return { kind: cards[0] && cards.length === 1 ? kindTitle(server, cards[0]) : people }
}

export function cardsOfTable(server: Pick<FastifyInstance, 'records'>, entity: string) {
  return cardsOf(server).filter(({ form }) => getTableName(form.table) === entity)
}

export function historyFields(server: Pick<FastifyInstance, 'records' | 'registry'>, entity: string): Map<string, Field> {
  const below = server.registry.subordinates.find(({ table }) => getTableName(table) === entity)
  if (below) return new Map(Object.entries(below.fields))
  return new Map(
    cardsOfTable(server, entity).flatMap(({ form, extraFields = {} }) => [
      ...Object.entries(extraFields),
      ...fieldsOf(form, { mode: 'create' }),
      ...fieldsOf(form, { mode: 'edit' }),
    ]),
  )
}

function ownerOf(db: Database, { table, owners }: Subordinate, id: number): { table: RecordTable; id: number } | undefined {
  for (const { table: owning, column } of owners) {
    const named = column
      ? db.get<{ id: number | null } | undefined>(sql`select ${column} as id from ${table} where ${table.id} = ${id}`)?.id
      : 1
    if (named) return { table: owning, id: named }
  }
}
