import type { FastifyInstance } from 'fastify'
import type { MenuItem } from '../app-types.ts'
import { exportList } from './export.ts'
import { showList } from './show.ts'
import type { List } from './state.ts'

/** A list with its spreadsheet, and its place in the menu. */
export function listRoutes<Row extends { id: number }>(
  app: FastifyInstance,
  path: string,
  list: List<Row>,
  menu?: Omit<MenuItem, 'path' | 'label' | 'rule'>,
): void {
  const access = list.may.list
  if (menu) app.menu.push({ path, label: list.title, rule: access, may: list.may, ...menu })
  app.get(path, { access }, showList(list))
  app.get(`${path}/export`, { access, answers: 'spreadsheet' }, exportList(list))
}
