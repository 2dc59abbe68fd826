import { and, asc, eq, gt, inArray } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type AnyRule, either, ignoringScope } from '../../core/access.ts'
import { type Database, importParts, importRows, imports, type RowResult, type SheetRow } from '../../database/index.ts'
import type { FindRecord } from '../../web/app-types.ts'
import type { AnyCard } from '../../web/card/card.ts'
import { notFound } from '../../web/errors.ts'
import type { FindChoices } from '../../web/form/choices.ts'
import { type Field, type Form, isRepeater, kindOf, type Values } from '../../web/form/form.ts'
import { bulkLimit } from '../../web/jobs/job.ts'
import type { AnyDeletion } from '../../web/list/deletion.ts'
import { eachInTurn } from '../../web/operations/each-in-turn.ts'
import { findManagers } from '../companies/choices.ts'
import { references } from '../references/reference.ts'
import { findCompanies } from '../users/dealers/form.ts'
import { recordedDealerCard } from '../users/dealers/routes.ts'
import { noPassword } from '../users/user.ts'

export type Import = typeof imports.$inferSelect

/** Only its owner finds an import, once all of its rows are stored. */
export const findImport: FindRecord<Import> = (db, id, actor) => {
  const own = and(eq(imports.id, id), eq(imports.user_id, actor?.id ?? 0), gt(imports.row_count, 0))
  const lists = declared.map(({ list }) => list)
  return db
    .select()
    .from(imports)
    .where(and(own, inArray(imports.list, lists)))
    .get()
}

/** Whether it is saved by a job. */
export const isLong = ({ row_count }: Import): boolean => row_count > bulkLimit

/** Jobs that save or undo an import have it as their subject. */
export const subjectOf = ({ id }: Pick<Import, 'id'>): string => `import ${id}`

/** All rows of an import; others are served in between. */
export async function readRows(db: Database, importId: number): Promise<SheetRow[]> {
  const rows: SheetRow[] = []
  await eachInTurn(piecesOf(db, importId), (id) => rows.push(...rowsIn(db, id)))
  return rows
}

export const readRowsNow = (db: Database, importId: number): SheetRow[] => piecesOf(db, importId).flatMap((id) => rowsIn(db, id))

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

/** A list into which sheets can be imported. */
export interface ImportKind {
  list: string
  /** Fields by which rows can find their records, the best first. */
  keys: string[]
  /** What no two records share. */
  unique?: string
  /** Search functions for fields with too many choices to load. */
  finders?: Record<string, FindChoices>
  /** Values of new records that are not in the sheet. */
  initial?: Values
  /** What taking a change back says besides the values that it restores. */
  reverting?: Values
  /** Adds and changes its records. */
  card: AnyCard
  deletion: AnyDeletion
  rule: AnyRule
}

/** By default what adds and changes records is the card of their pages. */
const declared: (Omit<ImportKind, 'card' | 'deletion' | 'rule'> & { card?: AnyCard })[] = [
  { list: 'companies', keys: ['inn', 'org'], finders: { manager_id: findManagers } },
  {
    list: 'dealers',
    keys: ['email'],
    unique: 'email',
    finders: { company_id: findCompanies },
    initial: { password: noPassword },
    reverting: { orders: 'move' },
    card: recordedDealerCard as never,
  },
  { list: 'products', keys: ['external_id', 'article'], unique: 'article' },
  ...references.map(({ name }) => ({ list: name, keys: ['name'] })),
]

export function importKinds({ records }: FastifyInstance): ImportKind[] {
  return declared.flatMap((kind) => {
    const { card, deletion } = { ...records.get(kind.list), ...(kind.card && { card: kind.card }) }
    return card && deletion ? [{ ...kind, card, deletion, rule: either(card.may.add, ignoringScope(card.may.edit)) }] : []
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
