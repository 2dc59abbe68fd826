import { group } from '../../core/access.ts'
import { firstDay, timestamps, today, workingMoment } from './calendar.ts'
import type { Company } from './companies.ts'
import { foreignName, type PersonName, russianName } from './names.ts'
import { mobile } from './phones.ts'
import type { Random } from './random.ts'
import { telegramId, type UserFactory } from './staff.ts'
import type { Person } from './users.ts'

interface DealerContext {
  companies: Company[]
  managers: number[]
  administrators: number[]
}

const known = { email: 'dealer@example.com', lastname: 'Королёв', name: 'Артём', middlename: 'Игоревич', active: true }

export function addDealers(factory: UserFactory, context: DealerContext): void {
  const first = { ...makeDealer(factory, context, context.companies[0] ?? null), ...known, manager_id: context.managers[0] }
  const rest = Array.from({ length: 299 }, (_, index) => makeDealer(factory, context, companyOf(factory.random, context, index)))
  const people: Person[] = [first, ...rest]
  for (const person of people.sort((a, b) => a.created_at - b.created_at)) factory.register(person)
}

function companyOf(random: Random, { companies }: DealerContext, index: number): Company | null {
  return index % 40 === 39 ? null : random.pick(companies)
}

function makeDealer({ random, mailbox }: UserFactory, context: DealerContext, company: Company | null): Person {
  const named = dealerName(random, company)
  return {
    group_id: group.dealer,
    ...named,
    email: mailbox(named),
    phone: random.chance(0.85) ? mobile(random) : null,
    tg_id: random.chance(0.35) ? telegramId(random) : null,
    active: random.chance(0.92),
    company_id: company?.id ?? null,
    manager_id: managerOf(random, context, company),
    ...timestamps(workingMoment(random, company?.created_at ?? firstDay, today)),
  }
}

function dealerName(random: Random, company: Company | null): PersonName {
  if (random.chance(company?.foreign ? 0.7 : 0.02)) return foreignName(random)
  const named = russianName(random)
  return random.chance(0.93) ? named : { ...named, middlename: null }
}

function managerOf(random: Random, { managers, administrators }: DealerContext, company: Company | null): number {
  if (random.chance(0.05)) return random.pick(administrators)
  return random.chance(0.1) ? random.pick(managers) : (company?.manager_id ?? random.pick(managers))
}
