import type { FastifyReply, FastifyRequest } from 'fastify'
import { writeRecord } from '../access/record-routes.ts'
import type { Acting } from '../acting.ts'
import { parseSwitch } from '../form/fields.ts'
import { bodyOf, type Page, refererPath, safePath, url, wantsFragment } from '../http.ts'
import type { List } from './state.ts'
import { presentSwitch, type SwitchCell } from './view.ts'

/** POST of the requested state of a switch in a list, so that a repeated request changes nothing; answers with its cell or the list. */
export function toggle<Row extends { id: number }, R extends { id: number }>(
  list: List<Row>,
  column: string,
  cell: Page<SwitchCell>,
  save: (acting: Acting, record: R, value: boolean) => void,
) {
  return (request: FastifyRequest, reply: FastifyReply, record: R) => {
    const value = parseSwitch(bodyOf(request).get('value'))
    writeRecord(request, record, (current) => save(request, current, value))
    if (wantsFragment(request)) return reply.page(cell, presentSwitch(request, list, record.id, column))
    return reply.redirect(safePath(request.server, refererPath(request), url(request.server, `/${list.name}`)), 303)
  }
}
