import type { FastifyInstance } from 'fastify'
import type { MenuItem } from '../app-types.ts'
import { exportList } from './export.ts'
import { showList } from './show.ts'
import type { AnyList, FurtherAction, List } from './state.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Lists of records by their names. */
    lists: Map<string, AnyList>
    /** What other modules do with the rows of a list. */
    bulkActions: FurtherAction[]
  }
}

/** A list with its spreadsheet, and its place in the menu. */
export function listRoutes<Row extends { id: number }>(
  app: FastifyInstance,
  path: string,
  list: List<Row>,
  menu?: Omit<MenuItem, 'path' | 'label' | 'rule'>,
): void {
  const access = list.may.list
  registerList(app, list)
  if (menu) app.menu.push({ path, label: list.title, rule: access, may: list.may, ...menu })
  app.get(path, { access }, showList(list))
  app.get(`${path}/export`, { access, answers: 'spreadsheet' }, exportList(list))
}

/** What happened is listed, too, but is nothing that others refer to or save a view of. */
export function registerList(app: FastifyInstance, list: AnyList): void {
  if (!list.events) app.lists.set(list.name, list)
}
