import { type Group, group, roleDefaults } from '../../core/access.ts'
import type { PolicyKey } from '../../core/policies.ts'
import type { Database } from '../open.ts'
import { companies, policies, userPolicies, users } from '../schema/index.ts'
import { daysAgo, readTable, type SampleFiles, timestamps } from './content.ts'
import type { References } from './references.ts'

type Person = Omit<typeof users.$inferInsert, 'group_id' | 'password' | 'search'> & { group_id: Group; middlename: string | null }

/** A row of the staff; `created` and `last_auth` in days ago, further `rights` with blanks between them. */
type EmployeeRow = Record<'lastname' | 'name' | 'email' | 'group_id' | 'active' | 'superadmin' | 'created', string> &
  Record<'middlename' | 'position' | 'phone' | 'tg_id' | 'stock' | 'manufacture' | 'portrait' | 'last_auth' | 'rights', string | null>

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
  const people = readTable<EmployeeRow>('staff')
  return new Map(
    people.map(({ group_id, active, superadmin, stock, manufacture, portrait, created, last_auth, rights, ...columns }) => {
      const person = {
        ...columns,
        group_id: Number(group_id) as Group,
        active: active === '1',
        superadmin: superadmin === '1',
        stock_id: references.stocks.get(stock ?? ''),
        manufacture_id: references.manufactures.get(manufacture ?? ''),
        image: portraits[portrait ?? ''],
        last_auth: last_auth === null ? null : daysAgo(Number(last_auth)),
        ...timestamps(daysAgo(Number(created))),
      }
      return [person.email, addUser(person, rights?.split(' ') as PolicyKey[] | undefined)]
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
