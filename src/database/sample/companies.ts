import { searchText } from '../../core/text.ts'
import type { Database } from '../open.ts'
import { categoryCompany, companies } from '../schema/index.ts'
import { banks } from './banks.ts'
import { dateOf, day, firstDay, timestamps, today, workingMoment } from './calendar.ts'
import type { SampleFiles } from './files.ts'
import {
  correspondentAccount,
  okpo,
  organizationInn,
  organizationOgrn,
  personalInn,
  personalOgrn,
  settlementAccount,
} from './legal-details.ts'
import { foreignName, initials, type PersonName, russianName } from './names.ts'
import { isForeign, organizations, soleProprietor } from './organizations.ts'
import { landline } from './phones.ts'
import { type City, cityOf, office, showroom } from './places.ts'
import type { Random } from './random.ts'
import type { References } from './references.ts'

type Columns = typeof companies.$inferInsert

export interface Company {
  id: number
  foreign: boolean
  manager_id: number | null
  created_at: number
}

const titles = ['Договор поставки', 'Приложение 1']
const discounts = [0, 3, 5, 7, 10, 10, 12, 15, 15, 18, 20, 25]
const activities = ['22.23', '25.12', '43.32', '46.73', '46.73.6', '47.52', '47.52.73']

export function addCompanies(
  db: Database,
  random: Random,
  references: References,
  managers: number[],
  { documents }: SampleFiles,
): Company[] {
  const dates = organizations.map(() => workingMoment(random, firstDay + 21 * day, today - 30 * day)).sort((a, b) => a - b)
  return organizations.map(([org, city, site], index) => {
    const row = {
      org,
      search: searchText(org),
      ...terms(random, references),
      manager_id: managerOf(random, index, managers),
      ...contract(random, index, dates[index] as number),
      ...contacts(random, cityOf(city), site),
      ...requisites(random, cityOf(city), soleProprietor(org) !== null),
      ...director(random, org),
      files: [documents.contract, documents.appendix].flatMap((document, at) =>
        document && index % (at + 2) > 0 ? { name: titles[at] ?? '', file: document.key } : [],
      ),
    }
    const id = Number(db.insert(companies).values(row).run().lastInsertRowid)
    if (index % 2 === 0) addDiscounts(db, random, id, references)
    return { id, foreign: isForeign(org), manager_id: row.manager_id, created_at: row.created_at }
  })
}

function managerOf(random: Random, index: number, managers: number[]): number | null {
  if (index % 7 === 0) return managers[0] as number
  return index % 13 === 12 ? null : random.pick(managers.slice(1, -1))
}

function terms(random: Random, { stocks, manufactures }: References) {
  return {
    discount: random.chance(0.9) ? random.pick(discounts) : null,
    specification_start_number: random.chance(0.3) ? random.integer(1, 40) * 50 : null,
    stock_id: random.chance(0.9) ? random.pick(stocks) : null,
    manufacture_id: random.chance(0.9) ? random.pick(manufactures) : null,
  }
}

function contract(random: Random, index: number, created_at: number) {
  const signed = dateOf(created_at + random.integer(1, 25) * day)
  const number = `Д-${String(101 + index)}/${signed.slice(2, 4)}`
  const known = index < organizations.length - 2 ? { contract_number: number, contract_date: signed } : {}
  return { ...known, ...timestamps(created_at) }
}

function contacts(random: Random, city: City, site: string) {
  const legal_address = office(random, city)
  return {
    legal_address,
    address: random.chance(0.6) ? showroom(random, city) : legal_address,
    phone: landline(random, city.phoneCode),
    email: `${random.pick(['info', 'info', 'office', 'zakaz'])}@${site}.example`,
  }
}

function requisites(random: Random, city: City, sole: boolean): Partial<Columns> {
  const { bank, bik } = random.pick(banks)
  const inspection = city.region + String(random.integer(1, 35)).padStart(2, '0')
  const account = { okato: city.okato, okved: random.pick(activities), bank, bik, cs: correspondentAccount(bik) }
  return { ...account, ...(sole ? soleProprietorNumbers(random, inspection, bik) : organizationNumbers(random, inspection, bik)) }
}

function organizationNumbers(random: Random, inspection: string, bik: string): Partial<Columns> {
  return {
    inn: organizationInn(random, inspection),
    kpp: `${inspection}01001`,
    ogrn: organizationOgrn(random, inspection),
    okpo: okpo(random, 8),
    rs: settlementAccount(random, bik, '40702'),
  }
}

function soleProprietorNumbers(random: Random, inspection: string, bik: string): Partial<Columns> {
  return {
    inn: personalInn(random, inspection),
    ogrn: personalOgrn(random, inspection),
    okpo: okpo(random, 10),
    rs: settlementAccount(random, bik, '40802'),
  }
}

function director(random: Random, org: string) {
  const person = proprietor(org) ?? (isForeign(org) ? foreignName(random) : russianName(random))
  const parts = [person.lastname, person.name, person.middlename]
  return { director_name_full: parts.filter(Boolean).join(' '), director_name_short: initials(person) }
}

function proprietor(org: string): PersonName | null {
  const [lastname = '', name = '', middlename = null] = soleProprietor(org)?.split(' ') ?? []
  return lastname ? { lastname, name, middlename } : null
}

function addDiscounts(db: Database, random: Random, company_id: number, { categories }: References): void {
  for (const category_id of random.some(categories, random.integer(2, 5)))
    db.insert(categoryCompany)
      .values({ company_id, category_id, discount: random.integer(1, 7) * 5 })
      .run()
}
