import { and, asc, desc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { type Author, accessRequests, type Database, policies, prepareOnce, untilWritten, users } from '../../../database/index.ts'
import type { FindRecord } from '../../../web/http.ts'

export type AccessRequest = ReturnType<typeof openAccessRequests>[number]

export const findAccessRequest: FindRecord<AccessRequest> = (db, id) => byId(db).get({ id })

export const openAccessRequests = (db: Database) => untilWritten(db, 'open access requests', () => open(db).all())

export const accessRequestsOf = (db: Database, userId: number) => byUser(db).all({ user: userId })

export function closeAccessRequests(db: Database, userId: number, policyIds: number[], state: 'granted' | 'declined', author: Author) {
  const open = and(eq(accessRequests.user_id, userId), eq(accessRequests.state, 'open'), inArray(accessRequests.policy_id, policyIds))
  db.update(accessRequests).set({ state, decided_by: author.id, decided_at: Date.now() }).where(open).run()
}

const byId = prepareOnce((db, given) => selectAccessRequests(db).where(eq(accessRequests.id, given.id)).prepare())

const open = prepareOnce((db) =>
  selectAccessRequests(db)
    // Literal: with a parameter SQLite would not use the partial index of open requests.
    .where(and(sql`${accessRequests.state} = 'open'`, eq(users.active, true)))
    .orderBy(asc(accessRequests.id))
    .prepare(),
)

const byUser = prepareOnce((db, given) =>
  selectAccessRequests(db).where(eq(accessRequests.user_id, given.user)).orderBy(desc(accessRequests.id)).limit(100).prepare(),
)

function selectAccessRequests(db: Database) {
  const { id: _, description, ...policy } = getTableColumns(policies)
  return db
    .select({ ...getTableColumns(accessRequests), ...policy, person: getTableColumns(users) })
    .from(accessRequests)
    .innerJoin(users, eq(users.id, accessRequests.user_id))
    .innerJoin(policies, eq(policies.id, accessRequests.policy_id))
}
