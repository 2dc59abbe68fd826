import { and, eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { mutex } from '../../../concurrency/mutex.ts'
import { type DocumentKind, type IssuableKind, isIssuable, isNumbered, pricedKinds } from '../../../core/documents.ts'
import { authorColumns, createRecord, type Database, documents, orders, prepareOnce, updateRecord } from '../../../database/index.ts'
import type { Document } from '../../../documents/document.ts'
import { makePdf } from '../../../documents/make-pdf.ts'
import type { Context, WriteContext } from '../../../http/request/context.ts'
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

/** What a document would say, with the number that it will get. */
export interface PaperDraft {
  kind: DocumentKind
  number: string
  serial: number | null
  day: string
  content: string
  document: Document
}

/** A file that waits to become a document, if nothing that it was made of changes meanwhile. */
export interface Paper extends Omit<PaperDraft, 'document'> {
  file: TemporaryFile
  uploader: number
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
export function withIssueQueue<T>({ db }: Pick<FastifyInstance, 'db'>, carryOn: () => Promise<T>): Promise<T> {
  return queues(db)(async () => {
    for (let left = attempts; ; left -= 1) {
      try {
        return await carryOn()
      } catch (error) {
        if (!(error instanceof Overtaken) || left <= 1) throw error
      }
    }
  })
}

/**
 * Makes the file of a document, outside of any transaction.
 * @returns undefined where the document of the order holds still
 * @throws Incomplete with what it cannot do without
 */
export async function preparePaper(context: Context, order: Order, kind: DocumentKind): Promise<Paper | undefined> {
  const draft = draftDocument(context, order, kind)
  const [paper] = draft ? await makePapers(context, [draft]) : []
  return paper
}

/**
 * @param ahead how many documents of the kind are issued before this one together with it
 * @returns undefined where the document of the order holds still
 * @throws Incomplete with what it cannot do without
 */
export function draftDocument(context: Context, order: Order, kind: DocumentKind, ahead = 0): PaperDraft | undefined {
  const { server } = context
  const missing = missingFor(context, order, kind)
  if (missing.length > 0) throw new Incomplete(missing)
  const content = digestOf(server, order, kind)
  if (currentDocument(server.db, order.id, kind)?.content === content) return undefined
  if (kind === 'invoice' && lackingOf(order) === 0) throw new HttpError(422, 'The order is paid: there is nothing to invoice.')
  const day = today()
  const { number, serial } = numberOf(server.db, order, kind, day, ahead)
  return { kind, number, serial, day, content, document: contentOf(server, order, kind, { number, day }) }
}

/** Makes the files of drafts, in their order. */
export async function makePapers({ server, t, author, actor }: Context, drafts: PaperDraft[]): Promise<Paper[]> {
  const papers: Paper[] = []
  for (const { document, ...draft } of drafts) {
    const name = documentFileName(draft, t)
    const file = await receiveFile(server.config.dataDir, once(await makePdf([document])), { name, type: 'application/pdf' })
    papers.push({ ...draft, file, uploader: author.id ?? actor.id })
  }
  return papers
}

async function* once(bytes: Buffer) {
  yield bytes
}

function numberOf(db: Database, order: Order, kind: DocumentKind, day: string, ahead: number) {
  if (!isNumbered(kind)) return { number: String(order.specification_number ?? order.id), serial: null }
  return expectedNumber(db, kind, { day, order: order.id }, ahead)
}

interface Booked {
  document: Issued
  /** Whether it was issued just now. */
  isNew: boolean
}

/**
 * Gives a document its number and books its file, or finds the one that holds still. Call it inside `write`.
 * @throws Overtaken when the paper is no longer what would be issued
 */
export function issuePaper({ server, author }: WriteContext, order: Order, kind: DocumentKind, paper: Paper | undefined): Booked {
  const { db, config } = server
  const content = digestOf(server, order, kind)
  const current = currentDocument(db, order.id, kind)
  if (current?.content === content) return { document: current, isNew: false }
  const day = today()
  const expected = numberOf(db, order, kind, day, 0)
  if (!paper || paper.content !== content || paper.number !== expected.number || paper.day !== day) throw new Overtaken()
  if (isNumbered(kind)) takeNumber(db, kind, day)
  const { file, number, serial, uploader } = paper
  recordUpload({ db, dataDir: config.dataDir }, file, uploader)
  const values = {
    ...{ kind, number, serial, year: yearOf(day), date: day, content, file: file.key },
    ...{ order_id: order.id, company_id: order.owner_company_id, order_version: order.version },
    amount: amountOf(order, kind),
    ...authorColumns(author),
  }
  const id = createRecord(db, documents, values, number, author)
  if (current) updateDocument(db, current, { state: 'replaced', replaced_by_id: id }, author)
  return { document: findDocument(db, id) as Issued, isNew: true }
}

function amountOf(order: Order, kind: DocumentKind): number | null {
  if (kind === 'invoice') return lackingOf(order)
  return pricedKinds.includes(kind) ? order.cost : null
}

/** Issues a document of an order, and holds it where the order holds files of its kind. Call it inside `write`. */
export function issueDocument(context: Context, order: Order, kind: DocumentKind, paper: Paper | undefined): Issued {
  const { document, isNew } = issuePaper(context, order, kind, paper)
  const { server, author } = context
  if (isNew) queueDocumentEvent(server, document.id)
  if (isIssuable(kind) && order[kind] !== document.file && (!order[kind] || isIssuedFile(server.db, order, order[kind])))
    updateRecord(server.db, orders, order, filesOf([document]), orderLabel(order), author)
  return document
}

/** What an order holds of documents. */
export const filesOf = (issued: Issued[]): Partial<Record<IssuableKind, string>> =>
  Object.fromEntries(issued.filter(({ kind }) => isIssuable(kind)).map(({ kind, file }) => [kind, file]))

/** Whether a file of an order was issued, and not uploaded by somebody. */
export const isIssuedFile = (db: Database, { id }: Pick<Order, 'id'>, file: string): boolean =>
  issuedFile(db).get({ order: id, key: file }) !== undefined

const issuedFile = prepareOnce((db, params) => {
  const named = and(eq(documents.order_id, params.order), eq(documents.file, params.key))
  return db.select({ id: documents.id }).from(documents).where(named).limit(1).prepare()
})
