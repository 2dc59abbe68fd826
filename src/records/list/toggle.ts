import type { FastifyRequest } from 'fastify'
import type { Done } from '../../http/action.ts'
import { refererPath, safePath, url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { bodyOf } from '../../http/request/input.ts'
import type { Template } from '../../http/request/template.ts'
import { parseSwitch } from '../fields/index.ts'
import type { List } from './list.ts'
import { type SwitchCell, viewOfSwitch } from './view.ts'

/** Saves the requested state of a switch in a list, so that a repeated request changes nothing; answers with its cell or the list. */
export function toggle<Row extends { id: number }, R extends { id: number }>(
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
