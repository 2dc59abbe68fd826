import { and, asc, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import type { PolicyKey } from '../../../core/policies.ts'
import type { Database } from '../../../database/open.ts'
import { prepareOnce } from '../../../database/prepare-once.ts'
import { accessRequests, policies, users } from '../../../database/schema/index.ts'
import { untilWritten } from '../../../database/until-written.ts'
import type { FindRecord } from '../../../web/http.ts'
import type { User } from '../accounts.ts'

export interface AccessRequest {
  id: number
  policy_id: number
  key: PolicyKey
  name: string
  category: string
  note: string
  created_at: number
  state: 'open' | 'granted' | 'declined'
  decided_at: number | null
  person: User
}

export const findAccessRequest: FindRecord<AccessRequest> = (db, id) => byId(db).get({ id }) as AccessRequest | undefined

export const openAccessRequests = (db: Database) => untilWritten(db, 'open access requests', () => open(db).all() as AccessRequest[])

export const accessRequestsOf = (db: Database, userId: number) => byUser(db).all({ userId }) as AccessRequest[]

const byId = prepareOnce((db) =>
  selectAccessRequests(db)
    .where(eq(accessRequests.id, sql.placeholder('id')))
    .prepare(),
)

const open = prepareOnce((db) =>
  selectAccessRequests(db)
    // Literal: with a parameter SQLite would not use the partial index of open requests.
    .where(and(sql`${accessRequests.state} = 'open'`, eq(users.active, true)))
    .orderBy(asc(accessRequests.id))
    .prepare(),
)

const byUser = prepareOnce((db) =>
  selectAccessRequests(db)
    .where(eq(accessRequests.user_id, sql.placeholder('userId')))
    .orderBy(desc(accessRequests.id))
    .limit(100)
    .prepare(),
)

function selectAccessRequests(db: Database) {
  return db
    .select({
      id: accessRequests.id,
      policy_id: accessRequests.policy_id,
      key: policies.key,
      name: policies.name,
      category: policies.category,
      note: accessRequests.note,
      created_at: accessRequests.created_at,
      state: accessRequests.state,
      decided_at: accessRequests.decided_at,
      person: getTableColumns(users),
    })
    .from(accessRequests)
    .innerJoin(users, eq(users.id, accessRequests.user_id))
    .innerJoin(policies, eq(policies.id, accessRequests.policy_id))
}
