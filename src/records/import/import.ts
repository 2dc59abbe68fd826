import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { and, asc, eq, gt } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { eachInTurn } from '../../concurrency/each-in-turn.ts'
import { type AnyRule, either, ignoringScope } from '../../core/access.ts'
import { type Database, importParts, importRows, imports, type RowResult, type SheetRow } from '../../database/index.ts'
import { notFound } from '../../http/request/errors.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { type Field, isRepeater, kindOf } from '../fields/index.ts'
import type { Form } from '../form/form.ts'
import type { AnyCard } from '../kind/card.ts'
import type { ImportPart } from '../kind/registry.ts'
import type { AnyDeletion } from '../list/deletion.ts'

export type Import = typeof imports.$inferSelect

/** Only its owner finds an import, once all of its rows are stored. */
export const findImport: FindRecord<Import> = (db, id, actor) => {
  const own = and(eq(imports.id, id), eq(imports.user_id, actor?.id ?? 0), gt(imports.row_count, 0))
  return db.select().from(imports).where(own).get()
}

/** Jobs that save or undo an import have it as their subject. */
export const subjectOf = ({ id }: Pick<Import, 'id'>): string => `import ${id}`

/** All rows of an import below its headings; others are served in between. */
export async function importedRows(db: Database, sheet: Pick<Import, 'id' | 'heading_last'>): Promise<SheetRow[]> {
  const rows: SheetRow[] = []
  await eachInTurn(piecesOf(db, sheet.id), (id) => rows.push(...rowsIn(db, id)))
  return rows.filter(({ row }) => row > sheet.heading_last)
}

export function importedRowsNow(db: Database, sheet: Import): SheetRow[] {
  const rows = piecesOf(db, sheet.id).flatMap((id) => rowsIn(db, id))
  return rows.filter(({ row }) => row > sheet.heading_last)
}

/** The first rows of a sheet, among which its headings are. */
export function readHead(db: Database, { id }: Import): SheetRow[] {
  const [first] = piecesOf(db, id)
  return first === undefined ? [] : rowsIn(db, first)
}

/** Its rows as they were sent, some at a time; others are served in between. */
export async function* piecesOfRows(db: Database, { id }: Import): AsyncGenerator<SheetRow[]> {
  for (const piece of piecesOf(db, id)) {
    yield rowsIn(db, piece)
    await yieldToLoop()
  }
}

function piecesOf(db: Database, importId: number): number[] {
  const pieces = db.select({ id: importRows.id }).from(importRows).where(eq(importRows.import_id, importId))
  return pieces
    .orderBy(asc(importRows.id))
    .all()
    .map(({ id }) => id)
}

const rowsIn = (db: Database, id: number) => db.select().from(importRows).where(eq(importRows.id, id)).get()?.rows ?? []

/** What was done with each row that was saved. */
export function readResults(db: Database, id: number): RowResult[] {
  const pieces = db.select({ results: importParts.results }).from(importParts).where(eq(importParts.import_id, id))
  return pieces
    .orderBy(asc(importParts.id))
    .all()
    .flatMap(({ results }) => results)
}

/** A kind of record into whose list sheets can be imported. */
export interface ImportKind extends ImportPart {
  list: string
  card: AnyCard
  deletion: AnyDeletion
  rule: AnyRule
}

export function importKinds({ records }: FastifyInstance): ImportKind[] {
  return [...records].flatMap(([list, { imports, deletion, card }]) => {
    if (!imports || !deletion || !card) return []
    const kind = { list, card, deletion, ...imports }
    return { ...kind, rule: either(kind.card.may.add, ignoringScope(kind.card.may.edit)) }
  })
}

/** A row that has added or changed a record. */
export type Touched = RowResult & { id: number }

export const isTouched = (result: RowResult): result is Touched => result.outcome === 'new' || result.outcome === 'changed'

/** @throws HttpError when nothing can be imported into that list any more */
export function importKindOf(app: FastifyInstance, { list }: Import): ImportKind {
  const kind = importKinds(app).find((one) => one.list === list)
  if (!kind) throw notFound()
  return kind
}

/** Every field but files and passwords. */
export function importedFields({ fields }: Form): [string, Field][] {
  return (Object.entries(fields) as [string, Field][]).filter(([, field]) => kindOf(field).cell && fitsCell(field))
}

/** Rows of two parts are written as "Doors: 10; Windows: 5". */
function fitsCell(field: Field): boolean {
  return !isRepeater(field) || (field.key !== 'file' && Object.keys(field.rows).length === 2)
}
