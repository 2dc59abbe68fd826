import { eq } from 'drizzle-orm'
import { closeBatch, deletePart } from '../../database/delete-records.ts'
import { type RowResult, trash } from '../../database/schema/index.ts'
import type { Acting } from '../../web/acting.ts'
import { noInput } from '../../web/http.ts'
import type { Target } from './import.ts'

export const isTouched = ({ outcome }: RowResult) => outcome === 'new' || outcome === 'changed'

/** Whether the record is as the import left it. */
export function isUntouchedSince({ server: { db } }: Acting, { card }: Target, { id, version }: RowResult): boolean {
  return card.find(db, id as number)?.version === version
}

/**
 * Deletes what these rows added, into a batch of the trash if one is named, and restores what they changed, unless somebody has changed
 * it since. Returns the latter with what they were changed from, to restore that in turn. Call it inside `write`.
 */
export function revertRows(acting: Acting, target: Target, results: RowResult[], batch?: string): RowResult[] {
  const { db } = acting.server
  const { card, deletion } = target
  const rows = results.filter((result) => isTouched(result) && isUntouchedSince(acting, target, result)).reverse()
  const added = rows.flatMap(({ outcome, id }) => (outcome === 'new' ? [id as number] : []))
  const unnamed = crypto.randomUUID()
  const problem = deletion.before?.(acting, added, new URLSearchParams())
  if (problem) throw problem
  if (added.length > 0) deletePart(db, batch ?? unnamed, { ...deletion, list: card.list }, added, acting.author)
  db.delete(trash).where(eq(trash.batch, unnamed)).run()
  return rows.filter(({ outcome }) => outcome === 'changed').map((result) => revertChange(acting, target, result))
}

function revertChange(acting: Acting, { card, reverting }: Target, result: RowResult): RowResult {
  const find = () => card.find(acting.server.db, result.id as number)
  const { stored } = card.formState(acting, find(), noInput)
  card.save(acting, find(), { ...result.before, ...reverting })
  const names = Object.keys(result.before as object)
  return { ...result, version: find()?.version, before: Object.fromEntries(names.map((name) => [name, stored[name] ?? null])) }
}

/** Offers what was deleted into the batch for restoring. */
export function offerRestoring({ server: { db } }: Acting, batch: string): void {
  const any = db.select({ id: trash.id }).from(trash).where(eq(trash.batch, batch)).limit(1).get()
  if (any) closeBatch(db, batch)
}
