import { and, eq, inArray } from 'drizzle-orm'
import type { Database } from '../../../database/open.ts'
import type { Author } from '../../../database/records.ts'
import { rightRequests } from '../../../database/schema/index.ts'

/** Decides what a person has open for these policies; inside the transaction that sets their rights. */
export function closeRequests(db: Database, userId: number, policyIds: number[], state: 'granted' | 'declined', author: Author): void {
  const open = and(eq(rightRequests.user_id, userId), eq(rightRequests.state, 'open'), inArray(rightRequests.policy_id, policyIds))
  db.update(rightRequests).set({ state, decided_by: author.id, decided_at: Date.now() }).where(open).run()
}
