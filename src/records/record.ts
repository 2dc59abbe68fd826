import type { FastifyInstance } from 'fastify'
import type { AnyRule } from '../core/access.ts'
import type { MenuItem } from '../view/shell.ts'
import { type CardHandlers, cardRoutes, type Handler } from './card/routes.ts'
import type { RecordForm } from './form/form.ts'
import type { Card, CardRecord } from './kind/card.ts'
import type { ImportPart } from './kind/registry.ts'
import type { AnyResource } from './kind/resource.ts'
import { type DeletionPart, deletionRoutes } from './list/deletion.ts'
import { exportList } from './list/export.ts'
import type { AnyList, List } from './list/list.ts'
import type { SearchSource } from './list/search-source.ts'
import { showList } from './list/show.ts'

/** A kind of record: all that a module declares of it, in parts. */
interface RecordParts<R extends CardRecord, Row extends { id: number }, F extends RecordForm> {
  list: List<Row>
  menu?: ListMenu
  card?: Card<R, F>
  deletion?: DeletionPart<R>
  search?: Omit<SearchSource, 'list' | 'icon'>
  imports?: ImportPart
  api?: AnyResource
}

type ListMenu = Omit<MenuItem, 'path' | 'label' | 'rule'> & { label?: string }

/** What a module answers itself. */
interface Handlers<R> extends CardHandlers<R> {
  showList: Handler
  exportList: Handler
}

/** Adds a kind of record: list with its spreadsheet, card, deletion and trash, its place in the menu, in the search and in the API. */
export function addRecord<R extends CardRecord, Row extends { id: number }, F extends RecordForm>(
  app: FastifyInstance,
  { list, menu, card, deletion: part, search, imports, api }: RecordParts<R, Row, F>,
  handlers: Partial<Handlers<R>> = {},
): void {
  const { name, may, rows } = list
  const deletion = card && part && { list, table: card.form.table, rule: may.delete as AnyRule, find: card.find, ...part }
  // What happened is listed, too, but is nothing that others refer to or save a view of.
  const ofRecords = rows.events ? undefined : list
  const found = search && { list, icon: menu?.icon ?? '', ...search }
  if (ofRecords || api) app.records.set(name, { list: ofRecords, card, deletion, search: found, imports, api })
  if (menu) addToMenu(app, list, menu)
  app.get(`/${name}`, { access: may.list }, handlers.showList ?? showList(list))
  app.get(`/${name}/export`, { access: may.export ?? may.list, answers: 'spreadsheet' }, handlers.exportList ?? exportList(list))
  if (deletion) deletionRoutes(app, deletion)
  if (card) cardRoutes(app, card, handlers)
}

function addToMenu(app: FastifyInstance, { name, title, may, add }: AnyList, menu: ListMenu): void {
  const rules = add?.rule ? { ...may, add: add.rule } : may
  app.registry.menu.push({ path: `/${name}`, label: title, rule: may.list, may: rules, ...menu })
}
