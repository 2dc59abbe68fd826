import { type Group, group } from '../../core/access.ts'
import { type PolicyKey, roleDefaults } from '../../core/policies.ts'
import { fullName, searchText } from '../../core/text.ts'
import type { Database } from '../open.ts'
import { policies, userPolicies, users } from '../schema/index.ts'
import type { PersonName } from './names.ts'

type Columns = typeof users.$inferInsert
export type Person = Omit<Columns, keyof PersonName | 'group_id' | 'password' | 'search' | 'created_at'> &
  PersonName & { group_id: Group; created_at: number }

export type RegisterUser = (person: Person, more?: readonly PolicyKey[]) => number

export function makeUserRegistrar(db: Database, password: string): RegisterUser {
  const policyIds = new Map<string, number>()
  for (const { id, key } of db.select().from(policies).all()) policyIds.set(key, id)
  return (person, more = []) => {
    const { lastInsertRowid } = db
      .insert(users)
      .values({ ...person, password, search: searchOf(person) })
      .run()
    const user_id = Number(lastInsertRowid)
    for (const key of new Set([...roleDefaults[person.group_id], ...more]))
      db.insert(userPolicies)
        .values({ user_id, policy_id: policyIds.get(key) as number, value: true })
        .run()
    return user_id
  }
}

function searchOf(person: Person): string {
  if (person.group_id === group.dealer) return searchText(`${person.lastname} ${person.name}`, person.tg_id)
  return searchText(fullName(person), person.email, person.phone, person.tg_id)
}
