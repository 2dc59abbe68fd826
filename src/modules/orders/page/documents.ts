import { extname } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { editableFields } from '../../../core/order-editable-fields.ts'
import { requirableFields } from '../../../core/transition-rules.ts'
import { prepareOnce } from '../../../database/prepare-once.ts'
import { previewKind } from '../../../web/uploads/file-type.ts'
import type { Order } from '../order.ts'

const names = ['specification', 'invoice', 'payment_order'] as const

export function presentDocuments({ server: { db }, actor, t }: FastifyRequest, order: Order) {
  const open = editableFields(actor, order.statusPermissions)
  return names.flatMap((field) => {
    const key = order[field]
    const stored = key ? storedDocument(db).get({ order: order.id, key }) : undefined
    const name = key ? (stored?.name ?? t('File')) : undefined
    const document = { field, label: t(requirableFields[field]), key, ...stored, name, preview: name && previewKind(extname(name)) }
    return key || open.has(field) ? [{ ...document, editable: open.has(field) }] : []
  })
}

const storedDocument = prepareOnce((db) =>
  db.$client.prepare<{ order: number; key: string }, { name: string; size: number; at: number; actor_name: string }>(
    `select uploads.name, uploads.size, changes.at, changes.actor_name from changes cross join uploads
      where changes.entity = 'orders' and changes.record_id = :order and instr(changes.fields, :key) > 0
        and uploads.key = :key and uploads.user_id = changes.actor_id and uploads.at <= changes.at
      order by changes.record_version desc, uploads.id desc limit 1`,
  ),
)
