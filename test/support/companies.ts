import { asc, eq } from 'drizzle-orm'
import { categoryCompany, companies } from '../../src/database/schema/index.ts'
import type { Cabinet } from './cabinet.ts'

export type Company = typeof companies.$inferSelect

/** The texts of the form that registers a company; the card has more. */
export const createFields = 'org inn ogrn kpp okpo okato okved address legal_address bank bik rs cs phone email'.split(' ')

export const cardOnlyFields =
  'contract_number contract_date director_name_full director_name_short discount specification_start_number'.split(' ')

export const companyOf = ({ db }: Pick<Cabinet, 'db'>, id: number) =>
  db.select().from(companies).where(eq(companies.id, id)).get() as Company

export const discountsOf = ({ db }: Pick<Cabinet, 'db'>, company: number) =>
  db.select().from(categoryCompany).where(eq(categoryCompany.company_id, company)).orderBy(asc(categoryCompany.id)).all()

export function insertCompany({ db }: Cabinet, values: Partial<Company> = {}): number {
  const org = values.org ?? 'Planted'
  return Number(
    db
      .insert(companies)
      .values({ ...values, org })
      .run().lastInsertRowid,
  )
}

const codes = ['inn', 'ogrn', 'kpp', 'okpo', 'okato', 'bik', 'rs', 'cs']

/** A value for each of these fields, other ones for another number; codes take digits only. */
export const textsFor = (names: readonly string[], number: number): Record<string, string> =>
  Object.fromEntries(names.map((name, at) => [name, textFor(name, at, number)]))

function textFor(name: string, at: number, number: number): string {
  if (name === 'email') return `office${number}@example.com`
  if (name === 'phone') return `${name} ${number} 11111`
  return codes.includes(name) ? `${number}0${at}` : `${name} ${number}`
}
