import type { Database } from '../open.ts'
import { categoryCompany, companies } from '../schema/index.ts'
import { dateOf, daysAgo, readTable, type SampleFiles, timestamps } from './content.ts'
import type { References } from './references.ts'

type Columns = typeof companies.$inferInsert

/** A row of the companies; `created` and `signed` in days ago, the manager by email, discounts as `category percent; …`. */
type CompanyRow = Omit<Columns, 'search' | 'discount' | 'specification_start_number'> &
  Record<'created', string> &
  Record<'stock' | 'manufacture' | 'manager' | 'signed' | 'discount' | 'discounts' | 'specification_start_number', string | null>

export function addCompanies(db: Database, references: References, staff: ReadonlyMap<string, number>, files: SampleFiles): void {
  readTable<CompanyRow>('companies').forEach((company, index) => {
    const { stock, manufacture, manager, discount, discounts, specification_start_number, created, signed, ...columns } = company
    const row = {
      ...columns,
      discount: numberOf(discount),
      specification_start_number: numberOf(specification_start_number),
      stock_id: references.stocks.get(stock ?? ''),
      manufacture_id: references.manufactures.get(manufacture ?? ''),
      manager_id: staff.get(manager ?? '') ?? null,
      files: filesOf(index, files),
      ...(signed !== null && contract(index, daysAgo(Number(signed)))),
      ...timestamps(daysAgo(Number(created))),
    }
    const company_id = Number(db.insert(companies).values(row).run().lastInsertRowid)
    for (const text of discounts?.split('; ') ?? []) {
      const [, category = '', percent] = /^(.+) (\d+)$/.exec(text) ?? []
      const category_id = references.categories.get(category) as number
      db.insert(categoryCompany)
        .values({ company_id, category_id, discount: Number(percent) })
        .run()
    }
  })
}

const numberOf = (text: string | null) => (text === null ? null : Number(text))

function contract(index: number, at: number) {
  const contract_date = dateOf(at)
  return { contract_number: `Д-${101 + index}/${contract_date.slice(2, 4)}`, contract_date }
}

function filesOf(index: number, { documents }: SampleFiles): Columns['files'] {
  const titles = { contract: 'Договор поставки', appendix: 'Приложение 1' }
  return Object.entries(titles).flatMap(([document, name], at) => {
    const file = documents[document]
    return file && index % (at + 2) > 0 ? { name, file: file.key } : []
  })
}
