import type { FastifyRequest } from 'fastify'
import type { Done } from '../../http/action.ts'
import { refererPath, safePath, url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { notFound } from '../../http/request/errors.ts'
import { bodyOf } from '../../http/request/input.ts'
import type { Template } from '../../http/request/template.ts'
import { parseSwitch } from '../fields/index.ts'
import type { List } from './list.ts'
import { labeller, type PermittedRow, shownRows } from './rows.ts'

export interface SwitchCell {
  list: { name: string; path: string }
  row: PermittedRow<object>
  key: string
  label: string
  name: string
}

/** Saves the requested state of a switch in a list, so that a repeated request changes nothing; answers with its cell or the list. */
export function switchRow<Row extends { id: number }, R extends { id: number }>(
  list: List<Row>,
  column: string,
  cell: Template<SwitchCell>,
  save: (context: Context, record: R, value: boolean) => void,
) {
  return (request: FastifyRequest, record: R): Done => {
    save(request, record, parseSwitch(bodyOf(request).get('value')))
    return {
      location: safePath(request.server, refererPath(request), url(request.server, `/${list.name}`)),
      fragment: (reply) => reply.page(cell, viewOfSwitch(request, list, record.id, column)),
    }
  }
}

function viewOfSwitch<Row extends { id: number }>(context: Context, list: List<Row>, id: number, key: string): SwitchCell {
  const [row] = shownRows(context, list, [id])
  const column = list.columns.find((one) => one.key === key)
  if (!row || !column) throw notFound()
  const { name } = list
  return {
    list: { name, path: url(context.server, `/${name}`) },
    row,
    key,
    label: context.t(column.label),
    name: labeller(context, list)(row),
  }
}
