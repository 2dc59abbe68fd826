import type { FastifyReply, FastifyRequest } from 'fastify'
import { fieldsOf } from '../form/form.ts'
import { presentEmptyRow } from '../form/view.ts'
import { HttpError, notFound } from '../http.ts'
import { queryOf } from '../request.ts'
import type { Card } from './card.ts'

/** GET of an empty row of one of the card's repeaters, numbered by `index`. */
export function showRepeaterRow<R extends { id: number; version: number }>(card: Card<R>, repeater: string) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const page = card.page(request, request.record as R)
    const field = fieldsOf(card.form, page).get(repeater)
    const index = queryOf(request).get('index') ?? ''
    if (!field) throw notFound()
    if (!/^\d{1,4}$/.test(index)) throw new HttpError(422, 'The line number is missing.')
    return reply.page('components/repeater-row.njk', {
      row: presentEmptyRow(repeater, field, index, page, request.t),
      sortable: field.key === 'file',
    })
  }
}
