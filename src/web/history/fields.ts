import { getTableName } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type Field, type Form, fieldsOf } from '../form/form.ts'

export function historyFields({ cards }: Pick<FastifyInstance, 'cards'>, entity: string): Map<string, Field> {
  const own = cards.filter(({ table }) => getTableName(table) === entity)
  return new Map(
    own.flatMap(({ form, extraFields = {} }) => [
      ...Object.entries(extraFields),
      ...fieldsOf(form, { mode: 'create' }),
      ...fieldsOf(form, { mode: 'edit' }),
    ]),
  )
}

export function columnLabel(app: Pick<FastifyInstance, 'cards'>, entity: string, column: string): string {
  const forms: Form[] = app.cards.map(({ form }) => form)
  const rows = forms.flatMap(({ fields }) => Object.values(fields).map((field) => field?.rows?.[column]))
  return historyFields(app, entity).get(column)?.label ?? rows.find(Boolean)?.label ?? column
}
