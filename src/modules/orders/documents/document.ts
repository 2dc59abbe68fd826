import { and, desc, eq, getTableColumns } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import type { DocumentKind } from '../../../core/documents.ts'
import { documentKindLabels } from '../../../core/labels.ts'
import type { Author } from '../../../database/index.ts'
import { companies, type Database, documents, prepareOnce, updateRecord } from '../../../database/index.ts'
import type { FindRecord } from '../../../http/request/route-policy.ts'
import type { Translate } from '../../../i18n/translate.ts'
import type { AttachmentSource } from '../../../records/attachments.ts'
import { type DocumentFacts, documentAccess, maySeePrices } from './access.ts'

/** What was issued, with what decides about access to it. */
export type Issued = typeof documents.$inferSelect & DocumentFacts & { org: string | null }

export const selectDocuments = (db: Database) =>
  db
    .select({
      ...getTableColumns(documents),
      org: companies.org,
      manager_id: companies.manager_id,
      company_manufacture_id: companies.manufacture_id,
      company_stock_id: companies.stock_id,
    })
    .from(documents)
    .leftJoin(companies, eq(companies.id, documents.company_id))

const byId = prepareOnce((db, params) => selectDocuments(db).where(eq(documents.id, params.id)).prepare())

const byFile = prepareOnce((db, params) => selectDocuments(db).where(eq(documents.file, params.key)).orderBy(documents.id).prepare())

const ofOrder = prepareOnce((db, params) =>
  selectDocuments(db).where(eq(documents.order_id, params.order)).orderBy(desc(documents.id)).prepare(),
)

const currentOf = prepareOnce((db, params) => {
  const issued = and(eq(documents.order_id, params.order), eq(documents.kind, params.kind), eq(documents.state, 'issued'))
  return selectDocuments(db).where(issued).orderBy(desc(documents.id)).limit(1).prepare()
})

export const findDocument: FindRecord<Issued> = (db, id) => byId(db).get({ id })

/** The newest first. */
export const documentsOf = (db: Database, order: number): Issued[] => ofOrder(db).all({ order })

/** The one that holds now. */
export const currentDocument = (db: Database, order: number, kind: DocumentKind): Issued | undefined => currentOf(db).get({ order, kind })

/** Saves what differs, with its history. Call it inside `write`. */
export function updateDocument(db: Database, document: Issued, values: Partial<Issued>, author: Author): void {
  const { org, manager_id, company_manufacture_id, company_stock_id, ...stored } = document
  updateRecord(db, documents, stored, values as Partial<typeof documents.$inferSelect>, document.number, author)
}

export function documentFileName({ kind, number }: Pick<Issued, 'kind' | 'number'>, t: Translate): string {
  return `${t(documentKindLabels[kind])} ${number.replace(/[\\/:*?"<>|]/g, '-')}.pdf`
}

/** Their names stand in the history of uploads. */
export const documentFiles: AttachmentSource = (db, key) =>
  byFile(db)
    .all({ key })
    .map((document) => ({
      record: { entity: 'documents', id: document.id, field: 'file' },
      mayRead: (actor) => allows(documentAccess.view, actor, document),
      isRefused: (actor) => !allows(maySeePrices, actor, document),
    }))
