import { and, eq, inArray } from 'drizzle-orm'
import type { Database } from '../../../database/open.ts'
import type { Author } from '../../../database/records.ts'
import { accessRequests } from '../../../database/schema/index.ts'

/** Decides a person's open requests for these policies; call it inside the transaction that sets their rights. */
export function closeAccessRequests(
  db: Database,
  userId: number,
  policyIds: number[],
  state: 'granted' | 'declined',
  author: Author,
): void {
  const open = and(eq(accessRequests.user_id, userId), eq(accessRequests.state, 'open'), inArray(accessRequests.policy_id, policyIds))
  db.update(accessRequests).set({ state, decided_by: author.id, decided_at: Date.now() }).where(open).run()
}
