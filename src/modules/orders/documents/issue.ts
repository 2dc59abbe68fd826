import { and, eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { mutex } from '../../../concurrency/mutex.ts'
import { type DocumentKind, type IssuableKind, isIssuable, isNumbered, pricedKinds } from '../../../core/documents.ts'
import { createRecord, type Database, documents, orders, prepareOnce, updateRecord } from '../../../database/index.ts'
import { makePdf } from '../../../documents/make-pdf.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { receiveFile, recordUpload, type TemporaryFile } from '../../../http/uploads/store.ts'
import { today } from '../../../i18n/format.ts'
import { type Order, orderLabel } from '../order.ts'
import { lackingOf } from './builders.ts'
import { contentOf, digestOf } from './content.ts'
import { currentDocument, documentFileName, findDocument, type Issued, updateDocument } from './document.ts'
import { queueDocumentEvent } from './json.ts'
import { Incomplete, missingFor } from './missing.ts'
import { expectedNumber, takeNumber, yearOf } from './series.ts'

/** A file that waits to become a document, if nothing that it was made of changes meanwhile. */
export interface Paper {
  kind: DocumentKind
  number: string
  serial: number | null
  day: string
  content: string
  file: TemporaryFile
}

/** The order has changed, or somebody else was given the number, while the file was made. */
export class Overtaken extends HttpError {
  constructor() {
    super(409, 'The order changed while its document was made. Nothing was issued. Try again.')
  }
}

const attempts = 5

/** By database: who issues waits for whoever issues already, so that no file is made in vain. */
const queues = prepareOnce(() => mutex())

/** Makes files and books them, one after the other, and again where something changed in between. */
export function issuing<T>({ db }: Pick<FastifyInstance, 'db'>, attempt: () => Promise<T>): Promise<T> {
  return queues(db)(async () => {
    for (let left = attempts; ; left -= 1) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof Overtaken) || left <= 1) throw error
      }
    }
  })
}

/** How many documents of a kind are made before this one, whose numbers come first. */
type Ahead = ReadonlyMap<DocumentKind, number>

/**
 * Makes the file of a document with the number that it will get, outside of any transaction.
 * @returns undefined where the document of the order holds still
 * @throws Incomplete with what it cannot do without
 */
export async function preparePaper(
  context: Context,
  order: Order,
  kind: DocumentKind,
  ahead: Ahead = new Map(),
): Promise<Paper | undefined> {
  const { server } = context
  const missing = missingFor(context, order, kind)
  if (missing.length > 0) throw new Incomplete(missing)
  const content = digestOf(server, order, kind)
  if (currentDocument(server.db, order.id, kind)?.content === content) return undefined
  if (kind === 'invoice' && lackingOf(order) === 0) throw new HttpError(422, 'The order is paid: there is nothing to invoice.')
  const day = today()
  const { number, serial } = numberOf(server.db, order, kind, day, ahead.get(kind) ?? 0)
  const pdf = await makePdf([contentOf(server, order, kind, { number, day })])
  const name = documentFileName({ kind, number }, context.t)
  const file = await receiveFile(server.config.dataDir, once(pdf), { name, type: 'application/pdf' })
  return { kind, number, serial, day, content, file }
}

async function* once(bytes: Buffer) {
  yield bytes
}

function numberOf(db: Database, order: Order, kind: DocumentKind, day: string, ahead: number) {
  if (!isNumbered(kind)) return { number: String(order.specification_number ?? order.id), serial: null }
  return expectedNumber(db, kind, { day, order: order.id }, ahead)
}

/**
 * Gives a document its number and books its file, or finds the one that holds still. Call it inside `write`.
 * @param step the step that issues it, which can be undone
 * @throws Overtaken when the paper is no longer what would be issued
 */
export function bookPaper(context: Context, order: Order, kind: DocumentKind, paper: Paper | undefined, step?: number): Issued {
  const { server, author, actor } = context
  const { db, config } = server
  const content = digestOf(server, order, kind)
  const current = currentDocument(db, order.id, kind)
  if (current?.content === content) return current
  const day = today()
  const expected = numberOf(db, order, kind, day, 0)
  if (!paper || paper.content !== content || paper.number !== expected.number || paper.day !== day) throw new Overtaken()
  if (isNumbered(kind)) takeNumber(db, kind, day)
  const { file, number, serial } = paper
  recordUpload({ db, dataDir: config.dataDir }, file, author.id ?? actor.id)
  const values = {
    ...{ kind, number, serial, year: yearOf(day), date: day, content, file: file.key },
    ...{ order_id: order.id, company_id: order.owner_company_id, order_version: order.version, issued_by_step: step },
    amount: amountOf(order, kind),
    ...{ actor_id: author.id, actor_name: author.name },
    ...{ impersonator_id: author.impersonator?.id, impersonator_name: author.impersonator?.name },
  }
  const id = createRecord(db, documents, values, number, author)
  if (current) updateDocument(db, current, { state: 'replaced', replaced_by_id: id }, author)
  queueDocumentEvent(server, id)
  return findDocument(db, id) as Issued
}

function amountOf(order: Order, kind: DocumentKind): number | null {
  if (kind === 'invoice') return lackingOf(order)
  return pricedKinds.includes(kind) ? order.cost : null
}

/** Issues a document of an order, and holds it where the order holds files of its kind. Call it inside `write`. */
export function issueDocument(context: Context, order: Order, kind: DocumentKind, paper: Paper | undefined): Issued {
  const document = bookPaper(context, order, kind, paper)
  const { db } = context.server
  if (isIssuable(kind) && order[kind] !== document.file && (!order[kind] || isIssuedFile(db, order, order[kind])))
    updateRecord(db, orders, order, held(kind, document), orderLabel(order), context.author)
  return document
}

const held = (kind: IssuableKind, { file }: Issued): Partial<Record<IssuableKind, string>> => ({ [kind]: file })

/** Whether a file of an order was issued, and not uploaded by somebody. */
export function isIssuedFile(db: Database, { id }: Pick<Order, 'id'>, file: string): boolean {
  const named = and(eq(documents.order_id, id), eq(documents.file, file))
  return db.select({ id: documents.id }).from(documents).where(named).limit(1).get() !== undefined
}
