import type { FastifyInstance } from 'fastify'
import type { AnyRule } from '../core/access.ts'
import { type CardHandlers, cardRoutes } from './card/routes.ts'
import type { RecordForm } from './form/form.ts'
import type { Card, CardRecord } from './kind/card.ts'
import type { ImportPart } from './kind/registry.ts'
import type { AnyResource } from './kind/resource.ts'
import { type DeletionPart, deletionRoutes } from './list/deletion.ts'
import type { List } from './list/list.ts'
import { addToMenu, type ListMenu, listRoutes } from './list/routes.ts'
import type { SearchSource } from './list/search-source.ts'

/** A kind of record: all that a module declares of it, in parts. */
interface RecordParts<R extends CardRecord, Row extends { id: number }, F extends RecordForm> {
  list: List<Row>
  card: Card<R, F>
  deletion: DeletionPart<R>
  search?: Omit<SearchSource, 'list' | 'icon'>
  imports?: ImportPart
  api?: AnyResource
  menu: ListMenu
}

/** Adds a kind of record: list and card, deletion and trash, its place in the menu, in the search and in the API. */
export function addRecord<R extends CardRecord, Row extends { id: number }, F extends RecordForm>(
  app: FastifyInstance,
  record: RecordParts<R, Row, F>,
  handlers?: Partial<CardHandlers<R>>,
): void {
  listRoutes(app, record.list)
  declareRecord(app, record)
  cardRoutes(app, record.card, handlers)
}

/** The same, where the module has its own pages for list or card. */
export function declareRecord<R extends CardRecord, Row extends { id: number }, F extends RecordForm>(
  app: FastifyInstance,
  record: RecordParts<R, Row, F>,
): void {
  const { list, card, search, imports, api, menu } = record
  const deletion = { list, table: card.form.table, rule: list.may.delete as AnyRule, find: card.find, ...record.deletion }
  app.records.set(list.name, { list, card, deletion, search: search && { list, icon: menu.icon, ...search }, imports, api })
  addToMenu(app, list, menu)
  deletionRoutes(app, deletion)
}
