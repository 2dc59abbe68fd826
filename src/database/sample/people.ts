import { type Group, group } from '../../core/access.ts'
import { type PolicyKey, roleDefaults } from '../../core/policies.ts'
import { fullName, searchText } from '../../core/text.ts'
import type { Database } from '../open.ts'
import { policies, userPolicies, users } from '../schema/index.ts'
import { daysAgo, timestamps, today, workingMoment } from './calendar.ts'
import type { Company } from './companies.ts'
import { readContent, type SampleFiles } from './content.ts'
import { foreignName, makeMailboxes, mobile, type PersonName, russianName } from './names.ts'
import type { Random } from './random.ts'
import type { References } from './references.ts'

type Person = Omit<typeof users.$inferInsert, keyof PersonName | 'group_id' | 'password' | 'search' | 'created_at'> &
  PersonName & { group_id: Group; created_at: number }

type Employee = Omit<Person, 'created_at' | 'updated_at' | 'last_auth'> & {
  stock?: string
  manufacture?: string
  portrait: string
  /** Days ago. */
  created: number
  last_auth?: number
  rights?: PolicyKey[]
}

type AddUser = (person: Person, more?: readonly PolicyKey[]) => number

export function makeUserWriter(db: Database, password: string): AddUser {
  const policyIds = new Map<string, number>()
  for (const { id, key } of db.select().from(policies).all()) policyIds.set(key, id)
  return (person, more = []) => {
    const row = { ...person, password, search: searchOf(person) }
    const user_id = Number(db.insert(users).values(row).run().lastInsertRowid)
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

interface DealerContext {
  random: Random
  mailbox: (person: PersonName) => string
  companies: Company[]
  managers: number[]
}

const known = { email: 'dealer@example.com', lastname: 'Королёв', name: 'Артём', middlename: 'Игоревич', active: true }

export function addDealers(addUser: AddUser, random: Random, companies: Company[], staff: ReadonlyMap<string, number>): void {
  const managers = companies.flatMap(({ manager_id }) => manager_id ?? [])
  const context = { random, mailbox: makeMailboxes(staff.keys()), companies, managers }
  const [company = null] = companies
  const first = { ...makeDealer(context, company), ...known, manager_id: company?.manager_id }
  const rest = Array.from({ length: 299 }, (_, index) => makeDealer(context, index % 40 === 39 ? null : random.pick(companies)))
  for (const person of [first, ...rest].sort((a, b) => a.created_at - b.created_at)) addUser(person)
}

function makeDealer({ random, mailbox, managers }: DealerContext, company: Company | null): Person {
  const named = dealerName(random, company)
  return {
    group_id: group.dealer,
    ...named,
    email: mailbox(named),
    phone: random.chance(0.85) ? mobile(random) : null,
    tg_id: random.chance(0.35) ? String(random.integer(100_000_000, 2_000_000_000)) : null,
    active: random.chance(0.92),
    company_id: company?.id ?? null,
    manager_id: (random.chance(0.85) && company?.manager_id) || random.pick(managers),
    ...timestamps(workingMoment(random, company?.created_at ?? daysAgo(550), today)),
  }
}

function dealerName(random: Random, company: Company | null): PersonName {
  if (random.chance(company?.foreign ? 0.7 : 0.02)) return foreignName(random)
  const named = russianName(random)
  return random.chance(0.93) ? named : { ...named, middlename: null }
}
