import { desc, eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { orderHistory, prepareOnce, statuses } from '../../database/index.ts'
import { describeValue } from '../../web/form/describe-value.ts'
import { fieldsOf } from '../../web/form/form.ts'
import { orderForm } from './form.ts'

export type HistoryRow = ReturnType<ReturnType<typeof historyOf>['all']>[number]

export function presentEntries(request: FastifyRequest, entries: HistoryRow[]) {
  return entries.map(({ entry, color }) => ({
    ...entry,
    to: { name: entry.to_name, color },
    filled: describeValues(request, entry.filled),
    forced: describeValues(request, entry.forced),
  }))
}

/** The newest entry comes first. */
export const historyOf = prepareOnce((db, given) => {
  const entries = db.select({ entry: orderHistory, color: statuses.color }).from(orderHistory)
  const withColors = entries.leftJoin(statuses, eq(statuses.id, orderHistory.to_status_id))
  return withColors.where(eq(orderHistory.order_id, given.order)).orderBy(desc(orderHistory.at), desc(orderHistory.id)).prepare()
})

function describeValues({ t }: FastifyRequest, values: Record<string, unknown>) {
  const fields = fieldsOf(orderForm, { mode: 'edit' })
  return Object.entries(values).flatMap(([name, value]) => {
    const field = fields.get(name)
    return field ? [{ label: t(field.label), value: describeValue(name, field, value, {}, t) }] : []
  })
}
