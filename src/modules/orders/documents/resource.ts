import { documentKinds, documentStates } from '../../../core/documents.ts'
import { documents, prepareOnce, whereIn } from '../../../database/index.ts'
import { rowsBy } from '../../../records/api/resource.ts'
import { day, file, integer, kopecks, moment, objectOf, orNull, string } from '../../../records/fields/json-schema.ts'
import type { Resource } from '../../../records/kind/resource.ts'
import { documentAccess } from './access.ts'
import { findDocument, type Issued, selectDocuments } from './document.ts'
import { jsonOfDocument } from './json.ts'

const byIds = prepareOnce((db, params) => selectDocuments(db).where(whereIn(documents.id, params.ids)).prepare())

/** Issued at their order; here they are read. */
export const documentResource: Resource<Issued, Issued> = {
  name: 'documents',
  schema: 'Document',
  table: documents,
  find: findDocument,
  may: documentAccess,
  rows: rowsBy(byIds),
  json: jsonOfDocument,
  fields: {
    ...{ id: integer, version: integer, kind: { ...string, enum: [...documentKinds] }, number: string, date: day },
    ...{ order_id: orNull(integer), company_id: orNull(integer), amount: orNull(kopecks), state: { ...string, enum: [...documentStates] } },
    ...{ order_version: integer, replaced_by_id: orNull(integer), issuer_id: orNull(integer), issuer: string },
    file: objectOf(file),
    ...{ created_at: moment, updated_at: moment },
  },
}
