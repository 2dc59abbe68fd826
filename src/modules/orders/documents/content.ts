import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { getTableColumns } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { DocumentKind } from '../../../core/documents.ts'
import { orderFiles } from '../../../core/order-editable-fields.ts'
import { findSettings, orders } from '../../../database/index.ts'
import type { Document } from '../../../documents/document.ts'
import type { Context } from '../../../http/request/context.ts'
import { defaultLanguage } from '../../../http/request/organization.ts'
import { translator } from '../../../i18n/translate.ts'
import { eventReader } from '../../notifications/webhooks/queue-event.ts'
import type { Order } from '../order.ts'
import { deliveryNoteOf, invoiceOf, offerOf, specificationOf } from './builders.ts'

const builders = { invoice: invoiceOf, specification: specificationOf, offer: offerOf, delivery_note: deliveryNoteOf }

/** What a document says, in the language of the installation, whoever issues it. */
export function contentOf(server: FastifyInstance, order: Order, kind: DocumentKind, at: { number: string; day: string }): Document {
  return builders[kind](reading(server), order, at)
}

function reading(server: FastifyInstance): Context {
  const language = defaultLanguage(server)
  return {
    ...{ server, actor: eventReader, author: { id: null, name: '' }, authenticatedAt: 0, language, log: server.log },
    t: translator(language, findSettings(server.db)),
  }
}

/** Of what an order says and what its document would: steps and the files that these fill in change nothing of it. */
export function digestOf(server: FastifyInstance, order: Order, kind: DocumentKind): string {
  const said = Object.keys(getTableColumns(orders)).filter((name) => !moving.includes(name))
  const values = said.map((name) => order[name as keyof Order])
  const { logo, ...document } = contentOf(server, order, kind, { number: '', day: '2000-01-01' })
  return createHash('sha256')
    .update(JSON.stringify([values, document, logo && basename(logo)]))
    .digest('hex')
}

const moving = [
  ...['version', 'updated_at', 'status_id', 'status_since', 'due_since', 'deferred_payment'],
  ...['sn', 'date_make', 'date_delivery', 'date_payment'],
  ...orderFiles,
]
