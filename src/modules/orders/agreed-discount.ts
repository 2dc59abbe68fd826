import { eq } from 'drizzle-orm'
import type { Actor } from '../../core/access.ts'
import { type Database, users } from '../../database/index.ts'
import { ValidationFailed } from '../../web/form/submit.ts'
import type { Problem } from '../../web/http.ts'
import type { Item } from './items.ts'

/** What the form of an order says of agreed discounts: percent for all products that have none of their own, and why. */
export interface Agreement {
  agreed?: number | null
  agreed_reason?: string | null
}

/** The highest discount in percent that somebody may agree on; null for none. */
export function discountLimit(db: Database, actor: Actor): number | null {
  if (actor.superadmin) return 100
  return db.select({ limit: users.discount_limit }).from(users).where(eq(users.id, actor.id)).get()?.limit ?? null
}

export function findLimitProblem(agreed: number | null | undefined, limit: number | null): Problem | undefined {
  if (agreed == null) return undefined
  if (limit === null) return { message: 'You may not give agreed discounts. A superadministrator sets how much you may give.' }
  return agreed > limit ? { message: 'You may give up to {limit}%.', params: { limit } } : undefined
}

/** @throws ValidationFailed when the discount for the whole order is more than this person may give */
export function requireWithinLimit(db: Database, actor: Actor, { agreed }: Agreement): void {
  const problem = findLimitProblem(agreed, discountLimit(db, actor))
  if (problem) throw new ValidationFailed({ agreed: problem })
}

/** @throws ValidationFailed when a discount is given without a reason */
export function requireReason(items: readonly Item[]): void {
  if (items.some(({ price_origin, agreed_reason }) => price_origin === 'agreed' && !agreed_reason))
    throw new ValidationFailed({ agreed_reason: 'Required' })
}
