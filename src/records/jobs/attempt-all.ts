import { getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Skipped, write } from '../../database/index.ts'
import { findLabels } from '../../database/references.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'

/** Says why something cannot be done with records; undefined where it is a fault of ours. */
type ReasonOf = (error: unknown) => string | undefined

/**
 * Does with all of them what can be done with all, otherwise with those that it can be done with. Call it inside `write`.
 * @returns the others, and why
 */
export function attemptAll(
  context: Context,
  ids: number[],
  work: (ids: number[]) => void,
  reasonOf: ReasonOf = describeRefusal(context),
): Refused[] {
  try {
    write(context.server.db, () => work(ids))
    return []
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    const [id, ...others] = ids
    if (id === undefined || others.length === 0) return ids.map((id) => ({ id, reason }))
    const middle = ids.length >> 1
    return [ids.slice(0, middle), ids.slice(middle)].flatMap((half) => attemptAll(context, half, work, reasonOf))
  }
}

interface Refused {
  id: number
  reason: string
}

export const describeRefusal =
  ({ t }: Context): ReasonOf =>
  (error) =>
    error instanceof HttpError ? t(error) : undefined

/** What to call them: what is gone has the name that it had last. */
export function named({ server: { db } }: Context, table: SQLiteTable, refused: Refused[]): Skipped[] {
  const labels = findLabels(
    db,
    getTableName(table),
    refused.map(({ id }) => id),
  )
  return refused.map(({ id, reason }) => ({ id, label: labels.get(id) ?? `#${id}`, reason }))
}
