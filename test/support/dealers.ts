import { count, eq } from 'drizzle-orm'
import { group } from '../../src/core/access.ts'
import { users } from '../../src/database/schema/index.ts'
import { createAccount } from '../../src/modules/users/accounts.ts'
import type { Answer, Cabinet } from './cabinet.ts'
import { type Name, names } from './cast.ts'
import { idsOf } from './html.ts'

export type User = typeof users.$inferSelect

/** The dealers of the cast. */
export const dealerNames: Name[] = ['denis', 'daria', 'vera', 'roman', 'ivan']

export const userOf = ({ db }: Pick<Cabinet, 'db'>, id: number) => db.select().from(users).where(eq(users.id, id)).get() as User

/** A dealer besides the cast, of Alpha and Maria unless said otherwise. */
export function insertDealer({ db, cast }: Cabinet, values: Partial<User> = {}): number {
  const fixed = {
    lastname: 'Planted',
    name: 'Personal details',
    email: `planted${db.select({ rows: count() }).from(users).get()?.rows}@example.com`,
    password: 'x',
    company_id: cast.companies.alpha,
    manager_id: cast.maria,
  }
  return createAccount(db, group.dealer, { ...fixed, ...values }, { id: null, name: 'The test' })
}

export function insertDealers(cabinet: Cabinet, many: number, values: (index: number) => Partial<User> = () => ({})): number[] {
  return cabinet.db.transaction(() => Array.from({ length: many }, (_, index) => insertDealer(cabinet, values(index))))
}

/** Who was found, by the short names of the cast. */
export function foundNames({ cast }: Cabinet, answer: Answer): string[] {
  return idsOf(answer, 'dealers')
    .map((id) => names.find((name) => cast[name] === id) ?? String(id))
    .sort()
}
