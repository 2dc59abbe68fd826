import { and, eq, type SQL } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import { type DocumentKind, isNumbered } from '../../../core/documents.ts'
import { documentKindLabels } from '../../../core/labels.ts'
import { orderAfter, type Plan } from '../../../core/plan-transition.ts'
import { type Database, documents, whereIn } from '../../../database/index.ts'
import type { Context, WriteContext } from '../../../http/request/context.ts'
import type { RecordEvent } from '../../notifications/webhooks/queue-event.ts'
import type { Order } from '../order.ts'
import { rehearseRenewal } from '../pricing/outdated-prices.ts'
import { documentAccess } from './access.ts'
import { type Issued, selectDocuments, updateDocument } from './document.ts'
import { draftDocument, issuePaper, type Paper, type PaperDraft } from './issue.ts'
import { queueDocumentEvent } from './json.ts'

/** How many documents of a kind are issued first together with others. */
export type Ahead = Map<DocumentKind, number>

/** What a step would issue, where that does not hold still; each counts as issued before what is drafted next. */
export function draftsOfPlan(context: Context, order: Order, plan: Plan, ahead: Ahead): PaperDraft[] {
  const { server, author } = context
  const draft = (priced: Order) =>
    plan.issues.flatMap((kind) => {
      const drafted = draftDocument(context, orderAfter(priced, plan), kind, ahead.get(kind))
      if (drafted && isNumbered(kind)) ahead.set(kind, (ahead.get(kind) ?? 0) + 1)
      return drafted ?? []
    })
  return plan.renewsPrices ? rehearseRenewal(server.db, order, author, draft) : draft(order)
}

interface StepIssue {
  documents: Issued[]
  /** What of them was issued just now. */
  created: number[]
}

/** Issues the documents of a step. Call it inside `write`, before the order holds its files. */
export function issueDocumentsOfStep(context: WriteContext, order: Order, plan: Plan, papers: readonly Paper[]): StepIssue {
  const after = orderAfter(order, plan)
  const booked = plan.issues.map((kind) => {
    const paper = papers.find((one) => one.kind === kind)
    return issuePaper(context, { ...after, version: order.version + 1 }, kind, paper)
  })
  return {
    documents: booked.map(({ document }) => document),
    created: booked.flatMap(({ document, isNew }) => (isNew ? document.id : [])),
  }
}

/** What was issued belongs to its step, with which it can be undone, and is told when that is. */
export function assignToStep(
  { server }: WriteContext,
  { created }: StepIssue,
  step: number,
  held: Pick<RecordEvent, 'subject' | 'send_at'>,
): void {
  server.db.update(documents).set({ issued_by_step: step }).where(whereIn(documents.id, created)).run()
  for (const id of created) queueDocumentEvent(server, id, held)
}

/** What a step issued, in words, for those who may see it. */
export function namesOfIssued({ server: { db }, actor, t }: Context, step = 0): string[] {
  const seen = documentsWhere(db, eq(documents.issued_by_step, step)).filter((document) => allows(documentAccess.view, actor, document))
  return seen.map(({ kind, number }) => `${t(documentKindLabels[kind])} ${number}`)
}

/** Cancels what was issued of an order that is called off; numbers stay theirs. Call it inside `write`. */
export function cancelDocuments({ server: { db }, author }: WriteContext, order: number, step: number): void {
  for (const document of documentsWhere(db, and(eq(documents.order_id, order), eq(documents.state, 'issued'))))
    updateDocument(db, document, { state: 'canceled', canceled_by_step: step }, author)
}

/** Takes back what a step did with documents: what it issued is canceled, what that replaced and what it canceled holds again. */
export function undoDocuments({ server: { db }, author }: WriteContext, step: number): void {
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
