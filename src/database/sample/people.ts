import { type Group, group } from '../../core/access.ts'
import { type PolicyKey, roleDefaults } from '../../core/policies.ts'
import type { Database } from '../open.ts'
import { companies, policies, userPolicies, users } from '../schema/index.ts'
import { daysAgo, readContent, readTable, type SampleFiles, timestamps } from './content.ts'
import type { References } from './references.ts'

type Person = Omit<typeof users.$inferInsert, 'group_id' | 'password' | 'search'> & { group_id: Group; middlename: string | null }

type Employee = Omit<Person, 'last_auth'> & {
  stock?: string
  manufacture?: string
  portrait: string
  /** Days ago. */
  created: number
  last_auth?: number
  rights?: PolicyKey[]
}

/** A row of the dealers; `created` in days ago, `manager` by email. */
type DealerRow = Record<'lastname' | 'name' | 'email' | 'active' | 'created', string> &
  Record<'middlename' | 'phone' | 'tg_id' | 'company' | 'manager', string | null>

type AddUser = (person: Person, more?: readonly PolicyKey[]) => number

export function makeUserWriter(db: Database, password: string): AddUser {
  const policyIds = new Map<string, number>()
  for (const { id, key } of db.select().from(policies).all()) policyIds.set(key, id)
  return (person, more = []) => {
    const row = { ...person, password }
    const user_id = Number(db.insert(users).values(row).run().lastInsertRowid)
    for (const key of new Set([...roleDefaults[person.group_id], ...more]))
      db.insert(userPolicies)
        .values({ user_id, policy_id: policyIds.get(key) as number, value: true })
        .run()
    return user_id
  }
}

export function addStaff(addUser: AddUser, references: References, { portraits }: SampleFiles): Map<string, number> {
  const people = readContent<Employee[]>('staff')
  return new Map(
    people.map(({ stock, manufacture, portrait, created, last_auth, rights, ...columns }) => {
      const person = {
        ...columns,
        stock_id: references.stocks.get(stock ?? ''),
        manufacture_id: references.manufactures.get(manufacture ?? ''),
        image: portraits[portrait],
        last_auth: last_auth === undefined ? null : daysAgo(last_auth),
        ...timestamps(daysAgo(created)),
      }
      return [person.email, addUser(person, rights)]
    }),
  )
}

export function addDealers(db: Database, addUser: AddUser, staff: ReadonlyMap<string, number>): void {
  const companyIds = new Map<string | null, number>()
  for (const { id, org } of db.select().from(companies).all()) companyIds.set(org, id)
  for (const { company, manager, created, active, ...dealer } of readTable<DealerRow>('dealers'))
    addUser({
      ...dealer,
      group_id: group.dealer,
      active: active === '1',
      company_id: companyIds.get(company) ?? null,
      manager_id: staff.get(manager ?? ''),
      ...timestamps(daysAgo(Number(created))),
    })
}
