import type { FastifyInstance } from 'fastify'
import type { MenuItem } from '../../view/shell.ts'
import { exportList } from './export.ts'
import type { AnyList, BulkAction, List } from './list.ts'
import { showList } from './show.ts'

declare module 'fastify' {
  interface Registry {
    bulkActions: BulkAction[]
  }
}

export type ListMenu = Omit<MenuItem, 'path' | 'label' | 'rule'> & { label?: string }

/** A list with its spreadsheet, and its place in the menu. */
export function listRoutes<Row extends { id: number }>(app: FastifyInstance, list: List<Row>, menu?: ListMenu): void {
  const access = list.may.list
  // What happened is listed, too, but is nothing that others refer to or save a view of.
  if (!list.rows.events) app.records.set(list.name, { list })
  if (menu) addToMenu(app, list, menu)
  app.get(`/${list.name}`, { access }, showList(list))
  app.get(`/${list.name}/export`, { access, answers: 'spreadsheet' }, exportList(list))
}

export function addToMenu(app: FastifyInstance, { name, title, may, add }: AnyList, menu: ListMenu): void {
  const rules = add?.rule ? { ...may, add: add.rule } : may
  app.registry.menu.push({ path: `/${name}`, label: title, rule: may.list, may: rules, ...menu })
}
