import type { FastifyInstance } from 'fastify'
import { savedName } from '../../../http/uploads/uploaded.ts'
import { isoTime, type Viewer } from '../../../records/api/fields-json.ts'
import { jsonOfFile } from '../../../records/api/file-json.ts'
import { eventReader, queueEvent, type RecordEvent } from '../../notifications/webhooks/queue-event.ts'
import { findDocument, type Issued } from './document.ts'

/** A document, for somebody who may see it. */
export function jsonOfDocument(viewer: Viewer, document: Issued) {
  const { id, version, kind, number, date, order_id, company_id, amount, state, file, order_version, replaced_by_id } = document
  const name = savedName(viewer.server.db, { entity: 'documents', id, field: 'file' }, file) ?? number
  return {
    ...{ id, version, kind, number, date, order_id, company_id, amount, state, order_version, replaced_by_id },
    ...{ issuer_id: document.actor_id, issuer: document.actor_name },
    file: jsonOfFile(viewer, file, name),
    created_at: isoTime(document.created_at),
    updated_at: isoTime(document.updated_at),
  }
}

export function queueDocumentEvent(server: FastifyInstance, id: number, held: Pick<RecordEvent, 'subject' | 'send_at'> = {}): void {
  const data = () => {
    const document = findDocument(server.db, id)
    return document && jsonOfDocument({ server, actor: eventReader }, document)
  }
  queueEvent(server, { type: 'document.issued', data, ...held })
}
