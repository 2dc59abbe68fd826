import { and, asc, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import type { PolicyKey } from '../../../core/policies.ts'
import { mapped } from '../../../database/mapped.ts'
import type { Database } from '../../../database/open.ts'
import { prepared } from '../../../database/prepared.ts'
import { policies, rightRequests, users } from '../../../database/schema/index.ts'
import type { FindRecord } from '../../../web/http.ts'
import type { User } from '../accounts.ts'

/** Somebody's request for a right. */
export interface RightRequest {
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

export const findRequest: FindRecord<RightRequest> = (db, id) => byId(db).get({ id }) as RightRequest | undefined

/** What waits for a decision, the oldest first; requests of people who are switched off rest meanwhile. */
export const openRequests = (db: Database) => open(db).all() as RightRequest[]

/** What a person has asked for, the newest first. */
export const requestsOf = (db: Database, userId: number) => ofPerson(db).all({ userId }) as RightRequest[]

const byId = prepared((db) =>
  selecting(db)
    .where(eq(rightRequests.id, sql.placeholder('id')))
    .prepare(),
)

const open = prepared((db) =>
  mapped(
    selecting(db)
      // Written out: a parameter would have the database plan anew each time, because of the index of open requests.
      .where(and(sql`${rightRequests.state} = 'open'`, eq(users.active, true)))
      .orderBy(asc(rightRequests.id))
      .prepare(),
  ),
)

const ofPerson = prepared((db) =>
  selecting(db)
    .where(eq(rightRequests.user_id, sql.placeholder('userId')))
    .orderBy(desc(rightRequests.id))
    .limit(100)
    .prepare(),
)

function selecting(db: Database) {
  return db
    .select({
      id: rightRequests.id,
      policy_id: rightRequests.policy_id,
      key: policies.key,
      name: policies.name,
      category: policies.category,
      note: rightRequests.note,
      created_at: rightRequests.created_at,
      state: rightRequests.state,
      decided_at: rightRequests.decided_at,
      person: getTableColumns(users),
    })
    .from(rightRequests)
    .innerJoin(users, eq(users.id, rightRequests.user_id))
    .innerJoin(policies, eq(policies.id, rightRequests.policy_id))
}
