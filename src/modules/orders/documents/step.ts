import { and, eq, type SQL } from 'drizzle-orm'
import { type Database, documents } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { type Issued, selectDocuments, updateDocument } from './document.ts'

type Acting = Pick<Context, 'server' | 'author'>

/** Cancels what was issued of an order that is called off; numbers stay theirs. Call it inside `write`. */
export function cancelDocuments({ server: { db }, author }: Acting, order: number, step: number): void {
  for (const document of documentsWhere(db, and(eq(documents.order_id, order), eq(documents.state, 'issued'))))
    updateDocument(db, document, { state: 'canceled', canceled_by_step: step }, author)
}

/** Takes back what a step did with documents: what it issued is canceled, what that replaced and what it canceled holds again. */
export function undoDocuments({ server: { db }, author }: Acting, step: number): void {
  const issued = documentsWhere(db, eq(documents.issued_by_step, step))
  for (const document of issued) {
    updateDocument(db, document, { state: 'canceled' }, author)
    for (const earlier of documentsWhere(db, eq(documents.replaced_by_id, document.id)))
      updateDocument(db, earlier, { state: 'issued', replaced_by_id: null }, author)
  }
  for (const document of documentsWhere(db, eq(documents.canceled_by_step, step)))
    updateDocument(db, document, { state: 'issued', canceled_by_step: null }, author)
}

const documentsWhere = (db: Database, condition: SQL | undefined): Issued[] => selectDocuments(db).where(condition).all()
