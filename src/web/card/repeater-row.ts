import type { FastifyReply, FastifyRequest } from 'fastify'
import { fieldsOf } from '../form/form.ts'
import { presentEmptyRow } from '../form/view.ts'
import { HttpError, notFound, page, queryOf } from '../http.ts'
import type { Card } from './card.ts'

const repeaterRow = page<{ row: ReturnType<typeof presentEmptyRow>; sortable: boolean }>('components/repeater-row.njk')

export function showRepeaterRow<R extends { id: number; version: number }>(card: Card<R>, repeater: string) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const formPage = card.page(request, request.record as R)
    const field = fieldsOf(card.form, formPage).get(repeater)
    const index = queryOf(request).get('index') ?? ''
    if (!field) throw notFound()
    if (!/^\d{1,4}$/.test(index)) throw new HttpError(422, 'The line number is missing.')
    return reply.page(repeaterRow, {
      row: presentEmptyRow(repeater, field, index, formPage, request.t),
      sortable: field.key === 'file',
    })
  }
}
