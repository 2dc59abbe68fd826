import { group } from '../../core/access.ts'
import { firstDay, stamps, today, workingMoment } from './calendar.ts'
import type { Company } from './companies.ts'
import { foreign, type Named, russian } from './names.ts'
import type { Person } from './people.ts'
import { mobile } from './phones.ts'
import type { Random } from './random.ts'
import { messenger, type Recruiting } from './staff.ts'

interface Around {
  companies: Company[]
  managers: number[]
  administrators: number[]
}

/** The account that is printed at the first start belongs to the first company, which is the first manager's. */
const known = { email: 'dealer@example.com', lastname: 'Королёв', name: 'Артём', middlename: 'Игоревич', active: true }

export function addDealers(recruiting: Recruiting, around: Around): void {
  const first = { ...dealer(recruiting, around, around.companies[0] ?? null), ...known, manager_id: around.managers[0] }
  const rest = Array.from({ length: 299 }, (_, index) => dealer(recruiting, around, companyOf(recruiting.random, around, index)))
  const people: Person[] = [first, ...rest]
  for (const person of people.sort((a, b) => a.created_at - b.created_at)) recruiting.register(person)
}

/** Seven people have no company yet. */
function companyOf(random: Random, { companies }: Around, index: number): Company | null {
  return index % 40 === 39 ? null : random.pick(companies)
}

function dealer({ random, mailbox }: Recruiting, around: Around, company: Company | null): Person {
  const named = nameOf(random, company)
  return {
    group_id: group.dealer,
    ...named,
    email: mailbox(named),
    phone: random.chance(0.85) ? mobile(random) : null,
    tg_id: random.chance(0.35) ? messenger(random) : null,
    active: random.chance(0.92),
    company_id: company?.id ?? null,
    manager_id: managerOf(random, around, company),
    ...stamps(workingMoment(random, company?.created_at ?? firstDay, today)),
  }
}

function nameOf(random: Random, company: Company | null): Named {
  if (random.chance(company?.foreign ? 0.7 : 0.02)) return foreign(random)
  const named = russian(random)
  return random.chance(0.93) ? named : { ...named, middlename: null }
}

/** Whoever registered the dealer: mostly the company's manager, now and then a colleague or an administrator. */
function managerOf(random: Random, { managers, administrators }: Around, company: Company | null): number {
  if (random.chance(0.05)) return random.pick(administrators)
  return random.chance(0.1) ? random.pick(managers) : (company?.manager_id ?? random.pick(managers))
}
