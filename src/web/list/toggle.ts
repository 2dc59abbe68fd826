import type { FastifyReply, FastifyRequest } from 'fastify'
import { writeRecord } from '../access/policy-hook.ts'
import { parseSwitch } from '../form/fields.ts'
import { bodyOf, type Page, refererPath, safePath, url, wantsFragment } from '../http.ts'
import type { List } from './state.ts'
import { presentSwitch, type SwitchCell } from './view.ts'

/** POST of the requested state of a switch in a list, so that a repeated request changes nothing; answers with its cell or the list. */
export function toggle<Row extends { id: number }, R extends { id: number }>(
  list: List<Row>,
  column: string,
  cell: Page<SwitchCell>,
  save: (request: FastifyRequest, record: R, value: boolean) => void,
) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const value = parseSwitch(bodyOf(request).get('value'))
    const { id } = request.record as R
    writeRecord(request, (record: R) => save(request, record, value))
    if (wantsFragment(request)) return reply.page(cell, presentSwitch(request, list, id, column))
    return reply.redirect(safePath(request.server, refererPath(request), url(request.server, `/${list.name}`)), 303)
  }
}
